// SPDX-License-Identifier: BSD-3-Clause
#include "stereo/fill.hpp"

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

void fill_background(ImageU16& disparity, std::vector<char>& known) {
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

void fill_edge_aware(const ImageU16& disparity, ImageView<const std::uint8_t> brightness,
                     const ImageU8& occluded, ImageU16& out) {
  for_rows(disparity.height, [&](int y) {
    for (int x = 0; x < disparity.width; ++x) {
      if (disparity.at(x, y) != kUnknown) continue;
      out.at(x, y) = static_cast<std::uint16_t>(
          Rules::edge_aware_value(disparity.pixels.data(), brightness.data, brightness.stride,
                                  disparity.width, disparity.height, x, y, occluded.at(x, y)));
    }
  });
}

}  // namespace

void fill_unknown(const ImageU16& disparity, Fill fill, int window,
                  ImageView<const std::uint8_t> brightness, const ImageU8& occluded,
                  FillMemory& memory, ImageU16& out) {
  fit(out, disparity.width, disparity.height);
  for_rows(disparity.height,
           [&](int y) { std::copy_n(disparity.row(y), disparity.width, out.row(y)); });
  if (fill == Fill::background) fill_background(out, memory.row_known);
  if (fill == Fill::mean) fill_mean(out, window, memory.next);
  if (fill != Fill::edge_aware) return;
  const auto is_known = [](std::uint16_t d) { return d != kUnknown; };
  if (std::none_of(disparity.pixels.begin(), disparity.pixels.end(), is_known)) return;
  fill_edge_aware(disparity, brightness, occluded, out);
  fill_background(out, memory.row_known);  // what no direction leads out of
}

}  // namespace bifocal::stereo
