// SPDX-License-Identifier: BSD-3-Clause
// Batches of host memory processed in pieces, rectangular copies, workspaces.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <stdexcept>

#include "runtime/backend.hpp"
#include "runtime/kernels.hpp"
#include "runtime/recording.hpp"
#include "runtime/staging.hpp"
#include "runtime/workspace.hpp"

namespace bifocal::test {
namespace {

using runtime::Batch;
using runtime::BatchArray;
using runtime::Piece;

class BatchOn : public testing::TestWithParam<std::string> {
 protected:
  Device device{GetParam()};
  Queue queue{device};
};

TEST_P(BatchOn, rectangles_are_copied_row_by_row) {
  // Three rows of two numbers: 5 apart on the host; 4 apart on the device, starting at number 1.
  std::vector<float> in(15), device_side(13, -1), out(15, -2);
  std::iota(in.begin(), in.end(), 0.0F);
  Buffer<float> buffer(device, device_side.size());
  buffer.upload(queue, device_side);
  const runtime::Rectangle r{.offset = sizeof(float),
                             .row_bytes = 2 * sizeof(float),
                             .rows = 3,
                             .pitch = 4 * sizeof(float),
                             .host_pitch = 5 * sizeof(float)};
  runtime::upload(queue, *buffer.memory(), r, in.data());
  runtime::download(queue, *buffer.memory(), r, out.data());
  buffer.download(queue, device_side);
  queue.wait();
  EXPECT_EQ(device_side, (std::vector<float>{-1, 0, 1, -1, -1, 5, 6, -1, -1, 10, 11, -1, -1}));
  EXPECT_EQ(out, (std::vector<float>{0, 1, -2, -2, -2, 5, 6, -2, -2, -2, 10, 11, -2, -2, -2}));
}

TEST_P(BatchOn, rectangles_out_of_bounds_are_refused) {
  Buffer<float> buffer(device, 10);
  std::vector<float> host(100);
  for (const runtime::Rectangle r : {runtime::Rectangle{.offset = 4, .row_bytes = 40},
                                     {.row_bytes = 8, .rows = 3, .pitch = 20, .host_pitch = 8},
                                     {.row_bytes = 8, .rows = 3, .pitch = 4, .host_pitch = 8}}) {
    EXPECT_THROW(runtime::upload(queue, *buffer.memory(), r, host.data()), Error);
    EXPECT_THROW(runtime::download(queue, *buffer.memory(), r, host.data()), Error);
  }
}

// Work that sees only arrays and strides: out = in + 1 + 1 (the kernel's constant) for every number
// of a batch with `numbers` per matrix; ids gets 7 + 1 for every instance.
struct AddOne {
  int numbers;
  Batch batch;
  void operator()(const Piece& p) const {
    const runtime::Kernel kernel = combine_kernel();
    const auto launch = [&](const runtime::Argument& x, const runtime::Argument& y, double k,
                            std::ptrdiff_t n) {
      const runtime::Argument arguments[] = {x, y, 0.0F, k, std::int64_t{0}, static_cast<int>(n)};
      runtime::launch(p.queue, kernel, launch_of(static_cast<int>(n)), arguments);
    };
    const std::ptrdiff_t rows = batch.interleaved ? numbers : p.count;
    const std::ptrdiff_t row = batch.interleaved ? p.count : numbers;
    EXPECT_EQ(p.strides[0], p.strides[1]);
    launch(p.arrays[0], p.arrays[1], 1, (rows - 1) * p.strides[0] + row);
    if (p.arrays[2].memory() || p.arrays[2].on_host())
      launch(Memory<float>(), p.arrays[2], 7, p.count);
  }
};

struct Data {
  Data(const Batch& batch, int numbers, int row_stride) {
    const int rows = batch.interleaved ? numbers : batch.count;
    in.resize(static_cast<std::size_t>(rows * row_stride));
    std::iota(in.begin(), in.end(), 0.0F);
    out.assign(in.size(), -1);
    ids.assign(static_cast<std::size_t>(batch.count), -1);
    row = static_cast<std::size_t>(batch.interleaved ? batch.count : numbers);
    stride = static_cast<std::size_t>(row_stride);
  }
  void expect_done(bool gaps_kept) const {
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (i % stride < row) {
        ASSERT_EQ(out[i], in[i] + 2) << i;
      } else if (gaps_kept) {
        ASSERT_EQ(out[i], -1) << i;
      }
    }
    for (const float id : ids) ASSERT_EQ(id, 8);
  }
  std::vector<float> in, out, ids;
  std::size_t row, stride;
};

TEST_P(BatchOn, pieces_of_host_memory_make_the_whole) {
  for (const bool interleaved : {true, false})
    for (const int count : {1, 31, 1000, 4099})
      for (const int gap : {0, 3})
        for (const std::size_t piece_bytes : {1 << 12, 1 << 25}) {
          const int numbers = 5;
          const Batch batch{count, interleaved};
          const int stride = (interleaved ? count : numbers) + gap;
          Data d(batch, numbers, stride);
          const BatchArray arrays[] = {
              runtime::input(Memory<const float>(d.in.data()), numbers, stride),
              runtime::output(Memory<float>(d.out.data()), numbers, stride),
              runtime::output(Memory<float>(d.ids.data()), 1, 1)};
          runtime::for_each_piece(queue, batch, arrays, AddOne{numbers, batch}, piece_bytes);
          d.expect_done(device.info().kind != DeviceKind::cpu);
        }
}

TEST_P(BatchOn, page_locked_memory_is_copied_without_a_detour) {
  const Batch batch{3000, true};
  Data d(batch, 4, 3100);
  HostBuffer<float> in(device, d.in.size()), out(device, d.in.size());
  std::copy(d.in.begin(), d.in.end(), in.data());
  std::fill_n(out.data(), out.size(), -1.0F);
  const BatchArray arrays[] = {runtime::input(Memory<const float>(in.data()), 4, 3100),
                               runtime::output(Memory<float>(out.data()), 4, 3100),
                               runtime::output(Memory<float>(d.ids.data()), 1, 1)};
  runtime::for_each_piece(queue, batch, arrays, AddOne{4, batch}, 1 << 13);
  std::copy_n(out.data(), out.size(), d.out.data());
  d.expect_done(device.info().kind != DeviceKind::cpu);
  if (device.info().kind != DeviceKind::cpu) {
    EXPECT_TRUE(runtime::backend_of(device)->is_page_locked(in.data() + in.size() - 1));
    EXPECT_FALSE(runtime::backend_of(device)->is_page_locked(d.in.data()));
  }
}

TEST_P(BatchOn, arrays_of_both_sides_work_together) {
  for (const bool interleaved : {true, false}) {
    const Batch batch{100, interleaved};
    const int numbers = 5, stride = interleaved ? 110 : 5;
    Data d(batch, numbers, stride);
    Buffer<float> in(device, d.in.size());
    in.upload(queue, d.in);
    const BatchArray arrays[] = {runtime::input(Memory<const float>(in), numbers, stride),
                                 runtime::output(Memory<float>(d.out.data()), numbers, stride),
                                 runtime::output(Memory<float>(d.ids.data()), 1, 0)};
    runtime::for_each_piece(
        queue, {100, interleaved}, interleaved ? std::span(arrays) : std::span(arrays).first(2),
        [&](const Piece& p) {
          if (interleaved) return AddOne{numbers, batch}(p);
          const runtime::Argument three[] = {p.arrays[0], p.arrays[1], Memory<float>()};
          AddOne{numbers, batch}(Piece{p.queue, 0, p.count, three, p.strides});
          std::fill(d.ids.begin(), d.ids.end(), 8.0F);
        });
    d.expect_done(device.info().kind != DeviceKind::cpu);
  }
}

TEST_P(BatchOn, empty_and_null_arrays_are_allowed) {
  std::vector<float> values(10);
  const BatchArray none[] = {runtime::input(Memory<const float>(), 5, 0),
                             runtime::output(Memory<float>(values.data()), 1, 1)};
  int calls = 0;
  runtime::for_each_piece(queue, {0, true}, none, [&](const Piece&) { ++calls; });
  EXPECT_EQ(calls, 0);
  runtime::for_each_piece(queue, {10, true}, none, [&](const Piece& p) {
    ++calls;
    EXPECT_FALSE(p.arrays[0].memory() || p.arrays[0].on_host());
  });
  EXPECT_EQ(calls, 1);
}

TEST_P(BatchOn, arrays_that_are_too_small_are_refused) {
  Buffer<float> buffer(device, 99);
  const auto refused = [&](const BatchArray& array, Batch batch) {
    const BatchArray arrays[] = {array};
    EXPECT_THROW(runtime::for_each_piece(queue, batch, arrays, [](const Piece&) { FAIL(); }),
                 Error);
  };
  refused(runtime::output(Memory<float>(buffer), 10, 10), {10, true});
  refused(runtime::output(Memory<float>(buffer), 9, 10), {11, true});
  refused(runtime::output(Memory<float>(buffer), 9, 8), {10, false});
  refused(runtime::output(Memory<float>(buffer), 9, 9), {-1, false});
}

TEST_P(BatchOn, an_error_of_the_work_is_thrown_and_the_queue_stays_usable) {
  const Batch batch{5000, true};
  Data d(batch, 2, 5000);
  const BatchArray arrays[] = {runtime::input(Memory<const float>(d.in.data()), 2, 5000),
                               runtime::output(Memory<float>(d.out.data()), 2, 5000),
                               runtime::output(Memory<float>(d.ids.data()), 1, 1)};
  EXPECT_THROW(runtime::for_each_piece(
                   queue, batch, arrays,
                   [&](const Piece& p) {
                     if (p.begin > 0 || p.count == batch.count) throw std::runtime_error("no");
                     AddOne{2, batch}(p);
                   },
                   1 << 12),
               std::runtime_error);
  runtime::for_each_piece(queue, batch, arrays, AddOne{2, batch}, 1 << 12);
  d.expect_done(false);
}

TEST_P(BatchOn, a_workspace_reuses_its_memory) {
  std::set<const void*> seen;
  for (int round = 0; round < 5; ++round) {
    runtime::Workspace workspace(queue);
    const Buffer<float> a = workspace.take<float>(1000), b = workspace.take<float>(10);
    const Buffer<double> c = workspace.take<double>(0);
    EXPECT_EQ(a.size(), 1000U);
    EXPECT_EQ(c.memory(), nullptr);
    EXPECT_NE(a.memory(), b.memory());
    if (round >= 1) seen.insert(a.memory().get());  // joined in round 1
  }
  EXPECT_EQ(seen.size(), 1U);
}

TEST_P(BatchOn, workspaces_nest_and_never_overlap) {
  for (int round = 0; round < 3; ++round) {
    runtime::Workspace outer(queue);
    const Buffer<float> a = outer.take<float>(100);
    const std::vector<float> ones(100, 1), twos(5000, 2);
    Buffer<float> mine = a;
    mine.upload(queue, ones);
    {
      runtime::Workspace inner(queue);
      Buffer<float> b = inner.take<float>(5000);
      b.upload(queue, twos);
    }
    Buffer<float> c = outer.take<float>(5000);
    c.upload(queue, twos);
    std::vector<float> back(100);
    mine.download(queue, back);
    queue.wait();
    EXPECT_EQ(back, ones) << round;
  }
}

TEST_P(BatchOn, recorded_work_is_done_at_every_run) {
  Buffer<float> y(device, 100);
  std::vector<float> values(100, 1), twos(100, 2), back(100);
  y.upload(queue, values);
  const runtime::Kernel kernel = combine_kernel();
  runtime::Recording step(queue, [&] {
    runtime::Workspace workspace(queue);
    const Buffer<float> sum = workspace.take<float>(100), rest = workspace.take<float>(50);
    const runtime::Argument copy[] = {y, sum, 0.0F, -1.0, std::int64_t{0}, 100};  // sum = y
    const runtime::Argument add[] = {sum, y, 1.0F, -1.0, std::int64_t{0}, 100};   // y += sum
    runtime::launch(queue, kernel, launch_of(100), copy);
    runtime::launch(queue, kernel, launch_of(100), add);
  });
  for (int run = 1; run <= 8; ++run) {
    step.run();
    if (run == 5) {  // larger foreign work in between
      runtime::Workspace workspace(queue);
      workspace.take<float>(10000).upload(queue, twos);
    }
    y.download(queue, back);
    queue.wait();
    EXPECT_EQ(back, std::vector<float>(100, static_cast<float>(1 << run))) << run;
  }
}

// Downloads inside recorded work and around it, with and without waiting.
TEST_P(BatchOn, recorded_downloads_come_at_every_run) {
  Buffer<float> y(device, 100);
  std::vector<float> values(100, 1), inside(100), before(100), twice(100);
  y.upload(queue, values);
  const runtime::Kernel kernel = combine_kernel();
  runtime::Recording step(queue, [&] {
    const runtime::Argument add[] = {y, y, 1.0F, -1.0, std::int64_t{0}, 100};  // y += y
    runtime::launch(queue, kernel, launch_of(100), add);
    y.download(queue, inside);
  });
  runtime::Recording waits(queue, [&] {
    y.download(queue, twice);
    queue.wait();
  });
  for (int run = 1; run <= 8; ++run) {
    const float is = static_cast<float>(1 << run);
    y.download(queue, before);
    step.run();
    queue.wait();
    EXPECT_EQ(before, std::vector<float>(100, is / 2)) << run;
    EXPECT_EQ(inside, std::vector<float>(100, is)) << run;
    std::ranges::fill(before, -1.0F);
    y.download(queue, before);
    waits.run();
    EXPECT_EQ(before, std::vector<float>(100, is)) << run;
    EXPECT_EQ(twice, before) << run;
  }
}

TEST_P(BatchOn, work_that_cannot_be_recorded_is_still_done) {
  Buffer<float> y(device, 10);
  std::vector<float> values(10, 1);
  y.upload(queue, values);
  const runtime::Kernel kernel = combine_kernel();
  runtime::Recording step(queue, [&] {
    const runtime::Argument twice[] = {Memory<float>(), y, 2.0F, -1.0, std::int64_t{0}, 10};
    runtime::launch(queue, kernel, launch_of(10), twice);
    queue.wait();
  });
  for (int run = 0; run < 6; ++run) step.run();
  y.download(queue, values);
  queue.wait();
  EXPECT_EQ(values, std::vector<float>(10, 64));
}

std::string test_name(const testing::TestParamInfo<std::string>& device) {
  std::string name = device.param;
  std::replace(name.begin(), name.end(), ':', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(All, BatchOn, testing::ValuesIn(device_ids()), test_name);

}  // namespace
}  // namespace bifocal::test
