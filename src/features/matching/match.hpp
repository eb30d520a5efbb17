// SPDX-License-Identifier: BSD-3-Clause
// Checks of arguments and the rule that keeps a match, shared by all kinds of matching.
#pragma once

#include <bifocal/features.hpp>
#include <bifocal/matching.hpp>

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "features/matching/match_kernel.hpp"

namespace bifocal::features {

// Throws Error(usage) that names the argument and its value.
void check_features(const Features& features, const char* function, const char* name);

// Tasks of the CPU; each has its own result for all columns.
inline constexpr int kMostTasks = 16;

// Returns the ratio of the nearest to the second nearest distance from their squares; 0 without a
// second. Kernels compute it with the same roundings.
inline float distance_ratio(std::int32_t nearest, std::int32_t second) {
  if (second >= kNoDistance) return 0;
  return second == 0 ? 1.0F : static_cast<float>(std::sqrt(static_cast<double>(nearest) / second));
}

// MatchOptions as comparisons of exact numbers.
struct MatchRule {
  float least_ratio;          // smallest ratio that is too large
  std::int32_t max_distance;  // limit of the squared distance
  bool mutual, ratio_both_ways;
};
[[nodiscard]] MatchRule rule_of(const MatchOptions& options);

// Returns the matches that the rule keeps among `count` rows.
[[nodiscard]] std::vector<Match> select_matches(const Nearest& rows, const Nearest& columns,
                                                int count, const MatchRule& rule);

// Descriptors of one image, [count][128].
struct DescriptorRows {
  const std::uint8_t* data;
  int count;
};
[[nodiscard]] std::vector<Match> match_rows(DescriptorRows rows1, DescriptorRows rows2,
                                            const MatchOptions& options);

// Keypoints and descriptors of one image.
struct FeatureRows {
  const Keypoint* keypoints;
  DescriptorRows descriptors;
};
[[nodiscard]] std::vector<Match> match_rows_guided(const FeatureRows& rows1,
                                                   const FeatureRows& rows2,
                                                   const MatchGuide& guide,
                                                   const MatchOptions& options);

}  // namespace bifocal::features
