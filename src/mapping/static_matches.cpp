// SPDX-License-Identifier: BSD-3-Clause
// Matches of points at one place of all images: logos, time stamps, a bonnet, the background of a
// turntable.
#include "mapping/static_matches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace bifocal::mapping {
namespace {

constexpr double kStill = 3, kMoved = 10;   // px
constexpr std::size_t kFewestMoved = 15;    // matches of a pair whose camera moved
constexpr double kImages = 0.8;             // share of the images that have static features
constexpr std::size_t kFewestFeatures = 5;  // of such an image
constexpr double kPart = 0.1;  // of the matches of a pair, from which on its F may be wrong
constexpr double kDoubtedPairs = 0.05;

double displacement(const ViewGraph& graph, const MapPair& pair, const colmap::IndexPair& match) {
  const Vec2 &x1 = graph.images[static_cast<std::size_t>(pair.image1)].features[match.index1],
             &x2 = graph.images[static_cast<std::size_t>(pair.image2)].features[match.index2];
  return std::hypot(x2[0] - x1[0], x2[1] - x1[1]);
}

struct Counts {
  std::uint16_t still = 0, moved = 0;  // in pairs with motion; in all pairs

  [[nodiscard]] bool is_static() const { return still >= 2 && still > 2 * moved; }
};
using FeatureCounts = std::vector<std::vector<Counts>>;  // [image][feature]

FeatureCounts counts_of(const ViewGraph& graph) {
  FeatureCounts counts(graph.images.size());
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i].resize(graph.images[i].features.size());
  for (const MapPair& pair : graph.pairs) {
    std::size_t moved = 0;
    for (const colmap::IndexPair& match : pair.inliers)
      moved += displacement(graph, pair, match) > kMoved ? 1 : 0;
    for (const colmap::IndexPair& match : pair.inliers) {
      Counts &one = counts[static_cast<std::size_t>(pair.image1)][match.index1],
             &two = counts[static_cast<std::size_t>(pair.image2)][match.index2];
      if (displacement(graph, pair, match) > kStill)
        ++one.moved, ++two.moved;
      else if (moved >= kFewestMoved)
        ++one.still, ++two.still;
    }
  }
  return counts;
}

// Nearly all images that have a pair have static features.
bool are_in_all(const ViewGraph& graph, const FeatureCounts& counts) {
  std::vector<bool> is_paired(graph.images.size());
  for (const MapPair& pair : graph.pairs)
    for (const int i : {pair.image1, pair.image2}) is_paired[static_cast<std::size_t>(i)] = true;
  double images = 0, with = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (!is_paired[i]) continue;
    ++images;
    const auto count = std::ranges::count_if(counts[i], &Counts::is_static);
    with += count >= static_cast<std::ptrdiff_t>(kFewestFeatures) ? 1 : 0;
  }
  return images > 0 && with >= kImages * images;
}

}  // namespace

std::optional<ViewGraph> without_static_matches(const ViewGraph& graph) {
  const FeatureCounts counts = counts_of(graph);
  if (!are_in_all(graph, counts)) return {};
  ViewGraph out = graph;
  for (MapPair& pair : out.pairs) {
    const auto is_static = [&](const colmap::IndexPair& match) {
      return counts[static_cast<std::size_t>(pair.image1)][match.index1].is_static() &&
             counts[static_cast<std::size_t>(pair.image2)][match.index2].is_static() &&
             displacement(graph, pair, match) <= kStill;
    };
    const double before = static_cast<double>(pair.inliers.size());
    const double removed = static_cast<double>(std::erase_if(pair.inliers, is_static));
    if (removed <= kPart * before) continue;
    pair.F.reset();
    out.static_pairs.emplace_back(pair.image1, pair.image2);
  }
  return out;
}

void doubt_static_matches(const DoubtInput& in, std::vector<ModelDoubt>& doubts) {
  const ViewGraph& graph = *in.scene.graph;
  const auto is_in_model = [&](const auto& image) { return in.scene.view(image).is_registered; };
  ModelDoubt doubt{DoubtKind::static_matches, 0, kDoubtedPairs, {}, {}, {}};
  for (const auto& [one, two] : graph.static_pairs)
    if (is_in_model(one) && is_in_model(two))
      doubt.pairs.emplace_back(graph.images[static_cast<std::size_t>(one)].id,
                               graph.images[static_cast<std::size_t>(two)].id);
  // Pairs that are static altogether are not among the pairs of the graph.
  double pairs = 0;
  for (const MapPair& pair : graph.pairs)
    pairs += is_in_model(pair.image1) && is_in_model(pair.image2);
  const double concerned = static_cast<double>(doubt.pairs.size());
  doubt.value = concerned / std::max({pairs, concerned, 1.0});
  if (doubt.value <= kDoubtedPairs) return;
  doubt.text = fmt::format(
      "{} of its pairs match points at one place of the images (a logo, a time stamp, a bonnet, "
      "the "
      "background of a turntable); these matches are left out",
      doubt.pairs.size());
  doubts.push_back(std::move(doubt));
}

}  // namespace bifocal::mapping
