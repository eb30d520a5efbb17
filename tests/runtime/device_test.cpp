// SPDX-License-Identifier: BSD-3-Clause
// Memory, copies and launches on every available device.
#include <bifocal/device.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "runtime/backend.hpp"
#include "runtime/download_tray.hpp"
#include "runtime/kernels.hpp"

namespace bifocal::test {
namespace {

std::vector<float> ramp(std::size_t n) {
  std::vector<float> values(n);
  std::iota(values.begin(), values.end(), 0.0F);
  return values;
}

class OnDevice : public testing::TestWithParam<std::string> {
 protected:
  Device device{GetParam()};
};

TEST_P(OnDevice, copies_come_back) {
  Queue queue(device);
  for (const std::size_t n : {0, 1, 3, 1000, 1 << 20}) {
    const std::vector<float> in = ramp(n);
    std::vector<float> out(n, -1);
    Buffer<float> buffer(device, n);
    buffer.upload(queue, in);
    buffer.download(queue, out);
    queue.wait();
    EXPECT_EQ(in, out) << n;
  }
}

// Some devices collect small copies; here they exceed the collecting buffer's capacity.
TEST_P(OnDevice, many_pending_copies_arrive) {
  Queue queue(device);
  const std::vector<float> in = ramp(1 << 18);
  Buffer<float> buffer(device, in.size());
  buffer.upload(queue, in);
  for (int round = 0; round < 2; ++round) {
    std::vector<std::vector<float>> out;
    for (std::size_t k = 0; k < 300; ++k)
      out.emplace_back(k % 100 == 99 ? in.size() : 7 * k, -1.0F);
    for (std::vector<float>& o : out) buffer.download(queue, o);
    queue.wait();
    for (const std::vector<float>& o : out)
      ASSERT_TRUE(std::ranges::equal(o, std::span(in).first(o.size()))) << o.size();
  }
}

// CUDA's queues collect small downloads in a DownloadTray, which works with memory of any device.
TEST(DownloadTray, delivers_placed_downloads) {
  const auto backend = runtime::make_cpu_backend();
  runtime::DownloadTray tray;
  std::vector<std::vector<char>> out;
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{65}, std::size_t{70000}})
    out.emplace_back(n, 'x');
  for (int round = 0; round < 2; ++round) {
    for (std::size_t k = 0; k < out.size(); ++k)
      if (void* place = tray.place(*backend, out[k].data(), out[k].size()))
        std::memset(place, 'a' + static_cast<int>(k), out[k].size());
      else
        ADD_FAILURE() << "no room for " << out[k].size();
    EXPECT_EQ(tray.place(*backend, out[0].data(), runtime::DownloadTray::kBytes), nullptr);
    EXPECT_EQ(out[3].front(), 'x');
    if (round == 0) tray.clear();  // these copies are dropped
    tray.hand_out();
    for (std::size_t k = 0; k < out.size(); ++k)
      EXPECT_EQ(out[k],
                std::vector<char>(out[k].size(), round == 0 ? 'x' : static_cast<char>('a' + k)));
  }
}

TEST_P(OnDevice, a_copy_of_fewer_numbers_leaves_the_rest) {
  Queue queue(device);
  Buffer<float> buffer(device, 10);
  const std::vector<float> front = {7, 8, 9};
  std::vector<float> values = ramp(10);
  buffer.upload(queue, values);
  buffer.upload(queue, front);
  queue.wait();
  buffer.download(queue, values);
  queue.wait();
  EXPECT_EQ(values, (std::vector<float>{7, 8, 9, 3, 4, 5, 6, 7, 8, 9}));
}

TEST_P(OnDevice, launches_of_a_queue_are_ordered) {
  Queue queue(device);
  const int n = 10000;
  const runtime::Kernel kernel = combine_kernel();
  std::vector<float> x = ramp(static_cast<std::size_t>(n)), y(x.size(), 1);
  Buffer<float> dx(device, x.size()), dy(device, x.size());
  dx.upload(queue, x);
  dy.upload(queue, y);
  for (int round = 0; round < 3; ++round) {
    const runtime::Argument arguments[] = {dx, dy, 2.0F, 0.5, std::int64_t{-3}, n};
    runtime::launch(queue, kernel, launch_of(n), arguments);
  }
  dy.download(queue, y);
  queue.wait();
  for (std::size_t i = 0; i < y.size(); ++i) {
    float expected = 1;
    for (int round = 0; round < 3; ++round) expected = 2 * expected + x[i] + 0.5F - 3 + 1;
    ASSERT_EQ(y[i], expected) << i;
  }
}

TEST_P(OnDevice, null_memory_is_a_null_address) {
  Queue queue(device);
  std::vector<float> y = ramp(5);
  Buffer<float> dy(device, y.size());
  dy.upload(queue, y);
  const runtime::Argument arguments[] = {
      Memory<const float>(), Memory<float>(dy), 1.0F, 0.0, std::int64_t{0}, 5};
  runtime::launch(queue, combine_kernel(), launch_of(5), arguments);
  dy.download(queue, y);
  queue.wait();
  EXPECT_EQ(y, (std::vector<float>{1, 2, 3, 4, 5}));
}

