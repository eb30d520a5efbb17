// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/error.hpp>
#include <bifocal/stereo.hpp>

#include <fmt/format.h>

#include <cmath>

namespace bifocal {

std::vector<CloudPoint> disparity_to_cloud(ImageView<const float> disparity,
                                           ImageView<const std::uint8_t> colour,
                                           const Intrinsics& left, double doffs, double baseline) {
  if (!left.valid())
    throw Error(
        ErrorCode::usage,
        fmt::format("disparity_to_cloud: fx = {}, fy = {}: must be positive", left.fx, left.fy));
  if (!(baseline >= kLeastBaseline && baseline <= kMostBaseline))
    throw Error(ErrorCode::usage, fmt::format("disparity_to_cloud: baseline = {}: must be {} to {}",
                                              baseline, kLeastBaseline, kMostBaseline));
  if (colour.width != disparity.width || colour.height != disparity.height)
    throw Error(ErrorCode::usage,
                fmt::format("disparity_to_cloud: colour is {} x {}, disparity {} x {}",
                            colour.width, colour.height, disparity.width, disparity.height));
  std::vector<CloudPoint> points;
  const bool grey = colour.channels < 3;
  for (int y = 0; y < disparity.height; ++y) {
    for (int x = 0; x < disparity.width; ++x) {
      const double shift = double{disparity.at(x, y)} + doffs;
      if (!std::isfinite(shift) || shift <= 0) continue;
      const double z = baseline * left.fx / shift;
      const CloudPoint p = {static_cast<float>((x - left.cx) / left.fx * z),
                            static_cast<float>((y - left.cy) / left.fy * z),
                            static_cast<float>(z),
                            colour.at(x, y, 0),
                            colour.at(x, y, grey ? 0 : 1),
                            colour.at(x, y, grey ? 0 : 2)};
      // A disparity near -doffs gives a point beyond the range of float.
      const bool is_finite = std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z);
      if (is_finite && p.z > 0) points.push_back(p);
    }
  }
  return points;
}

}  // namespace bifocal
