// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/kernel_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

namespace bifocal::runtime {

// Generated (cmake/BifocalKernels.cmake): the functions of every .cu of the library.
const CudaTable& cuda_table();

namespace {

// The function whose constants are all among those asked for; nullptr: this build has none.
const void* cuda_function(std::string_view catalogue, std::string_view entry,
                          const Constants& constants) {
  const CudaTable& table = cuda_table();
  const auto found = std::ranges::find_if(table, [&](const CudaFunction& f) {
    return catalogue == f.catalogue && entry == f.entry &&
           std::ranges::all_of(f.constants, [&](const auto& own) {
             return std::ranges::find(constants, own) != constants.end();
           });
  });
  return found == table.end() ? nullptr : found->function;
}

const char* opencl_frame(KernelKind kind) {
  switch (kind) {
    case KernelKind::map:
      return "OPENCL_MAP";
    case KernelKind::group:
      return "OPENCL_GROUP";
    case KernelKind::thread:
      break;
  }
  return "OPENCL_THREAD";
}

}  // namespace

KernelSet::KernelSet(const char* catalogue, bool is_float, int group_size, Constants constants)
    : catalogue_(catalogue), group_size_(group_size), constants_(std::move(constants)) {
  constants_.emplace_back("REAL_IS_FLOAT", is_float ? 1 : 0);
  constants_.emplace_back("GROUP_SIZE", group_size);
}

// Every kernel is made once a process and never destroyed, so that its address stands for it.
const Kernel* KernelSet::find(KernelKind kind, const char* entry, const char* list) const {
  using Key = std::tuple<std::string, std::string, Constants>;
  static std::mutex& mutex = *new std::mutex;
  static auto& made = *new std::map<Key, const Kernel*>;
  const std::lock_guard lock(mutex);
  const Kernel*& kernel = made[Key(catalogue_, entry, constants_)];
  if (!kernel)
    kernel = new Kernel{.entry = entry,
                        .text = catalogue_,
                        .constants = constants_,
                        .opencl_line = fmt::format("{}({}, {})", opencl_frame(kind), entry, list),
                        .cuda = cuda_function(catalogue_, entry, constants_),
                        .cpu = nullptr};
  return kernel;
}

void KernelSet::start(Queue& queue, KernelKind kind, const Kernel& kernel, Launch launch,
                      std::span<const Argument> arguments) const {
  if (launch.count <= 0) return;
  if (launch.group_size == 0) launch.group_size = group_size_;
  if (launch.groups == 0)
    launch.groups = kind == KernelKind::group
                        ? launch.count
                        : (launch.count + launch.group_size - 1) / launch.group_size;
  runtime::launch(queue, kernel, launch, arguments);
}

}  // namespace bifocal::runtime
