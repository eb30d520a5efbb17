// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/error.hpp>
#include <bifocal/stereo.hpp>

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "stereo/fill.hpp"
#include "stereo/ssd.hpp"

namespace bifocal {
namespace {

constexpr int kMaxDisparities = 1024, kMinWindow = 3, kMaxWindow = 31, kMaxStart = 1 << 20;

void check(ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right,
           const SsdOptions& o) {
  const auto fail = [](const std::string& message) {
    throw Error(ErrorCode::usage, "stereo_ssd: " + message);
  };
  if (left.empty() || right.empty()) fail("an image is empty");
  if (!left.usable() || !right.usable()) fail("a view has no pixels, or rows that overlap");
  if (left.channels != 1 || right.channels != 1)
    fail(fmt::format("images have {} and {} channels: must be grey (1)", left.channels,
                     right.channels));
  if (left.width != right.width || left.height != right.height)
    fail(fmt::format("images differ in size: left {} x {}, right {} x {}", left.width, left.height,
                     right.width, right.height));
  if (o.window < kMinWindow || o.window > kMaxWindow || o.window % 2 == 0)
    fail(fmt::format("window = {}: must be odd, {} to {}", o.window, kMinWindow, kMaxWindow));
  if (o.disparities < 1 || o.disparities > kMaxDisparities)
    fail(fmt::format("disparities = {}: must be 1 to {}", o.disparities, kMaxDisparities));
  if (o.min_disparity < -kMaxStart || o.min_disparity > kMaxStart)
    fail(fmt::format("min_disparity = {}: must be {} to {}", o.min_disparity, -kMaxStart,
                     kMaxStart));
  if (std::isnan(o.cross_check))
    fail("cross_check is NaN: must be a number of px, negative for no check");
}

}  // namespace

DisparityMap stereo_ssd(ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right,
                        const SsdOptions& options) {
  check(left, right, options);
  const int width = left.width;
  constexpr float unknown = std::numeric_limits<float>::quiet_NaN();
  DisparityMap map;
  map.raw = ImageF(width, left.height);
  std::vector<int> known(static_cast<std::size_t>(left.height));
  stereo::ssd_winners(left, right, options, [&](int y, const stereo::WinnerRow& row) {
    float* out = map.raw.row(y);
    int count = 0;
    for (int x = 0; x < width; ++x) {
      const int d = row.left[x];
      // A left winner at x - d means that the right pixel was searched too.
      const bool good =
          d != stereo::kNoDisparity &&
          (options.cross_check < 0 || std::abs(d - row.right[x - d]) <= options.cross_check);
      out[x] = good ? static_cast<float>(d) + row.offset[x] : unknown;
      count += good ? 1 : 0;
    }
    known[static_cast<std::size_t>(y)] = count;
  });
  std::int64_t total = 0;
  for (int count : known) total += count;
  map.density = 100.0 * static_cast<double>(total) / (static_cast<double>(width) * left.height);
  map.filled = map.raw;
  stereo::fill_background(map.filled);
  return map;
}

}  // namespace bifocal
