// SPDX-License-Identifier: BSD-3-Clause
// A test for epipolar geometry that repeated structure explains equally well.
#pragma once

#include <span>
#include <string>
#include <vector>

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
  double twin_distance = 0;  // median descriptor distance of the inliers' features to the most
                             // similar feature elsewhere in their own image
  double unique_ratio = 1;  // share of the inliers that are clearly more similar than that feature;
                            // doubted if it is smaller than expected for views with so many matches
  double evidence = 0;  // support of the model by unique inliers against structured outliers; below
                        // 0.5 (plus log10 of the tries of PairOptions::escalate) it is doubted
};

// Tests an epipolar model by the matches alone: it is doubted if rival_ratio exceeds 0.3.
//
// found: the result of estimate() for the same points and input. Models that are not ok, and models
// of other problems, are not doubted. Homographies have no test, because a scene with two planes
// has two correct homographies. Samples the outliers, on the queue of `input`. A model of few
// inliers may take longer to test than to estimate. Throws like estimate().
[[nodiscard]] Repetition find_repetition(ModelKind kind, std::span<const PointPair> points,
                                         const EstimateResult& found,
                                         const EstimateInput& input = {});

// Tests the epipolar models of a batch as find_repetition() does. Returns one result per pair, on a
// CPU the same as for the pair alone.
//
// points, input: arguments of estimate_batch(), in host memory. found: its result. The outliers of
// pairs whose tests need similar numbers of samples are estimated in one batch on the queue.
// Throws Error(usage) if the sizes do not fit or the problem takes other points, and
// Error(device).
[[nodiscard]] std::vector<Repetition> find_repetition_batch(Queue& queue, ModelKind kind,
                                                            const Memory<const PointPair>& points,
                                                            const BatchInput& input,
                                                            const BatchEstimate& found);

}  // namespace bifocal
