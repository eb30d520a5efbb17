// SPDX-License-Identifier: BSD-3-Clause
#include "stereo/filter.hpp"

#include <bifocal/error.hpp>

#include <algorithm>
#include <array>

#include "stereo/maps.hpp"
#include "stereo/median_row.hpp"
#include "stereo/row_blocks.hpp"
#include "stereo/rules.hpp"

namespace bifocal::stereo {
namespace {

constexpr std::uint16_t kUnknown = Rules::UNKNOWN_DISPARITY;

}  // namespace

void check_row(const WinnerRow& row, int width, int min_disparity, int tolerance,
               std::uint16_t* disparity) {
  for (int x = 0; x < width; ++x)
    disparity[x] = static_cast<std::uint16_t>(
        Rules::cross_checked(row.disparity[x], x, min_disparity, tolerance, row.right_index));
}

void median_known(const ImageU16& disparity, int side, FilterMemory& memory, ImageU16& out) {
  const int width = disparity.width, height = disparity.height, radius = side / 2;
  const auto stride = static_cast<std::size_t>(width + 2 * kMedianMargin);
  const std::size_t rows = kRowsABlock + 2 * static_cast<std::size_t>(radius);
  const int workers = blocks_at_once(height);
  memory.windows.resize(static_cast<std::size_t>(workers) * (rows + 1) * stride);
  fit(out, width, height);
  const auto block = [&](int worker, int begin, int end) {
    std::uint16_t* padded =
        memory.windows.data() + static_cast<std::size_t>(worker) * (rows + 1) * stride;
    std::uint16_t* result = padded + rows * stride;
    std::fill_n(padded, rows * stride, kUnknown);
    for (int y = std::max(0, begin - radius); y < std::min(height, end + radius); ++y)
      std::copy_n(disparity.row(y), width,
                  padded + static_cast<std::size_t>(y - begin + radius) * stride + kMedianMargin);
    for (int y = begin; y < end; ++y) {
      std::array<const std::uint16_t*, 5> window{};
      for (int j = 0; j < side; ++j)
        window[static_cast<std::size_t>(j)] =
            padded + static_cast<std::size_t>(y - begin + j) * stride + kMedianMargin;
      median_row(window.data(), side, width, result);
      std::copy_n(result, width, out.row(y));
    }
  };
  for_row_blocks(workers, height, block);
}

void remove_speckles(ImageU16& disparity, int size, int range, FilterMemory& memory) {
  Regions& regions = memory.regions;
  regions.find(disparity, range);
  for (int y = 0; y < disparity.height; ++y) {
    check_cancelled();
    for (int i = regions.first_run(y); i < regions.first_run(y + 1); ++i) {
      const Regions::Run& run = regions.run(i);
      if (regions.run(regions.root(i)).pixels < size)
        std::fill(disparity.row(y) + run.begin, disparity.row(y) + run.end, kUnknown);
    }
  }
}

void filter_disparity(ImageU16& disparity, ImageView<const std::uint8_t> brightness,
                      const DisparityFilter& filter, FilterMemory& memory) {
  if (filter.median > 0) {
    median_known(disparity, filter.median, memory, memory.filled);
    std::swap(disparity, memory.filled);
  }
  if (filter.speckle_size > 1)
    remove_speckles(disparity, filter.speckle_size, subpixels_of(filter.speckle_range), memory);
  const bool has_planes = filter.fill == Fill::planes;
  if (has_planes)
    fill_planes(disparity, brightness, memory.planes, memory.regions, memory.fill.next,
                memory.with_planes);
  fill_unknown(has_planes ? memory.with_planes : disparity, filter.fill, filter.fill_window,
               memory.fill, memory.filled);
}

}  // namespace bifocal::stereo
