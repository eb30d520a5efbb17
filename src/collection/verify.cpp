// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/error.hpp>
#include <bifocal/verify_pairs.hpp>

#include <fmt/format.h>

#include <algorithm>

#include "verify/policies.hpp"

namespace bifocal {
namespace {

[[noreturn]] void refuse_verification(const std::string& message) {
  throw Error(ErrorCode::usage, "verify_pairs: " + message);
}

bool takes_cameras(ModelKind kind) { return problem_info(kind).cameras > 0; }

void check(const FeatureSet& set, std::span<const LensCamera> cameras, const VerifyOptions& o) {
  check_options(o);
  if (!problem_info(o.kind).is_two_view)
    refuse_verification(
        fmt::format("VerifyOptions::kind = {}: must be of two views", to_string(o.kind)));
  if (problem_info(o.kind).takes_depths)
    refuse_verification(fmt::format("VerifyOptions::kind = {}: matches of features have no depths",
                                    to_string(o.kind)));
  if (takes_cameras(o.kind) && cameras.size() != 1 &&
      cameras.size() != static_cast<std::size_t>(set.size()))
    refuse_verification(fmt::format("{} cameras, must be one or one for each of the {} images",
                                    cameras.size(), set.size()));
  if (o.guided && takes_cameras(o.kind) && std::ranges::any_of(cameras, &LensCamera::has_lens))
    refuse_verification(
        "VerifyOptions::guided: features of cameras with lenses do not lie on epipolar lines");
  if (o.guided && problem_info(o.kind).estimates_distortion)
    refuse_verification(
        fmt::format("VerifyOptions::guided: the matches of a {} do not lie on epipolar lines",
                    to_string(o.kind)));
}

}  // namespace

std::vector<ImagePair> all_pairs(int images) {
  std::vector<ImagePair> pairs;
  for (int i = 0; i < images; ++i) {
    for (int j = i + 1; j < images; ++j) pairs.push_back({i, j});
  }
  return pairs;
}

void verify_pairs(Queue& queue, const FeatureSet& set, std::span<const ImagePair> pairs,
                  std::span<const LensCamera> cameras, const VerifyOptions& options,
                  const std::function<void(const VerifiedPairs&)>& take) {
  check(set, cameras, options);
  std::vector<ImagePair> passed;
  if (options.screen) {
    const std::vector<int> matches = screen_pairs(queue, set, pairs, *options.screen);
    for (std::size_t k = 0; k < pairs.size(); ++k)
      if (matches[k] >= options.screen->min_matches) passed.push_back(pairs[k]);
    pairs = passed;
  }
  const verify::MatchingRules rules{options.matching, options.distinct_places};
  verify::PairVerifier<verify::OneModel> verifier(
      queue, rules,
      verify::OneModel(queue, {options.kind, options.robust, options.min_matches, cameras}));
  const auto piece = static_cast<std::size_t>(options.pairs_at_once);
  for (std::size_t first = 0; first < pairs.size(); first += piece) {
    const auto own = pairs.subspan(first, std::min(piece, pairs.size() - first));
    const verify::Verified<Estimate>* found = &verifier.run(set, own);
    if (options.guided) found = &verifier.run_guided(set, own);
    take({own, found->offsets, found->matches, found->results, found->inliers});
  }
}

}  // namespace bifocal
