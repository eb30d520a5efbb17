// SPDX-License-Identifier: BSD-3-Clause
// The devices that began a run of collect().
#include <bifocal/collect.hpp>
#include <bifocal/error.hpp>
#include <bifocal/device.hpp>

#include <fmt/format.h>

#include <optional>
#include <set>

#include "collection/collect/stages.hpp"

namespace bifocal {
namespace collection {
namespace {

std::string recorded_name_of(const DeviceInfo& info) {
  if (info.kind == DeviceKind::cpu) return "cpu " + info.simd;
  return info.kind == DeviceKind::opencl ? "opencl " + info.name : info.name;
}

std::string joined(const std::set<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

// A file with the setting "device" of earlier work on a database.
struct BegunWork {
  std::filesystem::path file;
  std::string device;  // recorded_name(); empty without earlier work
};

// Unreadable files are ignored here, because collect() reports them.
BegunWork begun_work(const std::filesystem::path& database, bool overwrite) {
  std::vector<std::filesystem::path> files = {database.string() + ".part"};
  if (!overwrite) files.push_back(database);
  for (const std::filesystem::path& file : files) {
    std::error_code none;
    if (!std::filesystem::is_regular_file(file, none)) continue;
    try {
      for (const auto& [name, value] : read_collect_summary(file).settings)
        if (name == "device") return {file, value};
    } catch (const Error&) {
      return {};
    }
  }
  return {};
}

// Returns one device for each recorded name, if this machine has them all.
std::optional<DeviceSet> devices_of_names(const std::string& recorded) {
  const auto is_recorded = [list = ", " + recorded + ", "](const std::string& name) {
    return list.find(", " + name + ", ") != std::string::npos;
  };
  // The search for GPUs starts their drivers.
  if (recorded == recorded_name_of(Device().info())) return DeviceSet(Device());
  std::vector<Device> devices;
  std::set<std::string> names;
  for (const DeviceInfo& info : list_devices()) {
    const std::string name = recorded_name_of(info);
    if (is_recorded(name) && names.insert(name).second) devices.emplace_back(info.id);
  }
  if (devices.empty() || joined(names) != recorded) return std::nullopt;
  return DeviceSet(std::move(devices), MixedDevices::allowed);
}

[[noreturn]] void fail_missing(const BegunWork& work) {
  std::string here;
  for (const DeviceInfo& info : list_devices())
    here += fmt::format("{}{} ({})", here.empty() ? "" : ", ", info.id, recorded_name_of(info));
  throw Error(ErrorCode::device,
              fmt::format("{}: this run began on '{}', which this machine does not have; it has "
                          "{}. Run the same command on the first machine, or start again with "
                          "overwrite (--overwrite)",
                          work.file.string(), work.device, here));
}

// Opens the first queue of each device, which creates its context.
void open_all(const BegunWork& work, const DeviceSet& devices) {
  try {
    for (const Device& device : devices.devices()) const Queue queue(device);
  } catch (const Error& e) {
    if (e.code() != ErrorCode::device) throw;
    throw Error(ErrorCode::device,
                fmt::format("{}: this run began on '{}' ({}), which cannot be used now: {}. Run "
                            "the same command when it can, or start again on another device "
                            "with overwrite (--overwrite --device cpu)",
                            work.file.string(), work.device, devices.id(), e.what()));
  }
}

}  // namespace

std::string recorded_name(const DeviceSet& devices) {
  std::set<std::string> names;
  for (const Device& device : devices.devices()) names.insert(recorded_name_of(device.info()));
  return joined(names);
}

}  // namespace collection

CollectDevices collect_devices(const std::filesystem::path& database, bool overwrite) {
  const collection::BegunWork work = collection::begun_work(database, overwrite);
  const auto begun = work.device.empty() ? std::nullopt : collection::devices_of_names(work.device);
  if (begun) {
    collection::open_all(work, *begun);
    return {*begun, {}};
  }
  if (!work.device.empty() && !overwrite) collection::fail_missing(work);
  const WorkingDevice best = best_working_device();
  return {best.device, best.warning};
}

}  // namespace bifocal
