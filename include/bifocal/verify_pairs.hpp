// SPDX-License-Identifier: BSD-3-Clause
// From the features of many images to the verified geometry of their pairs, on one device.
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
  ModelKind kind = ModelKind::fundamental;  // of two views
  RobustOptions robust = {};
  // Only pairs that pass it are matched and given to `take` (screen_pairs).
  std::optional<ScreenOptions> screen = {};
  // Verified pairs are matched again along their model (match_guided, up to twice the threshold
  // from it) and verified again; what has more inliers stays.
  bool guided = false;
  int pairs_at_once = 4096;  // takes memory for so many
  // Of the matches of a pair between the same two places one is kept (keep_distinct_places), as
  // estimate_pair() does.
  bool distinct_places = true;
};
constexpr const char* name_of(const VerifyOptions&) { return "VerifyOptions"; }
template <MaybeConst<VerifyOptions> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [matching, min_matches, kind, robust, screen, guided, pairs_at_once, distinct_places] =
      options;
  BIFOCAL_FIELD(matching, "how features are matched");
  BIFOCAL_FIELD(min_matches, "pairs with fewer have no model (too_few_points)", Range::at_least(1));
  BIFOCAL_FIELD(kind, "model that is sought", Range::one_of(kModelKindWords));
  BIFOCAL_FIELD(robust, "how the model is estimated");
  BIFOCAL_FIELD(screen, "only pairs that pass it are matched");
  BIFOCAL_FIELD(guided, "match again along the model that was found, and estimate again");
  BIFOCAL_FIELD(pairs_at_once, "results come in pieces of so many pairs", Range::at_least(1));
  BIFOCAL_FIELD(distinct_places, "keep one of the matches between the same two places");
}

// A piece of the pairs, as long as the call that it is given to lasts. Pair k has the matches
// [offsets[k], offsets[k + 1]).
struct VerifiedPairs {
  std::span<const ImagePair> pairs;
  std::span<const std::int64_t> offsets;
  std::span<const Match> matches;
  std::span<const Estimate> estimates;    // one a pair
  std::span<const std::uint8_t> inliers;  // 1 or 0 for each match
};

// Matches the pairs and estimates their model (matching.hpp, robust.hpp): what match(),
// keep_distinct_places() and estimate_batch() give for each, whatever the others are. `cameras`:
// one for all images or one each, for problems that take them; where one has a lens, points are
// undistorted first, and errors are px of the pinholes (LensCamera::pinhole). `take` gets the
// pieces in their order. Throws Error(usage) for a problem that is not of two views, pairs_at_once
// or min_matches below 1, cameras that do not fit, `guided` with a lens, and as match() and
// estimate_batch() do.
void verify_pairs(Queue& queue, const FeatureSet& set, std::span<const ImagePair> pairs,
                  std::span<const LensCamera> cameras, const VerifyOptions& options,
                  const std::function<void(const VerifiedPairs&)>& take);

}  // namespace bifocal
