// SPDX-License-Identifier: BSD-3-Clause
// Several devices of a machine that share the work on many images or pairs:
//
//   colmap::verify(DeviceSet("cuda:all"), "database.db", {});
//
// Work goes in pieces to whichever device is free; what is written is the same, byte for byte,
// whatever their number.
#pragma once

#include <bifocal/device.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace bifocal {

// Kinds of devices round the last bits otherwise, and chance decides which of them has a piece.
enum class MixedDevices {
  refused,
  allowed,  // results may differ from one run to the next, by as much as from kind to kind
};

class DeviceSet {
 public:
  // One. Queues of its own are made where several are needed.
  DeviceSet(const Device& device) : devices_{device} {}
  DeviceSet(const Queue& queue) : DeviceSet(queue.device()) {}
  // "cuda:0", "cuda:all", "cuda:0,cuda:1", "cpu,cpu": what Device takes, or all of a kind, with
  // commas between. One that is there twice has two pieces at the same time. Throws Error(usage)
  // for an empty place, and for devices that differ in kind, name or driver unless that is allowed;
  // Error(device) naming what there is and what is missing.
  explicit DeviceSet(std::string_view list, MixedDevices mixed = MixedDevices::refused);
  // The same for devices at hand; at least one.
  explicit DeviceSet(std::vector<Device> devices, MixedDevices mixed = MixedDevices::refused);

  [[nodiscard]] const std::vector<Device>& devices() const { return devices_; }
  [[nodiscard]] bool is_mixed() const;
  // "cuda:0,cuda:1"; with other names for "all", "cuda" and "auto".
  [[nodiscard]] std::string id() const;

 private:
  std::vector<Device> devices_;
};

}  // namespace bifocal
