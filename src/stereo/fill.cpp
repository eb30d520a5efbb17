// SPDX-License-Identifier: BSD-3-Clause
#include "stereo/fill.hpp"

#include <hwy/base.h>

#include <bifocal/error.hpp>

#include <algorithm>
#include <atomic>

#include "stereo/maps.hpp"
#include "stereo/row_blocks.hpp"
#include "stereo/rules.hpp"

namespace bifocal::stereo {
namespace {

constexpr std::uint16_t kUnknown = Rules::UNKNOWN_DISPARITY;

// False when nothing in the row is known.
bool fill_row(std::uint16_t* row, int width) {
  int end = 0;
  while (end < width && row[end] == kUnknown) ++end;
  if (end == width) return false;
  std::fill(row, row + end, row[end]);
  while (end < width) {
    int begin = end + 1;  // after the last known one
    while (begin < width && row[begin] != kUnknown) ++begin;
    end = begin;
    while (end < width && row[end] == kUnknown) ++end;
    if (begin == end) break;
    const std::uint16_t left = row[begin - 1];
    std::fill(row + begin, row + end, end < width ? std::min(left, row[end]) : left);
  }
  return true;
}

// Rows without any value repeat the nearest row that has some, the upper one of two.
void fill_rows(ImageU16& disparity, const std::vector<char>& known) {
  const int height = disparity.height;
  int above = -1, below = 0;  // the known rows around row y; -1 and height: none
  for (int y = 0; y < height; ++y) {
    if (known[static_cast<std::size_t>(y)]) {
      above = y;
      continue;
    }
    for (below = std::max(below, y + 1); below < height; ++below)
      if (known[static_cast<std::size_t>(below)]) break;
    if (above < 0 && below == height) return;
    const bool up = above >= 0 && (below == height || y - above <= below - y);
    std::copy_n(disparity.row(up ? above : below), disparity.width, disparity.row(y));
  }
}

// Fills the pixels that no direction leads out of.
void fill_rest(ImageU16& disparity, std::vector<char>& known) {
  known.resize(static_cast<std::size_t>(disparity.height));
  for_rows(disparity.height, [&](int y) {
    known[static_cast<std::size_t>(y)] = fill_row(disparity.row(y), disparity.width) ? 1 : 0;
  });
  fill_rows(disparity, known);
}

// One round: unknown pixels with known ones in the window take their mean. False when another round
// would change nothing.
bool fill_mean_round(const ImageU16& in, int window, ImageU16& out) {
  std::atomic<bool> left{false}, filled{false};
  for_rows(in.height, [&](int y) {
    bool some_left = false, some_filled = false;
    for (int x = 0; x < in.width; ++x) {
      out.at(x, y) = in.at(x, y);
      if (in.at(x, y) != kUnknown) continue;
      const int mean = Rules::window_mean(in.pixels.data(), in.width, in.height, x, y, window / 2);
      (mean == kUnknown ? some_left : some_filled) = true;
      out.at(x, y) = static_cast<std::uint16_t>(mean);
    }
    if (some_left) left = true;
    if (some_filled) filled = true;
  });
  return left && filled;
}

void fill_mean(ImageU16& disparity, int window, ImageU16& next) {
  fit(next, disparity.width, disparity.height);
  for (bool again = true; again;) {
    again = fill_mean_round(disparity, window, next);
    std::swap(disparity, next);
  }
}

// Finds the nearest known disparities above, or below, straight and along both diagonals, and keeps
// the two lowest of them and of what `lowest` and `second` hold. A diagonal's place in memory is
// the same in every row.
void sweep_nearest(const ImageU16& in, bool up, std::vector<std::uint16_t>& nearest,
                   ImageU16& lowest, ImageU16& second) {
  const int width = in.width, height = in.height;
  const auto diagonals = static_cast<std::size_t>(width) + static_cast<std::size_t>(height);
  nearest.assign(static_cast<std::size_t>(width) + 2 * diagonals, kUnknown);
  std::uint16_t* HWY_RESTRICT straight = nearest.data();
  for (int n = 0; n < height; ++n) {
    check_cancelled();
    const int y = up ? height - 1 - n : n;
    std::uint16_t* HWY_RESTRICT from_left = nearest.data() + width + height - n;
    std::uint16_t* HWY_RESTRICT from_right = nearest.data() + width + diagonals + n;
    const std::uint16_t* HWY_RESTRICT row = in.row(y);
    std::uint16_t *HWY_RESTRICT low = lowest.row(y), *HWY_RESTRICT next = second.row(y);
    for (int x = 0; x < width; ++x) {
      int a = low[x], b = next[x];
      const auto meet = [&](std::uint16_t& d) {
        d = row[x] == kUnknown ? d : row[x];
        Rules::keep_lowest(d, &a, &b);
      };
      meet(straight[x]);
      meet(from_left[x]);
      meet(from_right[x]);
      low[x] = static_cast<std::uint16_t>(a);
      next[x] = static_cast<std::uint16_t>(b);
    }
  }
}

// The unknown pixels of a row from which a direction leads to a known one. `out` holds the lowest
// of the rows above and below.
void fill_row_around(const std::uint16_t* row, const std::uint16_t* second, int width,
                     std::uint16_t* out) {
  int left = kUnknown;
  for (int x = 0; x < width;) {
    if (row[x] != kUnknown) {
      left = out[x] = row[x];
      ++x;
      continue;
    }
    int end = x;
    while (end < width && row[end] == kUnknown) ++end;
    const int right = end < width ? row[end] : kUnknown;
    for (; x < end; ++x) {
      int a = out[x], b = second[x];
      Rules::keep_lowest(left, &a, &b);
      Rules::keep_lowest(right, &a, &b);
      out[x] = static_cast<std::uint16_t>(Rules::background_value(left, right, a, b));
    }
  }
}

void fill_background(const ImageU16& disparity, FillMemory& memory, ImageU16& out) {
  ImageU16& second = memory.next;
  fit(second, disparity.width, disparity.height);
  std::fill(out.pixels.begin(), out.pixels.end(), kUnknown);
  std::fill(second.pixels.begin(), second.pixels.end(), kUnknown);
  for (const bool up : {false, true}) sweep_nearest(disparity, up, memory.nearest, out, second);
  for_rows(disparity.height, [&](int y) {
    fill_row_around(disparity.row(y), second.row(y), disparity.width, out.row(y));
  });
  fill_rest(out, memory.row_known);
}

}  // namespace

void fill_unknown(const ImageU16& disparity, Fill fill, int window, FillMemory& memory,
                  ImageU16& out) {
  fit(out, disparity.width, disparity.height);
  if (fill == Fill::background || fill == Fill::planes)
    return fill_background(disparity, memory, out);
  for_rows(disparity.height,
           [&](int y) { std::copy_n(disparity.row(y), disparity.width, out.row(y)); });
  if (fill == Fill::mean) fill_mean(out, window, memory.next);
}

}  // namespace bifocal::stereo
