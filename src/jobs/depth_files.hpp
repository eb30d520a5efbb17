// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/draw.hpp>
#include <bifocal/two_photographs.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

namespace bifocal::jobs {

// Summary of the known pixels; numbers are NaN without known pixels.
struct DepthSummary {
  double known = 0;                      // percentage of the pixels
  double near = 0, median = 0, far = 0;  // unit |t| = 1; near and far leave out 2 % at each end
  double relative_deviation = 0;         // median of deviation / depth
};
[[nodiscard]] DepthSummary summary_of(const DepthMap& map);

// Describes in sentences the origin of the depth, the number of known pixels and the accuracy.
// written: points of cloud.ply.
[[nodiscard]] std::string depth_text(const DensePair& dense, std::size_t written);

// Draws each known depth in the turbo colour of place(depth, deviation), from 0 to 1.
template <class Place>
[[nodiscard]] ImageU8 painted(const DepthMap& map, const Place& place, Colour unknown = {}) {
  ImageU8 rgb(map.depth.width, map.depth.height, 3);
  for (std::size_t i = 0; i < map.depth.pixels.size(); ++i) {
    const double z = map.depth.pixels[i], t = place(z, double(map.deviation.pixels[i]));
    const Colour c = std::isfinite(z) && !std::isnan(t) ? turbo_colour(t) : unknown;
    std::uint8_t* p = &rgb.pixels[3 * i];
    p[0] = c.r, p[1] = c.g, p[2] = c.b;
  }
  return rgb;
}
// Draws inverse depth from blue (far) to red (near).
[[nodiscard]] ImageU8 depth_picture(const DepthMap& map, Colour unknown = {});

}  // namespace bifocal::jobs
