// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/two_view.hpp>
#include <span>

namespace bifocal::robust {

// The fraction by which focal lengths of data sheets and EXIF are off at most, as a rule.
inline constexpr double kFocalDoubt = 0.15;

// A rotated camera whose focal length is not the given one looks like a small translation: a
// homography K R K^-1 of another K explains its matches, and so does an essential matrix. Where
// focal lengths within kFocalDoubt of the given ones explain the inliers of `found` by a rotation,
// and no match off the rotation proves depth, `found` becomes that rotation: rotation_only, t = 0,
// no E.
void doubt_translation(std::span<const PointPair> points, const Intrinsics& camera1,
                       const Intrinsics& camera2, double threshold, RelativePoseResult& found);

}  // namespace bifocal::robust
