// SPDX-License-Identifier: BSD-3-Clause
// Twin: nearest.kernel.h (GPUs). Fill::background from the nearest known disparities in eight
// directions on CPUs, by sweeps down and up the rows. The twin remains because the segments of the
// GPU version took a CPU about twice as long for 1920 x 1080 pixels (83 ms and 41 ms in single runs
// on a loaded EPYC, November 2026).
#include "stereo/nearest.hpp"

#include <hwy/base.h>

#include <bifocal/error.hpp>

#include "stereo/maps.hpp"
#include "stereo/row_blocks.hpp"
#include "stereo/rules.hpp"

namespace bifocal::stereo {
namespace {

// Finds the nearest known disparities above each pixel, or below it if `up`, vertically and along
// both diagonals. Updates the two lowest disparities, `lowest` and `memory.second`. A diagonal
// keeps its place in memory from row to row.
void sweep_nearest(ImageView<const std::uint16_t> in, bool up, NearestMemory& memory,
                   ImageView<std::uint16_t> lowest) {
  const int width = in.width, height = in.height;
  const auto diagonals = static_cast<std::size_t>(width) + static_cast<std::size_t>(height);
  memory.nearest.assign(static_cast<std::size_t>(width) + 2 * diagonals, Rules::UNKNOWN_DISPARITY);
  std::uint16_t* HWY_RESTRICT vertical = memory.nearest.data();
  for (int n = 0; n < height; ++n) {
    check_cancelled();
    const int y = up ? height - 1 - n : n;
    std::uint16_t* HWY_RESTRICT from_left = vertical + width + height - n;
    std::uint16_t* HWY_RESTRICT from_right = vertical + width + diagonals + n;
    const std::uint16_t* HWY_RESTRICT row = in.row(y);
    std::uint16_t *HWY_RESTRICT low = lowest.row(y), *HWY_RESTRICT next = memory.second.row(y);
    for (int x = 0; x < width; ++x) {
      int a = low[x], b = next[x];
      const auto meet = [&](std::uint16_t& d) {
        d = row[x] == Rules::UNKNOWN_DISPARITY ? d : row[x];
        Rules::keep_lowest(d, &a, &b);
      };
      meet(vertical[x]);
      meet(from_left[x]);
      meet(from_right[x]);
      low[x] = static_cast<std::uint16_t>(a);
      next[x] = static_cast<std::uint16_t>(b);
    }
  }
}

// Fills one row. On entry `out` and `second` hold the two lowest disparities of the rows above
// and below.
void fill_row_around(const std::uint16_t* row, const std::uint16_t* second, int width,
                     std::uint16_t* out) {
  int left = Rules::UNKNOWN_DISPARITY;
  for (int x = 0; x < width;) {
    if (row[x] != Rules::UNKNOWN_DISPARITY) {
      left = out[x] = row[x];
      ++x;
      continue;
    }
    int end = x;
    while (end < width && row[end] == Rules::UNKNOWN_DISPARITY) ++end;
    const int right = end < width ? row[end] : int{Rules::UNKNOWN_DISPARITY};
    for (; x < end; ++x) {
      int a = out[x], b = second[x];
      Rules::keep_lowest(left, &a, &b);
      Rules::keep_lowest(right, &a, &b);
      out[x] = static_cast<std::uint16_t>(Rules::background_value(left, right, a, b));
    }
  }
}

}  // namespace

void fill_from_nearest(ImageView<const std::uint16_t> disparity, NearestMemory& memory,
                       ImageView<std::uint16_t> out) {
  const int width = disparity.width, height = disparity.height;
  fit(memory.second, width, height);
  for (int y = 0; y < height; ++y) {
    std::fill_n(out.row(y), width, Rules::UNKNOWN_DISPARITY);
    std::fill_n(memory.second.row(y), width, Rules::UNKNOWN_DISPARITY);
  }
  for (const bool up : {false, true}) sweep_nearest(disparity, up, memory, out);
  for_rows(height, [&](int y) {
    fill_row_around(disparity.row(y), memory.second.row(y), width, out.row(y));
  });
}

}  // namespace bifocal::stereo
