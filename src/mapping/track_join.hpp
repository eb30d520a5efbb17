// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/scene.hpp"

namespace bifocal::mapping {

// Matches of one pair as places in MapPair::inliers, in ascending order.
struct PairMatches {
  int pair = 0;
  std::span<const std::int32_t> inliers;
};

// Joins the matches of the pairs to tracks. The pairs with the most matches come first. A match
// that would join two tracks with a common view is passed over, so an inconsistent track is split
// where its matches are weakest. The tracks are in the order of their first matches. At most 2^32
// features.
[[nodiscard]] Tracks joined(const ViewGraph& graph, std::vector<PairMatches> pairs);

}  // namespace bifocal::mapping
