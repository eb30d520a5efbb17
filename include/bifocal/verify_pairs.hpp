// SPDX-License-Identifier: BSD-3-Clause
// Verification of many image pairs on one device: from features to matches and two-view geometry.
//
//   Queue queue(Device("cuda:0"));
//   SiftDetector detector(queue, width, height, {.max_features = 8192}, 16);
//   FeatureSet set(queue.device());
//   detector.add(images, set);
//   verify_pairs(queue, set, all_pairs(set.size()), {}, {}, [&](const VerifiedPairs& found) { ...
//   });
#pragma once

#include <bifocal/device.hpp>
#include <bifocal/matching.hpp>
#include <bifocal/camera.hpp>
#include <bifocal/pair_selection.hpp>
#include <bifocal/robust.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace bifocal {

struct VerifyOptions {
  MatchOptions matching = {};
  int min_matches = 15;
  ModelKind kind = ModelKind::fundamental;  // a two-view model
  RobustOptions robust = {};
  // Screen (screen_pairs): only pairs that pass it are matched and passed to `take`.
  std::optional<ScreenOptions> screen = {};
  // Verified pairs are matched again along their model (match_guided, with errors up to twice the
  // threshold) and verified again. The result with more inliers is kept.
  bool guided = false;
  int pairs_at_once = 4096;  // memory is allocated for this number of pairs
  // Keeps one of the matches of a pair between the same two positions (keep_distinct_places),
  // like estimate_pair().
  bool distinct_places = true;
};
constexpr const char* name_of(const VerifyOptions&) { return "VerifyOptions"; }
template <MaybeConst<VerifyOptions> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [matching, min_matches, kind, robust, screen, guided, pairs_at_once, distinct_places] =
      options;
  BIFOCAL_FIELD(matching, "how features are matched");
  BIFOCAL_FIELD(min_matches, "pairs with fewer matches have no model (too_few_points)",
                Range::at_least(1));
  BIFOCAL_FIELD(kind, "model to estimate", Range::one_of(kModelKindWords));
  BIFOCAL_FIELD(robust, "how the model is estimated");
  BIFOCAL_FIELD(screen, "screen: only pairs that pass are matched");
  BIFOCAL_FIELD(guided, "match again along the estimated model, and estimate again");
  BIFOCAL_FIELD(pairs_at_once, "number of pairs per batch of results", Range::at_least(1));
  BIFOCAL_FIELD(distinct_places, "keep one of the matches between the same two positions");
}

// Results for a part of the pairs, valid during the call of `take`. Pair k has matches [offsets[k],
// offsets[k + 1]).
struct VerifiedPairs {
  std::span<const ImagePair> pairs;
  std::span<const std::int64_t> offsets;
  std::span<const Match> matches;
  std::span<const Estimate> estimates;    // one for each pair
  std::span<const std::uint8_t> inliers;  // 1 or 0 for each match
};

// Matches pairs of images and estimates their models. Each pair gets the results of match(),
// keep_distinct_places() and estimate_batch() (matching.hpp, robust.hpp), independently of the
// other pairs.
//
// cameras: one for all images or one for each, for problems that take cameras. If a camera has
// distortion, points are undistorted first and errors are in px of the pinholes
// (LensCamera::pinhole). take: receives the results in the order of the pairs. Throws Error(usage)
// for a problem that does not take two views, pairs_at_once or min_matches below 1, cameras that do
// not match the images, and `guided` with distortion; also throws like match()
// and estimate_batch().
void verify_pairs(Queue& queue, const FeatureSet& set, std::span<const ImagePair> pairs,
                  std::span<const LensCamera> cameras, const VerifyOptions& options,
                  const std::function<void(const VerifiedPairs&)>& take);

}  // namespace bifocal
