// SPDX-License-Identifier: BSD-3-Clause
// The model of a pair as a guide for a second round of matching.
#pragma once

#include <bifocal/matching.hpp>
#include <bifocal/robust.hpp>

namespace bifocal::robust {

// Largest distance of a second-round candidate from the model, in thresholds. More than 1, because
// the new matches move the model a little.
inline constexpr double kGuideWidth = 2;

// Returns the guide for a two-view problem with given pinhole cameras. Problems without cameras
// ignore them.
inline MatchGuide guide_of(ModelKind kind, const Mat3& model, const Intrinsics& camera1,
                           const Intrinsics& camera2, double threshold) {
  const ProblemInfo problem = problem_info(kind);
  if (problem.symbol == "E")
    return {GuideKind::epipolar, fundamental_from_essential(model, camera1, camera2), threshold};
  return {problem.symbol == "F" ? GuideKind::epipolar : GuideKind::homography, model, threshold};
}

}  // namespace bifocal::robust
