// SPDX-License-Identifier: BSD-3-Clause
// The CPU as a device: its memory is host memory, and its queue executes immediately.
#include <fmt/format.h>
#include <hwy/highway.h>
#include <hwy/targets.h>
#include <tbb/info.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <functional>
#include <new>

#include "runtime/backend.hpp"
#include "runtime/cancel.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::runtime {
namespace {

constexpr std::align_val_t kAlignment{128};  // two cache lines, at least one SIMD register

// Returns the "model name" that Linux reports. Elsewhere, and on ARM, which has no such line,
// returns the architecture.
std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return HWY_ARCH_X86 ? "x86-64 processor" : HWY_ARCH_ARM ? "ARM processor" : "processor";
}

// Returns the best SIMD target that this build contains and this machine supports: the lowest bit,
// as in Highway's dispatch.
std::string simd_name() {
  const auto targets = hwy::SupportedTargets() & HWY_TARGETS;
  return targets == 0 ? "none" : hwy::TargetName(targets & -targets);
}

std::int64_t page_bytes(int pages_of) {
  const long pages = sysconf(pages_of), page = sysconf(_SC_PAGE_SIZE);
  return pages > 0 && page > 0 ? std::int64_t{pages} * page : 0;
}

DeviceInfo cpu_info() {
  DeviceInfo cpu;
  cpu.id = "cpu";
  cpu.name = cpu_name();
  cpu.simd = simd_name();
  cpu.cores = tbb::info::default_concurrency();
  cpu.memory = page_bytes(_SC_PHYS_PAGES);
  cpu.largest_buffer = cpu.memory;
  return cpu;
}

// Copies in steps and tests for cancellation between them: writes to new memory take much longer
// than writes to memory in use.
void copy(char* to, const char* from, std::size_t bytes) {
  constexpr std::size_t kStep = std::size_t{4} << 20;
  for (std::size_t at = 0; at < bytes; at += kStep) {
    check_cancelled();
    std::memcpy(to + at, from + at, std::min(kStep, bytes - at));
  }
}

// Returns aligned host memory. Linux grants more memory than exists, so requests beyond the
// machine's memory are rejected here.
void* allocate_bytes(const DeviceInfo& cpu, std::size_t bytes) {
  const bool possible = cpu.memory == 0 || bytes <= static_cast<std::size_t>(cpu.memory);
  void* memory = possible ? ::operator new(bytes, kAlignment, std::nothrow) : nullptr;
  if (!memory)
    throw Error(ErrorCode::device,
                fmt::format("cpu: out of memory: {} bytes requested, {} of {} free", bytes,
                            page_bytes(_SC_AVPHYS_PAGES), cpu.memory));
  return memory;
}

class CpuMemory final : public BackendMemory {
 public:
  using BackendMemory::BackendMemory;
  ~CpuMemory() override { ::operator delete(address(), kAlignment); }
};

class CpuQueue final : public BackendQueue {
 public:
  void wait() override {}

  void upload(BackendMemory& to, const Rectangle& r, const void* from) override {
    char* device = static_cast<char*>(to.address()) + r.offset;
    const char* host = static_cast<const char*>(from);
    for (std::size_t row = 0; row < r.rows; ++row)
      copy(device + row * r.pitch, host + row * r.host_pitch, r.row_bytes);
  }

  void download(const BackendMemory& from, const Rectangle& r, void* to) override {
    const char* device = static_cast<const char*>(from.address()) + r.offset;
    char* host = static_cast<char*>(to);
    for (std::size_t row = 0; row < r.rows; ++row)
      copy(host + row * r.host_pitch, device + row * r.pitch, r.row_bytes);
  }

  void launch(const Kernel& kernel, const Launch& launch,
              std::span<const Argument> arguments) override {
    if (!kernel.cpu)
      throw Error(ErrorCode::device, fmt::format("cpu: no kernel {} for the CPU", kernel.entry));
    std::array<const void*, kMostArguments> values{};
    for (std::size_t i = 0; i < arguments.size(); ++i) values.at(i) = arguments[i].value();
    const int block = std::max(1, kernel.cpu_block);
    const auto work = [&](int package) {
      const int begin = package * block;
      kernel.cpu(values.data(), begin, begin + std::min(block, launch.count - begin));
    };
    // Passed by reference, so that no memory is allocated.
    parallel_for((launch.count - 1) / block + 1, std::ref(work));
  }
};

class CpuBackend final : public Backend {
 public:
  CpuBackend() : Backend(cpu_info()) {}
  std::shared_ptr<BackendMemory> allocate(std::size_t bytes) override {
    return std::make_shared<CpuMemory>(*this, allocate_bytes(info_, bytes), bytes);
  }
  std::shared_ptr<BackendMemory> slice(const std::shared_ptr<BackendMemory>& memory,
                                       std::size_t offset, std::size_t bytes) override {
    return std::make_shared<MemorySlice>(memory, offset, bytes);
  }
  std::unique_ptr<BackendQueue> make_queue() override { return std::make_unique<CpuQueue>(); }
  void* allocate_host(std::size_t bytes) override { return allocate_bytes(info_, bytes); }
  void free_host(void* memory) noexcept override { ::operator delete(memory, kAlignment); }
  bool is_page_locked(const void*) const override { return false; }
};

}  // namespace

std::shared_ptr<Backend> make_cpu_backend() { return std::make_shared<CpuBackend>(); }

}  // namespace bifocal::runtime
