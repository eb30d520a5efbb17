// SPDX-License-Identifier: BSD-3-Clause
#include "stereo/fill.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "runtime/parallel.hpp"

namespace bifocal::stereo {
namespace {

constexpr int kRowsPerTask = 32;

// False when nothing in the row is known.
bool fill_row(float* row, int width) {
  int end = 0;
  while (end < width && std::isnan(row[end])) ++end;
  if (end == width) return false;
  std::fill(row, row + end, row[end]);
  while (end < width) {
    int begin = end + 1;  // after the last known one
    while (begin < width && !std::isnan(row[begin])) ++begin;
    end = begin;
    while (end < width && std::isnan(row[end])) ++end;
    if (begin == end) break;
    const float left = row[begin - 1];
    std::fill(row + begin, row + end, end < width ? std::min(left, row[end]) : left);
  }
  return true;
}

}  // namespace

void fill_background(ImageF& disparity) {
  const int height = disparity.height, width = disparity.width;
  std::vector<char> known(static_cast<std::size_t>(height));
  runtime::parallel_for((height + kRowsPerTask - 1) / kRowsPerTask, [&](int task) {
    const int end = std::min(height, (task + 1) * kRowsPerTask);
    for (int y = task * kRowsPerTask; y < end; ++y)
      known[static_cast<std::size_t>(y)] = fill_row(disparity.row(y), width) ? 1 : 0;
  });
  const auto is_known = [&](int y) {
    return y >= 0 && y < height && known[static_cast<std::size_t>(y)];
  };
  for (int y = 0; y < height; ++y) {
    if (is_known(y)) continue;
    for (int step = 1; step < height; ++step) {
      const int from = is_known(y - step) ? y - step : y + step;
      if (!is_known(from)) continue;
      std::copy_n(disparity.row(from), width, disparity.row(y));
      break;
    }
  }
}

}  // namespace bifocal::stereo
