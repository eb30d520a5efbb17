// SPDX-License-Identifier: BSD-3-Clause
// Lists of devices, and the combinations that may work together.
#include <bifocal/device.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace bifocal::test {
namespace {

// Returns the code and the message of the error for this list.
std::pair<ErrorCode, std::string> refused(const std::string& list) {
  try {
    (void)DeviceSet(list);
  } catch (const Error& error) {
    return {error.code(), error.what()};
  }
  return {ErrorCode::input, "nothing was thrown for '" + list + "'"};
}

TEST(DeviceSet, is_a_list_or_all_of_a_kind) {
  EXPECT_EQ(DeviceSet("cpu").id(), "cpu");
  EXPECT_EQ(DeviceSet("cpu,cpu").id(), "cpu,cpu");
  EXPECT_EQ(DeviceSet("cpu,cpu").devices().size(), 2U);
  EXPECT_EQ(DeviceSet(Device()).id(), "cpu");
  const Queue queue;
  EXPECT_EQ(DeviceSet(queue).id(), "cpu");
  EXPECT_EQ(DeviceSet("auto").id(), Device("auto").info().id);
  for (const auto& [kind, name] :
       {std::pair(DeviceKind::cuda, "cuda"), std::pair(DeviceKind::opencl, "opencl")}) {
    std::string all;
    for (const DeviceInfo& info : list_devices())
      if (info.kind == kind) all += (all.empty() ? "" : ",") + info.id;
    const std::string list = std::string(name) + ":all";
    if (all.empty()) {
      EXPECT_EQ(refused(list).first, ErrorCode::device);
      EXPECT_NE(refused(list).second.find(list), std::string::npos) << refused(list).second;
    } else {
      EXPECT_EQ(DeviceSet(list, MixedDevices::allowed).id(), all);
      EXPECT_EQ(DeviceSet(name).id(), std::string(name) + ":0");
    }
  }
}

TEST(WorkingDevice, IsTheBestDeviceOrTheCpuWithAWarning) {
  const WorkingDevice best = best_working_device();
  EXPECT_EQ(best.device == Device("auto"), best.warning.empty());
  const auto of = [](ErrorCode code) {
    return working_or_cpu(Device(), [&](const Device&) { throw Error(code, "out of memory"); });
  };
  const WorkingDevice busy = of(ErrorCode::device);
  EXPECT_EQ(busy.device, Device());
  EXPECT_NE(busy.warning.find("cannot be used, the CPU is used instead: out of memory"),
            std::string::npos)
      << busy.warning;
  EXPECT_THROW((void)of(ErrorCode::usage), Error);
}

TEST(DeviceSet, refuses_invalid_lists) {
  for (const char* list : {"", ",", "cpu,", ",cpu", "cpu,,cpu"}) {
    EXPECT_EQ(refused(list).first, ErrorCode::usage) << list;
    EXPECT_NE(refused(list).second.find("device '" + std::string(list) + "'"), std::string::npos)
        << refused(list).second;
  }
  for (const char* list : {"cpu,gpu", "cpu, cpu", "cpu:all", "all"})
    EXPECT_EQ(refused(list).first, ErrorCode::usage) << list;
  EXPECT_EQ(refused("cuda:99").first, ErrorCode::device);
  EXPECT_THROW(DeviceSet(std::vector<Device>()), Error);
}

TEST(DeviceSet, mixes_kinds_on_request) {
  EXPECT_FALSE(DeviceSet("cpu,cpu").is_mixed());
  const auto devices = list_devices();
  if (devices.size() == 1) GTEST_SKIP() << "there is no device beside the CPU";
  const std::string list = "cpu," + devices[1].id;
  EXPECT_EQ(refused(list).first, ErrorCode::usage);
  EXPECT_NE(refused(list).second.find(devices[1].name), std::string::npos);
  const DeviceSet mixed(list, MixedDevices::allowed);
  EXPECT_TRUE(mixed.is_mixed());
  EXPECT_EQ(mixed.id(), list);
}

}  // namespace
}  // namespace bifocal::test
