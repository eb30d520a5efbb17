// SPDX-License-Identifier: BSD-3-Clause
#include "stereo/ssd_device.hpp"

#include <bifocal/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "stereo/chain.hpp"
#include "stereo/ssd_kernels.hpp"

namespace bifocal::stereo {
#if !BIFOCAL_HAS_CUDA
const void* cuda_ssd_kernel(SsdKernel, int) { return nullptr; }
#endif
namespace {

constexpr int kFirstChunk = 1, kLastChunk = 2, kWarp = 32;  // as in ssd.kernel.h

int divided_up(int a, int b) { return (a + b - 1) / b; }

// As few launches as can be, of about the same number of disparities.
std::vector<SsdChunk> plan_chunks(int first, int end, int most) {
  const int count = end - first;
  const auto in_warps = [](int lanes) { return divided_up(std::max(1, lanes), kWarp) * kWarp; };
  if (count <= most) return {{first, in_warps(count), first, end}};
  const int lanes = in_warps(divided_up(count - 2, divided_up(count - 2, most - 2)) + 2);
  std::vector<SsdChunk> chunks;
  for (int d = first; d < end;) {
    const int lane0 = d == first ? d : d - 1, next = lane0 + lanes >= end ? end : lane0 + lanes - 1;
    chunks.push_back({lane0, lanes, d, next});
    d = next;
  }
  return chunks;
}

// Rows of a tile. A multiprocessor works on few tiles at a time, and mostly waits; so there are as
// many tiles as it takes to occupy all at once, but no more, or a second turn would begin. On an
// NVIDIA H200, 60 disparities, 735 x 504: 10 rows 0.127 ms, 8 (two turns) 0.162, 12 0.145.
int plan_rows(int height, int tiles, int cores, int lanes, const SsdTile& tile) {
  constexpr int kThreads = 65536 / 128, kShared = 228 << 10;  // of a multiprocessor
  const int shared = 4 * tile.outputs * tile.lanes + (7 << 10);
  const int at_once = std::max(1, cores) * std::clamp(kThreads / lanes, 1, kShared / shared);
  for (int rows = 4; rows < 64; ++rows) {
    if (divided_up(height, rows) * tiles <= at_once) return rows;
  }
  return 64;
}

runtime::Kernel make_kernel(SsdKernel kernel, int window) {
  return {
      .entry = kernel == SsdKernel::winners ? "ssd_winners" : "ssd_finish",
      .text = "ssd",
      .constants = {{"REAL_IS_FLOAT", 1}, {"GROUP_SIZE", kSsdFinishThreads}, {"WINDOW", window}},
      .cuda = cuda_ssd_kernel(kernel, window)};
}

}  // namespace

SsdDevice::SsdDevice(Queue& queue, int width, int height, const SsdOptions& options)
    : queue_(queue),
      size_{width, height},
      options_(options),
      winners_(make_kernel(SsdKernel::winners, options.window)),
      finish_(make_kernel(SsdKernel::finish, options.window)) {
  const std::int64_t area = std::int64_t{width} * height;
  if (area > std::numeric_limits<int>::max() - kSsdFinishThreads)
    throw Error(ErrorCode::usage,
                fmt::format("stereo_ssd: pictures of {} x {} are too large", width, height));
  first_ = std::max(options.min_disparity, 1 - width);
  end_ = std::max(first_, std::min(options.min_disparity + options.disparities, width));
  chunks_ = plan_chunks(first_, end_, SsdTile(options.window).lanes);
  tiles_ = divided_up(width, SsdTile(options.window).outputs);
  rows_ = plan_rows(height, tiles_, queue.device().info().cores, chunks_.front().lanes,
                    SsdTile(options.window));
  const auto pixels = static_cast<std::size_t>(area);
  const Device& device = queue.device();
  steps_ = StepsBuffer(device, pixels);
  right_index_ = StepsBuffer(device, pixels);
  right_keys_ = Buffer<std::uint32_t>(device, pixels);
  if (chunks_.size() > 1) {
    left_cost_ = Buffer<std::uint32_t>(device, pixels);
    right_cost_ = Buffer<std::uint32_t>(device, pixels);
  }
  if (options.fill != Fill::none) filled_ = StepsBuffer(device, pixels);
  scratch_.row_known = Buffer<int>(device, static_cast<std::size_t>(height));
  if (options.fill == Fill::mean || options.fill == Fill::edge_aware)
    scratch_.steps = StepsBuffer(device, pixels);
  if (options.fill == Fill::edge_aware) occluded_ = Buffer<std::uint8_t>(device, pixels);
  const std::vector<std::uint32_t> no_keys(pixels, ~0U);
  right_keys_.upload(queue, no_keys);
  queue.wait();
}

std::size_t SsdDevice::bytes() const {
  const auto of = [](const auto&... buffers) {
    return (... + (buffers.size() * sizeof(*buffers.data())));
  };
  return of(steps_, right_index_, filled_, right_keys_, left_cost_, right_cost_, occluded_,
            scratch_.steps, scratch_.row_known);
}

void SsdDevice::run(const Memory<const std::uint8_t>& left,
                    const Memory<const std::uint8_t>& right) {
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    const int kind = (i == 0 ? kFirstChunk : 0) | (i + 1 == chunks_.size() ? kLastChunk : 0);
    search(chunks_[i], kind, left, right);
    finish(chunks_[i], kind);
  }
  if (options_.fill == Fill::background) {
    fill_blank_rows(queue_, size_, scratch_.row_known, filled_);
    return;
  }
  if (options_.fill == Fill::edge_aware)
    mark_occluded(queue_, size_, right_index_, options_.min_disparity, occluded_);
  fill_unknown(queue_, size_, options_.fill, options_.window, steps_, left, occluded_, scratch_,
               filled_);
}

void SsdDevice::search(const SsdChunk& chunk, int chunk_kind,
                       const Memory<const std::uint8_t>& left,
                       const Memory<const std::uint8_t>& right) {
  const runtime::Argument arguments[] = {
      left,       right,  size_.width, size_.height, options_.min_disparity,
      first_,     end_,   chunk.lane0, chunk.first,  chunk.end,
      chunk_kind, tiles_, rows_,       left_cost_,   steps_,
      right_keys_};
  runtime::launch(queue_, winners_,
                  {.groups = tiles_ * divided_up(size_.height, rows_), .group_size = chunk.lanes},
                  arguments);
}

void SsdDevice::finish(const SsdChunk& chunk, int chunk_kind) {
  const runtime::Argument arguments[] = {size_.width,
                                         options_.min_disparity,
                                         chunk.lane0,
                                         chunk_kind,
                                         steps_of(options_.cross_check),
                                         options_.fill == Fill::background ? 1 : 0,
                                         right_keys_,
                                         right_cost_,
                                         right_index_,
                                         steps_,
                                         filled_,
                                         scratch_.row_known};
  runtime::launch(queue_, finish_, {.groups = size_.height, .group_size = kSsdFinishThreads},
                  arguments);
}

}  // namespace bifocal::stereo
