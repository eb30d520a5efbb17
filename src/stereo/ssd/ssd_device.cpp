// SPDX-License-Identifier: BSD-3-Clause
// Twin: ssd.cpp (CPUs). Launches block matching on GPUs.
#include "stereo/ssd/ssd_device.hpp"

#include <algorithm>

#include "runtime/integers.hpp"
#include "stereo/maps.hpp"
#include "stereo/rules.hpp"

namespace bifocal::stereo {
namespace {

namespace ssd = kernels::ssd;

constexpr int kWarp = 32;

// Plans the smallest possible number of launches, each with about the same number of disparities.
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

// Returns the number of rows of a tile. A multiprocessor works on few tiles at a time and mostly
// waits. The tiles should therefore occupy all multiprocessors at once, but more tiles would begin
// a second round. On an NVIDIA H200 with 60 disparities, 735 x 504 px: 10 rows 0.127 ms, 8 rows
// (two rounds) 0.162 ms, 12 rows 0.145 ms.
int plan_rows(int height, int tiles, int cores, int lanes, int window) {
  constexpr int kThreads = 65536 / 128, kShared = 228 << 10;  // per multiprocessor
  const int shared = 4 * SSD_OUTPUTS(window) * SSD_LANES(window) + (7 << 10);
  const int at_once = std::max(1, cores) * std::clamp(kThreads / lanes, 1, kShared / shared);
  for (int rows = 4; rows < 64; ++rows) {
    if (divided_up(height, rows) * tiles <= at_once) return rows;
  }
  return 64;
}

}  // namespace

SsdDevice::SsdDevice(Queue& queue, ImageSize size, const SsdOptions& options)
    : size_(size),
      options_(options),
      kernels_(ssd::SSD_FINISH_THREADS, {{"WINDOW", options.window}}) {
  const int width = size.width, window = options.window;
  first_ = std::max(options.min_disparity, 1 - width);
  end_ = std::max(first_, std::min(options.min_disparity + options.disparities, width));
  chunks_ = plan_chunks(first_, end_, SSD_LANES(window));
  tiles_ = divided_up(width, SSD_OUTPUTS(window));
  rows_ =
      plan_rows(size.height, tiles_, queue.device().info().cores, chunks_.front().lanes, window);
  const auto pixels = static_cast<std::size_t>(size.pixels());
  const Device& device = queue.device();
  right_index_ = DisparityBuffer(device, pixels);
  right_keys_ = Buffer<std::uint32_t>(device, pixels);
  clear_ = Buffer<std::uint32_t>(device, 1);
  if (chunks_.size() > 1) {
    left_cost_ = Buffer<std::uint32_t>(device, pixels);
    right_cost_ = Buffer<std::uint32_t>(device, pixels);
  }
  const std::vector<std::uint32_t> no_keys(pixels, ~0U);
  right_keys_.upload(queue, no_keys);
  queue.wait();
}

std::size_t SsdDevice::bytes() const {
  return 2 * right_index_.size() +
         4 * (right_keys_.size() + left_cost_.size() + right_cost_.size());
}

WinnerMaps SsdDevice::run(Queue& queue, const Memory<const std::uint8_t>& left,
                          const Memory<const std::uint8_t>& right,
                          const DisparityBuffer& disparity) {
  const auto [width, height] = size_;
  const int min_disparity = options_.min_disparity,
            tolerance = subpixels_of(options_.filter.cross_check);
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    const SsdChunk& c = chunks_[i];
    const int kind =
        (i == 0 ? ssd::FIRST_CHUNK : 0) | (i + 1 == chunks_.size() ? ssd::LAST_CHUNK : 0);
    kernels_.ssd_winners(queue,
                         {.count = tiles_ * divided_up(height, rows_), .group_size = c.lanes},
                         {.left = left,
                          .right = right,
                          .width = width,
                          .height = height,
                          .min_disparity = min_disparity,
                          .first = first_,
                          .end = end_,
                          .lane0 = c.lane0,
                          .lanes = c.lanes,
                          .chunk_first = c.first,
                          .chunk_end = c.end,
                          .chunk = kind,
                          .tiles = tiles_,
                          .rows = rows_,
                          .left_cost = left_cost_,
                          .disparity = disparity,
                          .right_keys = right_keys_});
    kernels_.ssd_finish(queue, {.count = height},
                        {.width = width,
                         .min_disparity = min_disparity,
                         .lane0 = c.lane0,
                         .chunk = kind,
                         .tolerance = tolerance,
                         .right_keys = right_keys_,
                         .right_cost = right_cost_,
                         .right_index = right_index_,
                         .disparity = disparity,
                         .clear = clear_});
  }
  const int across = Rules::samples_in_row(width, options_.disparities, options_.min_disparity),
            samples = across * divided_up(height, Rules::SAMPLE_STEP);
  if (samples > 0) {
    kernels_.ssd_clear(queue, {.count = samples},
                       {.disparity = disparity,
                        .width = width,
                        .x0 = Rules::first_sample(options_.disparities, options_.min_disparity),
                        .across = across,
                        .clear = clear_});
    kernels_.ssd_forget(
        queue, {.count = size_.pixels()},
        {.clear = clear_, .needed = Rules::clear_needed(samples), .disparity = disparity});
  }
  return {disparity, right_index_, {}, left};
}

}  // namespace bifocal::stereo
