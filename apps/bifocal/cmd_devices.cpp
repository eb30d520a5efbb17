// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <bifocal/device.hpp>
#include <bifocal/version.hpp>

#include <memory>

#include "cli.hpp"

namespace bifocal::cli {
namespace {

constexpr const char* kAbsent =
    "CUDA and OpenCL devices are not supported by this version: there is nothing to install for "
    "them.";

std::string as_text(const std::vector<DeviceInfo>& devices) {
  std::string text;
  for (const DeviceInfo& d : devices) {
    text += fmt::format("{:<6}{}, {} core{}, {} SIMD, {:.1f} GiB memory\n", d.id, d.name, d.cores,
                        d.cores == 1 ? "" : "s", d.simd, static_cast<double>(d.memory) / (1 << 30));
  }
  return text + kAbsent + "\n";
}

std::string as_json(const std::vector<DeviceInfo>& devices) {
  Json list = Json::array();
  for (const DeviceInfo& d : devices) {
    list.push_back({{"id", d.id},
                    {"name", d.name},
                    {"simd", d.simd},
                    {"cores", d.cores},
                    {"memory_bytes", d.memory}});
  }
  return to_text({{"version", BIFOCAL_VERSION}, {"devices", list}, {"note", kAbsent}});
}

}  // namespace

void add_devices(CLI::App& app, Context&) {
  CLI::App* command = app.add_subcommand("devices", "List what this build can compute on");
  const auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "print JSON");
  command->callback(
      [json] { print_out(*json ? as_json(list_devices()) : as_text(list_devices())); });
}

}  // namespace bifocal::cli
