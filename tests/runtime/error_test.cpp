// SPDX-License-Identifier: BSD-3-Clause
// Error messages name the operation, the place and the numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "runtime/backend.hpp"
#include "runtime/built_parts.h"
#include "runtime/kernels.hpp"
#if BIFOCAL_HAS_OPENCL
#include "runtime/opencl/source.hpp"
#endif

namespace bifocal::test {
namespace {

// Returns the message of the error that `action` throws.
std::string message_of(ErrorCode code, const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), code) << e.what();
    return e.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

void expect_words(const std::string& message, const std::vector<std::string>& words) {
  for (const std::string& word : words)
    EXPECT_NE(message.find(word), std::string::npos) << word << " is not in: " << message;
}

TEST(Devices, the_cpu_is_first_and_every_id_opens) {
  const std::vector<DeviceInfo> devices = list_devices();
  ASSERT_FALSE(devices.empty());
  EXPECT_EQ(devices[0].id, "cpu");
  for (const DeviceInfo& info : devices) {
    const Device device(info.id);
    EXPECT_EQ(device.info().id, info.id);
    EXPECT_FALSE(info.name.empty());
    EXPECT_GT(info.memory, 0);
    EXPECT_GT(info.cores, 0);
    EXPECT_EQ(device, Device(info.id));
  }
  EXPECT_EQ(Device(), Device("cpu"));
}

TEST(Devices, each_kind_is_listed_or_missing_with_a_remedy) {
  for (const DeviceKind kind : {DeviceKind::cuda, DeviceKind::opencl}) {
    const auto devices = list_devices();
    const auto missing = missing_devices();
    const auto is_kind = [&](const auto& d) { return d.kind == kind; };
    const auto found = std::find_if(missing.begin(), missing.end(), is_kind);
    EXPECT_TRUE(std::any_of(devices.begin(), devices.end(), is_kind) || found != missing.end());
    if (found == missing.end()) continue;
    EXPECT_FALSE(found->reason.empty());
    EXPECT_FALSE(found->remedy.empty());
  }
}

TEST(Devices, auto_is_the_best_and_a_kind_is_its_first) {
  EXPECT_TRUE(Device("auto").info().is_gpu || Device("auto").info().kind == DeviceKind::cpu);
  for (const char* kind : {"cuda", "opencl"}) {
    const auto ids = device_ids();
    const std::string first = std::string(kind) + ":0";
    if (std::find(ids.begin(), ids.end(), first) != ids.end()) {
      EXPECT_EQ(Device(kind), Device(first));
    } else {
      EXPECT_THROW(Device{kind}, Error);
    }
  }
}

TEST(Devices, invalid_names_are_refused) {
  for (const char* id :
       {"opencl:x", "opencl:", "opencl:-1", "opencl:0 ", "cuda0", "gpu", "CPU", "cpu:0", ""}) {
    const std::string message = message_of(ErrorCode::usage, [&] { Device{id}; });
    expect_words(message, {std::string("'") + id + "'", "cpu, auto, cuda, cuda:NUMBER"});
  }
}

TEST(Devices, unknown_devices_are_refused_with_a_list) {
  for (const char* id : {"cuda:99", "opencl:99", "cuda:18446744073709551616"}) {
    const std::string message = message_of(ErrorCode::device, [&] { Device{id}; });
    expect_words(message, {std::string("'") + id + "'", "cpu (" + Device().info().name});
    for (const MissingDevices& missing : missing_devices())
      expect_words(message, {missing.reason, missing.remedy});
  }
}

class DeviceErrors : public testing::TestWithParam<std::string> {
 protected:
  Device device{GetParam()};
  Queue queue{device};
  bool is_cpu = device.info().kind == DeviceKind::cpu;
};

TEST_P(DeviceErrors, too_much_memory_names_the_sizes) {
  const std::size_t bytes = std::size_t{1} << 50;
  const std::string message =
      message_of(ErrorCode::device, [&] { Buffer<char> buffer(device, bytes); });
  expect_words(message, {device.info().id, "out of memory", std::to_string(bytes), "free"});
  EXPECT_THROW(Buffer<double>(device, std::size_t{1} << 62), Error);
  EXPECT_THROW(HostBuffer<char>(device, bytes), Error);
  Buffer<float> small(device, 10);  // and the device still works
  std::vector<float> values(10, 3), back(10);
  small.upload(queue, values);
  small.download(queue, back);
  queue.wait();
  EXPECT_EQ(back, values);
}

TEST_P(DeviceErrors, copies_beyond_a_buffer_are_refused) {
  Buffer<float> buffer(device, 3);
  std::vector<float> four(4);
  expect_words(message_of(ErrorCode::usage, [&] { buffer.upload(queue, four); }), {"4", "3"});
  expect_words(message_of(ErrorCode::usage, [&] { buffer.download(queue, four); }), {"4", "3"});
}

TEST_P(DeviceErrors, a_missing_kernel_is_named) {
  runtime::Kernel kernel = combine_kernel();
  kernel.entry = "no_such_kernel";
  kernel.cuda = nullptr;
  kernel.cpu = nullptr;
  expect_words(
      message_of(ErrorCode::device, [&] { runtime::launch(queue, kernel, launch_of(1), {}); }),
      {device.info().id, "no_such_kernel"});
}

TEST_P(DeviceErrors, memory_of_another_device_is_refused) {
  if (is_cpu) GTEST_SKIP() << "the host's memory is the CPU's";
  std::vector<float> host(1);
  Buffer<float> here(device, 1), there(Device(), 1);
  for (const runtime::Argument& wrong :
       {runtime::Argument(Memory<float>(host.data())), runtime::Argument(there)}) {
    const runtime::Argument arguments[] = {wrong, here, 1.0F, 0.0, std::int64_t{0}, 1};
    expect_words(
        message_of(ErrorCode::usage,
                   [&] { runtime::launch(queue, combine_kernel(), launch_of(1), arguments); }),
        {"argument 0", "combine"});
  }
  EXPECT_THROW(there.upload(queue, host), Error);
}

TEST_P(DeviceErrors, launches_beyond_the_limits_name_them) {
  if (is_cpu) GTEST_SKIP() << "it has no groups";
  Buffer<float> x(device, 1);
  const runtime::Argument arguments[] = {x, x, 1.0F, 0.0, std::int64_t{0}, 1};
  runtime::Launch launch = launch_of(1);
  launch.group_size = device.info().max_group + 1;
  expect_words(message_of(ErrorCode::device,
                          [&] { runtime::launch(queue, combine_kernel(), launch, arguments); }),
               {std::to_string(device.info().max_group)});
  launch = launch_of(1);
  launch.local_bytes = static_cast<std::size_t>(device.info().local_memory) + 1;
  expect_words(message_of(ErrorCode::device,
                          [&] { runtime::launch(queue, combine_kernel(), launch, arguments); }),
               {std::to_string(device.info().local_memory)});
}

#if BIFOCAL_HAS_OPENCL
TEST_P(DeviceErrors, a_source_that_does_not_build_gives_the_drivers_log) {
  if (device.info().kind != DeviceKind::opencl) GTEST_SKIP() << "nothing is built";
  runtime::add_opencl_source({"broken", "kernel void broken() { int x = no_such_word; }"});
  runtime::Kernel kernel{.entry = "broken", .source = "broken", .constants = {{"SIZE", 3}}};
  for (int round = 0; round < 2; ++round)
    expect_words(
        message_of(ErrorCode::device, [&] { runtime::launch(queue, kernel, launch_of(1), {}); }),
        {device.info().id, "'broken'", "-D SIZE=3", "no_such_word"});
  kernel.source = "no source of this name";
  expect_words(
      message_of(ErrorCode::device, [&] { runtime::launch(queue, kernel, launch_of(1), {}); }),
      {"'no source of this name'"});
}

TEST_P(DeviceErrors, mismatched_kernel_arguments_are_refused) {
  if (device.info().kind != DeviceKind::opencl) GTEST_SKIP() << "only OpenCL knows";
  Buffer<float> x(device, 1);
  const runtime::Argument wrong_size[] = {x, x, 1.0, 0.0, std::int64_t{0}, 1};
  expect_words(
      message_of(ErrorCode::device,
                 [&] { runtime::launch(queue, combine_kernel(), launch_of(1), wrong_size); }),
      {"combine", "argument 2"});
}
#endif

std::string test_name(const testing::TestParamInfo<std::string>& device) {
  std::string name = device.param;
  std::replace(name.begin(), name.end(), ':', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(All, DeviceErrors, testing::ValuesIn(device_ids()), test_name);

}  // namespace
}  // namespace bifocal::test
