// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/device.hpp>

#include <hwy/highway.h>
#include <hwy/targets.h>
#include <tbb/info.h>
#include <unistd.h>

#include <fstream>

namespace bifocal {
namespace {

// "model name : X" of Linux; elsewhere (and on ARM, which has no such line) the architecture has to
// do.
std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return HWY_ARCH_X86 ? "x86-64 processor" : HWY_ARCH_ARM ? "ARM processor" : "processor";
}

// The best of the targets that this build holds and this machine has: the lowest bit, as Highway's
// dispatch chooses.
std::string simd_name() {
  const auto targets = hwy::SupportedTargets() & HWY_TARGETS;
  return targets == 0 ? "none" : hwy::TargetName(targets & -targets);
}

}  // namespace

std::vector<DeviceInfo> list_devices() {
  DeviceInfo cpu;
  cpu.id = "cpu";
  cpu.name = cpu_name();
  cpu.simd = simd_name();
  cpu.cores = tbb::info::default_concurrency();
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGE_SIZE);
  if (pages > 0 && page > 0) cpu.memory = std::int64_t{pages} * page;
  return {cpu};
}

}  // namespace bifocal
