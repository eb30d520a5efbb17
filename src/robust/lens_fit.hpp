// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/robust.hpp>

#include <span>

namespace bifocal::robust {

// F and the distortion k of the problem radial_fundamental, with the camera that holds the centre
// of distortion and the unit of k.
struct LensModel {
  Mat3 F{};
  double distortion = 0;
  Intrinsics unit;
};
// Returns the distortion k of the least-squares fit to all points, starting from `start`.
[[nodiscard]] double refined_distortion(const LensModel& start, std::span<const PointPair> points);

}  // namespace bifocal::robust
