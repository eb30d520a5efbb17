// SPDX-License-Identifier: BSD-3-Clause
// What RANSAC finds of a pair, whatever the device, and what the caller is told of it.
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

// RANSAC on this machine. inliers [given.count]: 0 before.
[[nodiscard]] PairFound ransac_pair(ModelKind problem, const GivenPair& given,
                                    const RobustOptions& options, std::uint8_t* inliers);

[[nodiscard]] inline bool has_model(Outcome outcome) {
  return outcome == Outcome::ok || outcome == Outcome::not_significant ||
         outcome == Outcome::rotation_only;
}

// Outcome, numbers, matrix and pose. The inlier flags of a pair that is not `ok` are no inliers.
[[nodiscard]] Estimate estimate_of(ModelKind problem, const PairFound& found);

}  // namespace bifocal::robust
