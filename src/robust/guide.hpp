// SPDX-License-Identifier: BSD-3-Clause
// The model of a pair as a guide for a second round of matches.
#pragma once

#include <bifocal/matching.hpp>
#include <bifocal/robust.hpp>

namespace bifocal::robust {

// Candidates of the second round may lie so many thresholds from the model, which moves a little.
inline constexpr double kGuideWidth = 2;

// The model of a problem of two views whose pinholes are given; of those that take no cameras they
// count for nothing.
inline MatchGuide guide_of(ModelKind kind, const Mat3& model, const Intrinsics& camera1,
                           const Intrinsics& camera2, double max_error) {
  const ProblemInfo problem = problem_info(kind);
  if (problem.symbol == "E")
    return {GuideKind::epipolar, fundamental_from_essential(model, camera1, camera2), max_error};
  return {problem.symbol == "F" ? GuideKind::epipolar : GuideKind::homography, model, max_error};
}

}  // namespace bifocal::robust
