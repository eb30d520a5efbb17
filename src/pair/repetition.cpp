// SPDX-License-Identifier: BSD-3-Clause
#include "pair/repetition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "features/matching/match_guided.hpp"
#include "math/median.hpp"
#include "robust/repetition.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::pair {
namespace {

// Least evidence of an undoubted model, and the largest ratio of the distance of a match to the
// distance of its features' twins at which the match counts as evidence. Chosen on castle-P19 and
// fountain-P11 (docs/develop/notes/repetition.md).
constexpr double kLeastEvidence = 0.5, kUniqueRatio = 0.9;
// An undoubted model has at least kOdds * s^kSlope unique inliers per other inlier, where s is the
// number of matches divided by the smaller number of features: views that share many features are
// close to each other, so a correct match is much more similar than a twin. Without cameras a
// wrong model has more inliers. Chosen on wallpapers (tests/synthetic/wallpaper.hpp) and
// photographs (docs/develop/notes/repetition.md).
constexpr double kOdds = 20, kOddsWithoutCameras = 40, kSlope = 1.2;
constexpr std::size_t kDescriptor = 128;

// Returns the squared descriptor distance of a feature to the most similar feature of its image at
// least `radius` px away.
int twin_distance(const Features& set, int index, double radius) {
  const Keypoint& own = set.keypoints[static_cast<std::size_t>(index)];
  const std::uint8_t* descriptor =
      set.descriptors.data() + kDescriptor * static_cast<std::size_t>(index);
  int least = std::numeric_limits<int>::max();
  for (std::size_t i = 0; i < set.keypoints.size(); ++i) {
    const Keypoint& other = set.keypoints[i];
    if (std::hypot(other.x - own.x, other.y - own.y) < radius) continue;
    least = std::min(
        least, features::squared_distance(descriptor, set.descriptors.data() + kDescriptor * i));
  }
  return least;
}

// Inliers compared with their twins, the most similar features elsewhere in their own images.
struct Twins {
  double median_distance = 0;
  // Share of the inliers whose descriptor distance is smaller than that of the twins.
  double unique_ratio = 1;
};

// Compares up to 128 inliers.
Twins compare_with_twins(const std::array<Features, 2>& features, const double (&radius)[2],
                         const ModelMatches& found) {
  constexpr std::size_t kMost = 128;
  std::vector<Match> inliers;
  for (std::size_t i = 0; i < found.matches.size(); ++i)
    if (found.model.inliers[i]) inliers.push_back(found.matches[i]);
  const std::size_t count = std::min(kMost, inliers.size());
  if (count == 0) return {};
  std::vector<int> distances(count);
  std::vector<std::uint8_t> is_unique(count);
  runtime::parallel_each(
      count,
      [&](std::size_t i) {
        const Match& m = inliers[i * inliers.size() / count];
        const int twin = std::min(twin_distance(features[0], m.index1, radius[0]),
                                  twin_distance(features[1], m.index2, radius[1])),
                  own = features::squared_distance(
                      features[0].descriptors.data() + kDescriptor * std::size_t(m.index1),
                      features[1].descriptors.data() + kDescriptor * std::size_t(m.index2));
        distances[i] = twin;
        is_unique[i] = own < kUniqueRatio * kUniqueRatio * twin;
      },
      8);
  return {std::sqrt(static_cast<double>(upper_median(distances))),
          static_cast<double>(std::ranges::count(is_unique, 1)) / static_cast<double>(count)};
}

// Returns the least share of unique inliers of an undoubted model.
double least_unique_ratio(ModelKind kind, std::size_t matches, std::size_t features) {
  const double share = static_cast<double>(matches) / static_cast<double>(features),
               odds = (problem_info(kind).cameras == 0 ? kOddsWithoutCameras : kOdds) *
                      std::pow(share, kSlope);
  return odds / (1 + odds);
}

std::string reason_of(const Repetition& r, const ModelMatches& found, double least_unique) {
  std::string reason = fmt::format("repeated structure: {} of {} matches agree with the model",
                                   found.model.num_inliers, found.points.size());
  if (r.rival_inliers > 0)
    reason += fmt::format(", {} of the others with another one", r.rival_inliers);
  if (r.twin_distance > 0)
    reason += fmt::format(
        ", and {:.0f} % of these matches are more similar than other places of their own image",
        100 * r.unique_ratio);
  if (r.unique_ratio < least_unique)
    reason += fmt::format(" (at least {:.0f} % without repetition)", 100 * least_unique);
  return reason;
}

}  // namespace

std::vector<Intrinsics> cameras_for(ModelKind kind, const PairOptions& options) {
  if (problem_info(kind).cameras == 0) return {};
  return {*options.camera1, *options.camera2};
}

Repetition repetition(const PairFeatures& pair, const ModelMatches& found, int tries) {
  constexpr double kOwnPlace = 0.02;  // of the diagonal: nearer features are no twins
  const auto& [queue, features, options, diagonals] = pair;
  const ModelKind kind = found.kind;
  const bool is_plane = kind == ModelKind::homography;
  if (!found.model.ok() || problem_info(kind).estimates_distortion) return {};
  Repetition r;
  // Two planes have two correct homographies, so the rival of a homography is no counter-evidence.
  if (!is_plane)
    r = robust::find_rival(queue, kind, found.points, found.model,
                           {.cameras = cameras_for(kind, options), .options = options.robust});
  double least_unique = 0;
  if (!options.surf && options.sift.root) {
    const double radius[] = {kOwnPlace * diagonals[0], kOwnPlace * diagonals[1]};
    const std::array<Features, 2> both = {features.get(queue, 0), features.get(queue, 1)};
    const Twins twins = compare_with_twins(both, radius, found);
    r.twin_distance = twins.median_distance;
    r.unique_ratio = twins.unique_ratio;
    least_unique = least_unique_ratio(kind, found.matches.size(),
                                      std::min(both[0].keypoints.size(), both[1].keypoints.size()));
  }
  const int inliers = found.model.num_inliers,
            unique = static_cast<int>(std::lround(r.unique_ratio * inliers));
  r.evidence = robust::evidence_against_structure(kind, unique, inliers, r.rival_inliers,
                                                  static_cast<int>(found.points.size()));
  r.is_doubted = r.evidence < kLeastEvidence + std::log10(tries) || r.unique_ratio < least_unique;
  if (r.is_doubted) r.reason = reason_of(r, found, least_unique);
  return r;
}

}  // namespace bifocal::pair