TEST_P(OnDevice, groups_share_local_memory) {
  // Local memory of the maximum size is also tested: CUDA requires an explicit request above
  // 48 KiB.
  const std::size_t all = device.info().kind == DeviceKind::cuda
                              ? static_cast<std::size_t>(device.info().local_memory)
                              : kGroup * sizeof(float);
  for (const std::size_t local_bytes : {kGroup * sizeof(float), all, kGroup * sizeof(float)}) {
    Queue queue(device);
    const int n = 10 * kGroup - 5;
    const std::vector<float> x(static_cast<std::size_t>(n), 2);
    std::vector<float> sums(10);
    Buffer<float> dx(device, x.size()), dsums(device, sums.size());
    dx.upload(queue, x);
    runtime::Launch launch = launch_of(n);
    launch.local_bytes = local_bytes;
    const runtime::Argument arguments[] = {dx, dsums, n};
    runtime::launch(queue, sum_groups_kernel(), launch, arguments);
    dsums.download(queue, sums);
    queue.wait();
    for (std::size_t g = 0; g < 10; ++g) EXPECT_EQ(sums[g], g < 9 ? 128 : 118) << g;
  }
}

TEST_P(OnDevice, resources_belong_to_the_launches_of_the_work) {
  Queue queue(device);
  Buffer<float> x(device, 3 * kGroup), sums(device, 3);
  runtime::Launch launch = launch_of(3 * kGroup);
  launch.local_bytes = kGroup * sizeof(float);
  const auto sum = [&] {
    const runtime::Argument arguments[] = {x, sums, 3 * kGroup};
    runtime::launch(queue, sum_groups_kernel(), launch, arguments);
  };
  sum();
  const std::vector<runtime::KernelResources> twice = runtime::resources_of([&] {
    sum();
    EXPECT_EQ(runtime::resources_of(sum).size(), 1U);
    sum();
  });
  EXPECT_THROW((void)runtime::resources_of([] { throw Error(ErrorCode::usage, "no work"); }),
               Error);
  queue.wait();
  ASSERT_EQ(twice.size(), 2U);
  for (const runtime::KernelResources& kernel : twice) {
    EXPECT_EQ(kernel.entry, sum_groups_kernel().entry);
    if (device.info().kind == DeviceKind::cpu) continue;
    EXPECT_EQ(kernel.groups, 3);
    EXPECT_EQ(kernel.group_size, kGroup);
    EXPECT_GE(kernel.local_bytes, static_cast<std::int64_t>(launch.local_bytes));
    if (device.info().kind != DeviceKind::cuda) continue;
    EXPECT_GT(kernel.registers, 0);
    EXPECT_GT(kernel.resident_groups, 0);
    EXPECT_GT(kernel.launched_occupancy, 0);
    EXPECT_LE(kernel.launched_occupancy, kernel.occupancy);
    EXPECT_LE(kernel.occupancy, 1);
  }
}

TEST_P(OnDevice, an_empty_launch_has_no_effect) {
  Queue queue(device);
  Buffer<float> x(device, 1);
  const runtime::Argument arguments[] = {x, x, 1.0F, 0.0, std::int64_t{0}, 0};
  EXPECT_NO_THROW(runtime::launch(queue, combine_kernel(), launch_of(0), arguments));
  EXPECT_NO_THROW(queue.wait());
}

TEST_P(OnDevice, queues_work_concurrently) {
  Queue queues[2] = {Queue(device), Queue(device)};
  const runtime::Kernel kernel = combine_kernel();
  const int n = 5000;
  std::vector<std::vector<float>> y(2, std::vector<float>(static_cast<std::size_t>(n), 1));
  std::vector<Buffer<float>> buffers;
  for (std::size_t q = 0; q < 2; ++q) {
    buffers.emplace_back(device, y[q].size());
    buffers[q].upload(queues[q], y[q]);
  }
  for (int round = 0; round < 5; ++round)
    for (std::size_t q = 0; q < 2; ++q) {
      const runtime::Argument arguments[] = {Memory<float>(),        buffers[q],      2.0F,
                                             static_cast<double>(q), std::int64_t{0}, n};
      runtime::launch(queues[q], kernel, launch_of(n), arguments);
    }
  for (std::size_t q = 0; q < 2; ++q) buffers[q].download(queues[q], y[q]);
  for (Queue& queue : queues) queue.wait();
  EXPECT_EQ(y[0].back(), 63);  // 2 y + 1, five times
  EXPECT_EQ(y[1].back(), 94);  // 2 y + 2
}

std::string test_name(const testing::TestParamInfo<std::string>& device) {
  std::string name = device.param;
  std::replace(name.begin(), name.end(), ':', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(All, OnDevice, testing::ValuesIn(device_ids()), test_name);

}  // namespace
}  // namespace bifocal::test
