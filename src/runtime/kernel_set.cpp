// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/kernel_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

// Generated (cmake/BifocalKernels.cmake): add_kernels() of the library's own functions, once.
namespace bifocal::kernels {
void add_bifocal();
}

namespace bifocal::runtime {
namespace {

std::mutex& kernel_mutex() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}

KernelTables& kernel_tables() {
  static KernelTables& tables = *new KernelTables;
  return tables;
}

// The function whose constants are all among those asked for; nullptr: this build has none.
template <class Function>
Function find_function(const std::vector<KernelFunction<Function>>& table,
                       std::string_view catalogue, std::string_view entry,
                       const Constants& constants) {
  const auto found = std::ranges::find_if(table, [&](const KernelFunction<Function>& f) {
    return catalogue == f.catalogue && entry == f.entry &&
           std::ranges::all_of(f.constants, [&](const auto& own) {
             return std::ranges::find(constants, own) != constants.end();
           });
  });
  return found == table.end() ? nullptr : found->function;
}

// Instances of a work package of a CPU; of map kernels a multiple of any register's width.
constexpr int kMapBlock = 128, kGroupBlock = 4;

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

void add_kernels(void (*add)(KernelTables& tables)) {
  const std::lock_guard lock(kernel_mutex());
  add(kernel_tables());
}

KernelSet::KernelSet(const char* catalogue, bool is_float, int group_size, Constants constants)
    : catalogue_(catalogue), group_size_(group_size), constants_(std::move(constants)) {
  constants_.emplace_back("REAL_IS_FLOAT", is_float ? 1 : 0);
  constants_.emplace_back("GROUP_SIZE", group_size);
}

// Every kernel is made once a process and never destroyed, so that its address stands for it.
const Kernel* KernelSet::find(KernelKind kind, const char* entry, const char* list) const {
  using Key = std::tuple<std::string, std::string, Constants>;
  static auto& made = *new std::map<Key, const Kernel*>;
  kernels::add_bifocal();
  const std::lock_guard lock(kernel_mutex());
  const KernelTables& tables = kernel_tables();
  const Kernel*& kernel = made[Key(catalogue_, entry, constants_)];
  if (!kernel)
    kernel = new Kernel{.entry = entry,
                        .text = catalogue_,
                        .constants = constants_,
                        .opencl_line = fmt::format("{}({}, {})", opencl_frame(kind), entry, list),
                        .cuda = find_function(tables.cuda, catalogue_, entry, constants_),
                        .cpu = find_function(tables.cpu, catalogue_, entry, constants_),
                        .cpu_block = kind == KernelKind::group ? kGroupBlock : kMapBlock};
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
