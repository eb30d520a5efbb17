// SPDX-License-Identifier: BSD-3-Clause
// Joins matches to tracks on all threads.
//
// Matches are joined in order, and the order decides which of them are passed over. Only
// connected features meet in a track, so the connected components of all features are joined at the
// same time, in bins.
#include "mapping/track_join.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "mapping/concurrent_sets.hpp"
#include "mapping/feature_sets.hpp"
#include "mapping/grouped.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::mapping {
namespace {

constexpr std::size_t kBins = 256;
constexpr std::size_t kChunks = 128;      // of the pairs, that threads distribute over the bins
constexpr std::size_t kSampling = 64;     // distance of the sampled matches of a pair
constexpr std::size_t kPairBlock = 4;     // pairs of a thread at a time
constexpr std::size_t kCopyBlock = 4096;  // tracks of a thread at a time

// Calls body(match, first feature, second feature) for the matches of the pair at place k.
template <class Body>
void each_match(const ViewGraph& graph, const std::vector<PairMatches>& pairs, std::size_t k,
                const Body& body) {
  const MapPair& pair = graph.pairs[static_cast<std::size_t>(pairs[k].pair)];
  for (const std::int32_t inlier : pairs[k].inliers) {
    const auto [index1, index2] = pair.inliers[static_cast<std::size_t>(inlier)];
    body(MatchPlace{static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(inlier)},
         Feature{pair.image1, index1}, Feature{pair.image2, index2});
  }
}

// Returns the bin of every feature. Bins have similar numbers of matches, and features of nearby
// numbers, which are near in memory.
std::vector<std::uint8_t> bins_of_features(const ViewGraph& graph, const FeatureNumbers& numbers,
                                           const std::vector<PairMatches>& pairs) {
  ConcurrentSets components(numbers.count());
  const auto number_of = [&](const Feature& f) {
    return static_cast<std::uint32_t>(numbers.of(f));
  };
  const auto join = [&](const MatchPlace&, const Feature& a, const Feature& b) {
    components.join(number_of(a), number_of(b));
  };
  runtime::parallel_each(
      pairs.size(), [&](std::size_t k) { each_match(graph, pairs, k, join); }, kPairBlock);
  std::vector<std::uint32_t> roots;  // of a sample of the matches
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const MapPair& pair = graph.pairs[static_cast<std::size_t>(pairs[k].pair)];
    for (std::size_t i = 0; i < pairs[k].inliers.size(); i += kSampling) {
      const auto inlier = static_cast<std::size_t>(pairs[k].inliers[i]);
      roots.push_back(components.root(number_of({pair.image1, pair.inliers[inlier].index1})));
    }
  }
  std::ranges::sort(roots);
  std::vector<std::uint32_t> ends;
  for (std::size_t bin = 1; bin < kBins && !roots.empty(); ++bin)
    ends.push_back(roots[bin * roots.size() / kBins]);
  std::vector<std::uint8_t> bins(numbers.count());
  runtime::parallel_each(
      bins.size(),
      [&](std::size_t i) {
        const std::uint32_t root = components.root(static_cast<std::uint32_t>(i));
        bins[i] = static_cast<std::uint8_t>(std::ranges::upper_bound(ends, root) - ends.begin());
      },
      kCopyBlock);
  return bins;
}

// Returns the matches of the bins in the order of joining. All matches of a component are in one
// bin.
Grouped<MatchPlace> matches_of_bins(const ViewGraph& graph, const FeatureNumbers& numbers,
                                    const std::vector<PairMatches>& pairs) {
  const std::vector<std::uint8_t> bin_of = bins_of_features(graph, numbers, pairs);
  return grouped<MatchPlace>(kBins, kChunks, [&](std::size_t chunk, const auto& visit) {
    const auto visit_match = [&](const MatchPlace& match, const Feature& a, const Feature&) {
      visit(bin_of[numbers.of(a)], match);
    };
    const std::size_t end = (chunk + 1) * pairs.size() / kChunks;
    for (std::size_t k = chunk * pairs.size() / kChunks; k < end; ++k)
      each_match(graph, pairs, k, visit_match);
  });
}

std::vector<FeatureSets> sets_of(const ViewGraph& graph, const std::vector<PairMatches>& pairs) {
  const FeatureNumbers numbers(graph);
  const Grouped<MatchPlace> bins = matches_of_bins(graph, numbers, pairs);
  std::vector<std::uint32_t> set_of(numbers.count(), FeatureSets::kNoSet);
  std::vector<FeatureSets> sets(kBins, FeatureSets(numbers, set_of));
  runtime::parallel_each(kBins, [&](std::size_t bin) {
    for (std::size_t i = bins.first[bin]; i < bins.first[bin + 1]; ++i) {
      const MatchPlace& match = bins.items[i];
      const MapPair& pair = graph.pairs[static_cast<std::size_t>(pairs[match.pair].pair)];
      const auto [index1, index2] = pair.inliers[match.inlier];
      sets[bin].add(match, {pair.image1, index1}, {pair.image2, index2});
    }
  });
  return sets;
}

// A set that becomes a track.
struct TrackSet {
  MatchPlace first;
  std::uint32_t bin = 0, number = 0;
};

// Returns the sets in the order of their first matches, of `pairs` pairs.
std::vector<TrackSet> in_order(const std::vector<FeatureSets>& bins, std::size_t pairs) {
  Grouped<TrackSet> sets =
      grouped<TrackSet>(kChunks, bins.size(), [&](std::size_t bin, const auto& visit) {
        const std::vector<FeatureSets::Set>& all = bins[bin].sets();
        for (std::size_t i = 0; i < all.size(); ++i)
          if (all[i].size > 0)
            visit(all[i].first.pair * kChunks / pairs,
                  TrackSet{all[i].first, static_cast<std::uint32_t>(bin),
                           static_cast<std::uint32_t>(i)});
      });
  runtime::parallel_each(kChunks, [&](std::size_t chunk) {
    const std::span<TrackSet> own =
        std::span(sets.items).subspan(sets.first[chunk], sets.first[chunk + 1] - sets.first[chunk]);
    std::ranges::sort(own, {}, &TrackSet::first);
  });
  return std::move(sets.items);
}

}  // namespace

Tracks joined(const ViewGraph& graph, std::vector<PairMatches> pairs) {
  std::ranges::stable_sort(pairs, [](const PairMatches& a, const PairMatches& b) {
    return a.inliers.size() > b.inliers.size();
  });
  const std::vector<FeatureSets> bins = sets_of(graph, pairs);
  const std::vector<TrackSet> sets = in_order(bins, pairs.size());
  const auto set_at = [&](std::size_t k) -> const FeatureSets::Set& {
    return bins[sets[k].bin].sets()[sets[k].number];
  };
  Tracks tracks;
  tracks.first.resize(sets.size() + 1);
  runtime::parallel_each(
      sets.size(), [&](std::size_t k) { tracks.first[k + 1] = set_at(k).size; }, kCopyBlock);
  std::partial_sum(tracks.first.begin(), tracks.first.end(), tracks.first.begin());
  tracks.views.resize(tracks.first.back()), tracks.features.resize(tracks.first.back());
  tracks.is_used.resize(tracks.first.back());
  tracks.points.resize(sets.size()), tracks.is_point.resize(sets.size());
  runtime::parallel_each(
      sets.size(),
      [&](std::size_t k) {
        std::size_t i = tracks.first[k];
        for (const Feature& f : bins[sets[k].bin].members(set_at(k)))
          tracks.views[i] = f.view, tracks.features[i++] = f.feature;
      },
      kCopyBlock);
  return tracks;
}

}  // namespace bifocal::mapping
