// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/repetition.hpp>

namespace bifocal::robust {

// Whether the test against a rival is made for these: epipolar models with inliers and an outcome
// of ok.
[[nodiscard]] bool has_rivals(ModelKind kind, const Estimate& found);

// Sets rival_inliers and rival_ratio.
[[nodiscard]] Repetition find_rival(ModelKind kind, std::span<const PointPair> points,
                                    const EstimateResult& found, const EstimateInput& input);

// -log10 of the probability that a structured set of outliers supports a model as well: binomial,
// with a rate that begins at 25 %, worth 160 matches, and is measured by half of the rival's
// inliers. Half, because the rival is the best of many models.
[[nodiscard]] double evidence_against_structure(ModelKind kind, int inliers, int rival_inliers,
                                                int matches);

}  // namespace bifocal::robust
