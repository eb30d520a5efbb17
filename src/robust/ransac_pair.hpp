// SPDX-License-Identifier: BSD-3-Clause
// The result of RANSAC on a pair, on any device, and its conversion to the caller's Estimate.
#pragma once

#include <bifocal/device.hpp>
#include <span>

#include "robust/pair_points.hpp"

namespace bifocal::robust {

struct PairFound {
  ransac_result result{};
  pair_info info{};
  pair_work work{};
};

// Runs RANSAC on the CPU. inliers [given.count]: must be 0 before the call.
[[nodiscard]] PairFound ransac_pair(ModelKind problem, const GivenPair& given,
                                    const RobustOptions& options, std::uint8_t* inliers);

[[nodiscard]] inline bool has_model(Outcome outcome) {
  return outcome == Outcome::ok || outcome == Outcome::not_significant ||
         outcome == Outcome::rotation_only;
}

// Converts outcome, numbers, matrix and pose. If the outcome is not `ok`, the flagged points do not
// count as inliers.
[[nodiscard]] Estimate estimate_of(ModelKind problem, const PairFound& found);

}  // namespace bifocal::robust
