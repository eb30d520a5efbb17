// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/robust.hpp>

#include <span>

namespace bifocal::robust {

// F and the distortion k of radial_fundamental, and the camera that holds its centre and unit.
struct LensModel {
  Mat3 F{};
  double distortion = 0;
  Intrinsics unit;
};
// Returns the distortion of the least-squares fit to all points, from this start.
[[nodiscard]] double refined_distortion(const LensModel& start, std::span<const PointPair> points);

}  // namespace bifocal::robust
