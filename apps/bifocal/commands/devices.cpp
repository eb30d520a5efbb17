// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <bifocal/device.hpp>
#include <bifocal/version.hpp>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "arguments.hpp"
#include "cli.hpp"

namespace bifocal::cli {
namespace {

const char* name_of(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::cuda:
      return "cuda";
    case DeviceKind::opencl:
      return "opencl";
    case DeviceKind::cpu:
      break;
  }
  return "cpu";
}

std::string gibibytes(std::int64_t bytes) {
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1 << 30));
}

// Describes how threads of the device can cooperate.
std::string abilities(const DeviceInfo& d) {
  std::string text;
  if (d.lockstep > 1) text += fmt::format(", warps of {}", d.lockstep);
  if (d.lockstep == 1 && d.subgroup > 0) text += fmt::format(", sub-groups of {}", d.subgroup);
  if (d.inline_ptx) text += ", PTX";
  if (d.tensor_cores) text += ", tensor cores";
  return text + (d.group_code ? ", one group per matrix" : ", one thread per matrix");
}

std::string as_text(const DeviceInfo& d) {
  if (d.kind == DeviceKind::cpu)
    return fmt::format("{:<9} {}, {} core{}, {} SIMD, {} memory\n", d.id, d.name, d.cores,
                       d.cores == 1 ? "" : "s", d.simd, gibibytes(d.memory));
  return fmt::format(
      "{:<9} {}, {} units, {} memory ({} at once), {} KiB local, groups of {}, {}{}\n{:<9} driver "
      "{}\n",
      d.id, d.name, d.cores, gibibytes(d.memory), gibibytes(d.largest_buffer),
      d.local_memory / 1024, d.max_group, d.has_double ? "double" : "no double", abilities(d), "",
      d.driver);
}

std::string as_text() {
  std::string text;
  const std::vector<DeviceInfo> devices = list_devices();
  const auto has_kind = [&](DeviceKind kind) {
    return std::ranges::any_of(devices, [&](const DeviceInfo& d) { return d.kind == kind; });
  };
  for (const DeviceInfo& d : devices) text += as_text(d);
  for (const MissingDevices& m : missing_devices())
    text += fmt::format("no {}{} device: {}; remedy: {}\n", has_kind(m.kind) ? "further " : "",
                        m.kind == DeviceKind::cuda ? "CUDA" : "OpenCL", m.reason, m.remedy);
  return text;
}

std::string as_json() {
  Json devices = Json::array(), missing = Json::array();
  for (const DeviceInfo& d : list_devices()) {
    devices.push_back({{"id", d.id},
                       {"kind", name_of(d.kind)},
                       {"name", d.name},
                       {"driver", d.driver},
                       {"simd", d.simd},
                       {"cores", d.cores},
                       {"memory_bytes", d.memory},
                       {"largest_buffer_bytes", d.largest_buffer},
                       {"local_memory_bytes", d.local_memory},
                       {"max_group", d.max_group},
                       {"double", d.has_double},
                       {"gpu", d.is_gpu},
                       {"lockstep", d.lockstep},
                       {"subgroup", d.subgroup},
                       {"inline_ptx", d.inline_ptx},
                       {"tensor_cores", d.tensor_cores},
                       {"group_code", d.group_code}});
  }
  for (const MissingDevices& m : missing_devices())
    missing.push_back({{"kind", name_of(m.kind)}, {"reason", m.reason}, {"remedy", m.remedy}});
  return to_text({{"version", BIFOCAL_VERSION}, {"devices", devices}, {"missing", missing}});
}

}  // namespace

void add_devices(Program& program, Context&) {
  const Command command =
      program.command("devices", "List the available devices, and remedies for unavailable ones");
  const auto json = std::make_shared<bool>(false);
  command.flag("--json", *json, "print JSON");
  command.runs([json] { print_out(*json ? as_json() : as_text()); });
}

}  // namespace bifocal::cli
