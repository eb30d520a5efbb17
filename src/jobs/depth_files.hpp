// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/two_photographs.hpp>

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

// Draws inverse depth from blue (far) to red (near), unknown in black.
[[nodiscard]] ImageU8 depth_picture(const DepthMap& map);

}  // namespace bifocal::jobs
