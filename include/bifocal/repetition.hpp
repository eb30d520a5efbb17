// SPDX-License-Identifier: BSD-3-Clause
// A test for epipolar geometry that repeated structure explains equally well.
#pragma once

#include <span>
#include <string>

#include <bifocal/robust.hpp>

namespace bifocal {

// Result of a test of an epipolar model (F, E and relative poses) against a structured alternative.
// The significance test of estimate() assumes uniformly distributed outliers, but similar windows,
// columns or tiles give outliers that support each other. The rival is the best model of the
// outliers. Without repetition it has few inliers beyond its own sample; with repetition nearly the
// number of the model.
//   C. Zach, A. Irschara, H. Bischof, What can missing correspondences tell us about 3D structure
//   and motion?, CVPR 2008.
//   N. Jiang, P. Tan, L.-F. Cheong, Seeing double without confusion: structure-from-motion in
//   highly ambiguous scenes, CVPR 2012.
struct Repetition {
  bool is_doubted = false;
  std::string reason;     // reason of the doubt, with numbers; empty without doubt
  int rival_inliers = 0;  // 0: no rival, or too few outliers
  // Inliers of the rival divided by inliers of the model, both minus a minimal sample.
  double rival_ratio = 0;
  // Measured on images by estimate_pair(); 0 from other functions.
  double twin_distance = 0;  // median descriptor distance of matched features to the most similar
                             // feature elsewhere in their own image
  double evidence = 0;  // support of the model against structured outliers; below 1.45 (plus log10
                        // of the tries of PairOptions::escalate) it is doubted
};

// Tests an epipolar model by the matches alone: it is doubted if rival_ratio exceeds 0.3.
//
// found: the result of estimate() for the same points and input. Models that are not ok, and models
// of other problems, are not doubted. Costs a second estimation from the outliers, on the queue of
// `input`. Throws like estimate().
[[nodiscard]] Repetition find_repetition(ModelKind kind, std::span<const PointPair> points,
                                         const EstimateResult& found,
                                         const EstimateInput& input = {});

}  // namespace bifocal
