// SPDX-License-Identifier: BSD-3-Clause
// OpenCV's robust estimators (USAC_MAGSAC), one thread.
#pragma once

#ifdef BIFOCAL_PEER_OPENCV
#include <span>

#include "suites/robust_suite.hpp"

namespace bifocal::bench {

[[nodiscard]] Estimate opencv_homography(std::span<const PointPair> points, double threshold);
[[nodiscard]] Estimate opencv_fundamental(std::span<const PointPair> points, double threshold);
// Of two cameras: on points of the first one's pixels.
[[nodiscard]] Estimate opencv_essential(std::span<const PointPair> points,
                                        const Intrinsics& camera1, const Intrinsics& camera2,
                                        double threshold);

}  // namespace bifocal::bench
#endif
