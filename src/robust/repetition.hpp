// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/two_view.hpp>

namespace bifocal::robust {

// Returns whether a model is tested against a rival: epipolar models without depths whose outcome
// is ok.
[[nodiscard]] bool has_rivals(ModelKind kind, const Estimate& found);

// Fits a rival model to the outliers of `found`. Sets rival_inliers and rival_ratio.
[[nodiscard]] Repetition find_rival(Queue& queue, ModelKind kind, std::span<const PointPair> points,
                                    const EstimateResult& found, const EstimateInput& input);

// Returns -log10 of the probability that structured outliers support a model as well. The
// probability is a binomial tail. Its rate starts at 25 % with the weight of 160 matches and is
// updated by half of the rival's inliers. Only half are counted, because the rival is the best
// of many models. support: inliers that count as evidence.
[[nodiscard]] double evidence_against_structure(ModelKind kind, int support, int inliers,
                                                int rival_inliers, int matches);

}  // namespace bifocal::robust
