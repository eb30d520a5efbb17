// SPDX-License-Identifier: BSD-3-Clause
// OpenCV's robust estimators: one thread, the confidence of RobustOptions, at most 10,000 samples.
#pragma once

#ifdef BIFOCAL_PEER_OPENCV
#include <functional>
#include <span>
#include <string>

#include "suites/robust_suite.hpp"

namespace bifocal::bench {

// USAC_MAGSAC.
[[nodiscard]] FoundModel opencv_homography(std::span<const PointPair> points, double threshold);
[[nodiscard]] FoundModel opencv_fundamental(std::span<const PointPair> points, double threshold);
// For two cameras: works on points in pixels of the first camera.
[[nodiscard]] FoundModel opencv_essential(std::span<const PointPair> points,
                                          const Intrinsics& camera1, const Intrinsics& camera2,
                                          double threshold);

// Returns the estimator of a problem, or an empty function if OpenCV has none.
struct OpencvPeer {
  std::string name;
  std::function<FoundModel(const ProblemScene&, double threshold)> estimate;
};
[[nodiscard]] OpencvPeer opencv_peer(ModelKind problem);

}  // namespace bifocal::bench
#endif
