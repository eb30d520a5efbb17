// SPDX-License-Identifier: BSD-3-Clause
// What the search finds of a pair, whatever the device, and what the caller is told of it.
#pragma once

#include <bifocal/device.hpp>
#include <span>

#include "robust/pair_points.hpp"

namespace bifocal::robust {

// Matches that share a point count once in the significance test.
struct DistinctMatches {
  int count;    // different points, in the image (or scene) that has fewer
  int inliers;  // inliers among them
};

struct PairFound {
  Result result{};
  Info info{};
  int count = 0;  // finite points of a weight above 0
  DistinctMatches distinct{};
};

// The search on this machine. inliers [given.count]: 0 before.
[[nodiscard]] PairFound search_pair(ModelKind problem, const GivenPair& given,
                                    const RobustOptions& options, std::uint8_t* inliers);

[[nodiscard]] inline bool has_model(Outcome outcome) {
  return outcome == Outcome::ok || outcome == Outcome::not_significant ||
         outcome == Outcome::rotation_only;
}

// Outcome, numbers, matrix and pose. The inlier flags of a pair that is not `ok` are no inliers.
[[nodiscard]] PairEstimate estimate_of(ModelKind problem, const PairFound& found);

}  // namespace bifocal::robust
