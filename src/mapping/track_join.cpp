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

// Bin i has the matches [first[i], first[i + 1]) in the order of joining. All matches of a
// component are in one bin.
struct MatchBins {
  std::vector<std::size_t> first;
  std::vector<MatchPlace> matches;
};

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

MatchBins bins_of(const ViewGraph& graph, const FeatureNumbers& numbers,
                  const std::vector<PairMatches>& pairs) {
  const std::vector<std::uint8_t> bin_of = bins_of_features(graph, numbers, pairs);
  std::vector<std::size_t> next(kChunks * kBins);  // place of the next match of a chunk in a bin
  const auto each_place = [&](const auto& body) {
    runtime::parallel_each(kChunks, [&](std::size_t chunk) {
      const auto visit = [&](const MatchPlace& match, const Feature& a, const Feature&) {
        body(match, next[chunk * kBins + bin_of[numbers.of(a)]]++);
      };
      const std::size_t end = (chunk + 1) * pairs.size() / kChunks;
      for (std::size_t k = chunk * pairs.size() / kChunks; k < end; ++k)
        each_match(graph, pairs, k, visit);
    });
  };
  each_place([](const MatchPlace&, std::size_t) {});  // counts them
  MatchBins bins;
  std::size_t count = 0;
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    bins.first.push_back(count);
    for (std::size_t chunk = 0; chunk < kChunks; ++chunk)
      count += std::exchange(next[chunk * kBins + bin], count);
  }
  bins.first.push_back(count);
  bins.matches.resize(count);
  each_place([&](const MatchPlace& match, std::size_t place) { bins.matches[place] = match; });
  return bins;
}

std::vector<FeatureSets> sets_of(const ViewGraph& graph, const std::vector<PairMatches>& pairs) {
  const FeatureNumbers numbers(graph);
  const MatchBins bins = bins_of(graph, numbers, pairs);
  std::vector<std::uint32_t> set_of(numbers.count(), FeatureSets::kNoSet);
  std::vector<FeatureSets> sets(kBins, FeatureSets(numbers, set_of));
  runtime::parallel_each(kBins, [&](std::size_t bin) {
    for (std::size_t i = bins.first[bin]; i < bins.first[bin + 1]; ++i) {
      const MatchPlace& match = bins.matches[i];
      const MapPair& pair = graph.pairs[static_cast<std::size_t>(pairs[match.pair].pair)];
      const auto [index1, index2] = pair.inliers[match.inlier];
      sets[bin].add(match, {pair.image1, index1}, {pair.image2, index2});
    }
  });
  return sets;
}

// A set that becomes a track.
struct TrackSet {
  std::uint32_t first_inlier = 0;  // of its first match
  std::uint32_t bin = 0, number = 0;
};

// Returns the sets in the order of their first matches.
std::vector<TrackSet> in_order(const std::vector<FeatureSets>& bins, std::size_t pairs) {
  std::vector<std::size_t> first(pairs + 1);  // set of each pair
  const auto each_set = [&](const auto& body) {
    for (std::size_t bin = 0; bin < bins.size(); ++bin)
      for (std::size_t i = 0; i < bins[bin].sets().size(); ++i)
        if (const FeatureSets::Set& set = bins[bin].sets()[i]; set.size > 0) body(set, bin, i);
  };
  each_set(
      [&](const FeatureSets::Set& set, std::size_t, std::size_t) { ++first[set.first.pair + 1]; });
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<TrackSet> sets(first.back());
  std::vector<std::size_t> next = first;
  each_set([&](const FeatureSets::Set& set, std::size_t bin, std::size_t i) {
    sets[next[set.first.pair]++] = {set.first.inlier, static_cast<std::uint32_t>(bin),
                                    static_cast<std::uint32_t>(i)};
  });
  runtime::parallel_each(
      pairs,
      [&](std::size_t k) {
        std::ranges::sort(std::span(sets).subspan(first[k], first[k + 1] - first[k]), {},
                          &TrackSet::first_inlier);
      },
      kPairBlock);
  return sets;
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
