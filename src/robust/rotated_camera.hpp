// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/two_view.hpp>
#include <span>

namespace bifocal::robust {

// Largest relative error of focal lengths from data sheets and EXIF in most cases.
inline constexpr double kFocalDoubt = 0.15;

// Replaces a relative pose by a rotation if a wrong focal length explains its translation. The
// matches of a rotated camera with a wrong focal length look like a small translation: a homography
// K R K^-1 with another K explains them, and so does an essential matrix. `found` becomes
// rotation_only, with t = 0 and no E, if a rotation with focal lengths within kFocalDoubt of the
// given focal lengths explains its inliers and no match off the rotation proves depth.
void doubt_translation(std::span<const PointPair> points, const Intrinsics& camera1,
                       const Intrinsics& camera2, double threshold, RelativePoseResult& found);

}  // namespace bifocal::robust
