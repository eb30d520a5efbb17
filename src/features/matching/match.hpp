// SPDX-License-Identifier: BSD-3-Clause
// What the ways of matching share: the arguments' checks and the rule that keeps a match.
#pragma once

#include <bifocal/features.hpp>
#include <bifocal/matching.hpp>

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "features/matching/match_kernel.hpp"

namespace bifocal::features {

// Throw Error(usage) that names the argument and its value.
void check_features(const Features& features, const char* function, const char* name);

// Nearest over second nearest; 0 where there is no second. Kernels compute it with these roundings.
inline float distance_ratio(std::int32_t nearest, std::int32_t second) {
  if (second >= kNoDistance) return 0;
  return second == 0 ? 1.0F : static_cast<float>(std::sqrt(static_cast<double>(nearest) / second));
}

// MatchOptions as comparisons of what is exact.
struct MatchRule {
  float least_ratio;          // that is too large
  std::int32_t max_distance;  // squared
  bool mutual, ratio_both_ways;
};
[[nodiscard]] MatchRule rule_of(const MatchOptions& options);

// What the rule keeps of `count` rows.
[[nodiscard]] std::vector<Match> select_matches(const Nearest& rows, const Nearest& columns,
                                                int count, const MatchRule& rule);

// Descriptors of one image, [count][128].
struct DescriptorRows {
  const std::uint8_t* data;
  int count;
};
[[nodiscard]] std::vector<Match> match_rows(DescriptorRows rows1, DescriptorRows rows2,
                                            const MatchOptions& options);

// Those of one image with its keypoints.
struct FeatureRows {
  const Keypoint* keypoints;
  DescriptorRows descriptors;
};
[[nodiscard]] std::vector<Match> match_rows_guided(const FeatureRows& rows1,
                                                   const FeatureRows& rows2,
                                                   const MatchGuide& guide,
                                                   const MatchOptions& options);

}  // namespace bifocal::features
