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

// Least evidence of an undoubted model: the largest evidence of a wrong pose among the pairs of
// castle-P19 with number mod 3 = 0 (scripts/measure/belief).
constexpr double kLeastEvidence = 1.45;
// Descriptor distance of a feature to the most similar feature of its own image in a scene
// without repetition (RootSIFT; 186 to 208 in fountain-P11 and Herz-Jesus-P8, 92 to 163 in
// most of castle-P19).
constexpr double kUniqueDistance = 180;
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

// Returns the median, over up to 128 matches, of the smaller distance of the two features.
double median_twin_distance(const std::array<Features, 2>& features, const double (&radius)[2],
                            std::span<const Match> matches) {
  constexpr std::size_t kMost = 128;
  const std::size_t count = std::min(kMost, matches.size());
  if (count == 0) return 0;
  std::vector<int> distances(count);
  runtime::parallel_each(
      count,
      [&](std::size_t i) {
        const Match& m = matches[i * matches.size() / count];
        distances[i] = std::min(twin_distance(features[0], m.index1, radius[0]),
                                twin_distance(features[1], m.index2, radius[1]));
      },
      8);
  return std::sqrt(static_cast<double>(upper_median(distances)));
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
  const bool is_known = kind == ModelKind::essential || kind == ModelKind::fundamental;
  if (!is_known || !robust::has_rivals(kind, found.model)) return {};
  const std::vector<Intrinsics> cameras = cameras_for(kind, options);
  Repetition r =
      robust::find_rival(kind, found.points, found.model,
                         {.cameras = cameras, .options = options.robust, .queue = &queue});
  r.evidence = robust::evidence_against_structure(kind, found.model.inlier_count, r.rival_inliers,
                                                  static_cast<int>(found.points.size()));
  if (!options.surf && options.sift.root) {
    const double radius[] = {kOwnPlace * diagonals[0], kOwnPlace * diagonals[1]};
    r.twin_distance = median_twin_distance({features.get(queue, 0), features.get(queue, 1)}, radius,
                                           found.matches);
    r.evidence *= std::pow(r.twin_distance / kUniqueDistance, 4);
  }
  r.is_doubted = r.evidence < kLeastEvidence + std::log10(tries);
  if (!r.is_doubted) return r;
  r.reason = fmt::format(
      "repeated structure: {} of {} matches agree with the model, {} of the others with another "
      "one",
      found.model.inlier_count, found.points.size(), r.rival_inliers);
  if (r.twin_distance > 0)
    r.reason += fmt::format(
        ", and matched features resemble others of their own image (median distance {:.0f}, "
        "about {:.0f} without repetition)",
        r.twin_distance, kUniqueDistance);
  return r;
}

}  // namespace bifocal::pair
