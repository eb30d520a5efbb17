// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/device.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace bifocal {
namespace {

bool is_same_kind(const Device& a, const Device& b) {
  const DeviceInfo &x = a.info(), &y = b.info();
  return x.kind == y.kind && x.name == y.name && x.driver == y.driver;
}

std::vector<Device> devices_of(std::string_view list) {
  std::vector<Device> devices;
  std::string_view rest = list;
  for (bool is_last = false; !is_last;) {
    const std::size_t comma = rest.find(',');
    is_last = comma == std::string_view::npos;
    const std::string_view id = rest.substr(0, comma);
    if (id.empty())
      throw Error(
          ErrorCode::usage,
          fmt::format("device '{}': a list has names of devices with commas between", list));
    rest.remove_prefix(is_last ? rest.size() : comma + 1);
    const std::size_t before = devices.size();
    if (id == "cuda:all" || id == "opencl:all") {
      const DeviceKind kind = id == "cuda:all" ? DeviceKind::cuda : DeviceKind::opencl;
      for (const DeviceInfo& info : list_devices())
        if (info.kind == kind) devices.emplace_back(info.id);
      for (const MissingDevices& missing : missing_devices())
        if (missing.kind == kind && devices.size() == before)
          throw Error(ErrorCode::device,
                      fmt::format("device '{}': {}; {}", id, missing.reason, missing.remedy));
    } else {
      devices.emplace_back(id);
    }
  }
  return devices;
}

}  // namespace

DeviceSet::DeviceSet(std::string_view list, MixedDevices mixed)
    : DeviceSet(devices_of(list), mixed) {}

DeviceSet::DeviceSet(std::vector<Device> devices, MixedDevices mixed)
    : devices_(std::move(devices)) {
  if (devices_.empty()) throw Error(ErrorCode::usage, "DeviceSet: no device is given");
  if (mixed == MixedDevices::allowed) return;
  for (const Device& other : devices_) {
    const DeviceInfo &a = devices_.front().info(), &b = other.info();
    if (!is_same_kind(devices_.front(), other))
      throw Error(ErrorCode::usage,
                  fmt::format("devices {} ({}) and {} ({}): devices of another kind, name or "
                              "driver may differ in the last bits, and the division of work is not "
                              "deterministic; mixing must be allowed explicitly",
                              a.id, a.name, b.id, b.name));
  }
}

bool DeviceSet::is_mixed() const {
  return !std::all_of(devices_.begin(), devices_.end(),
                      [this](const Device& d) { return is_same_kind(d, devices_.front()); });
}

std::string DeviceSet::id() const {
  std::string all;
  for (const Device& device : devices_) all += (all.empty() ? "" : ",") + device.info().id;
  return all;
}

}  // namespace bifocal
