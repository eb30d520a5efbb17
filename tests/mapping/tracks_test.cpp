// SPDX-License-Identifier: BSD-3-Clause
// Joining of matches to tracks against a plain reference.
#include <gtest/gtest.h>
#include <bifocal/device.hpp>
#include <bifocal/mapping.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "mapping/concurrent_sets.hpp"
#include "mapping/track_join.hpp"
#include "runtime/disjoint_sets.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::test {
namespace {

using mapping::PairMatches;
using mapping::Tracks;
using PlainFeature = std::pair<int, std::uint32_t>;  // view, feature
using PlainTrack = std::vector<PlainFeature>;

// Matches of images with the same points in different orders. A share of the matches is wrong.
ViewGraph random_graph(std::uint32_t seed, int images, std::uint32_t points, double wrong) {
  std::mt19937 random(seed);
  ViewGraph graph;
  std::vector<std::vector<std::uint32_t>> feature_of;  // of each image and point
  for (int i = 0; i < images; ++i) {
    graph.images.push_back({static_cast<colmap::Id>(i + 1), {}, 1, std::vector<Vec2>(points)});
    std::vector<std::uint32_t>& order = feature_of.emplace_back(points);
    for (std::uint32_t k = 0; k < points; ++k) order[k] = k;
    std::ranges::shuffle(order, random);
  }
  for (int a = 0; a < images; ++a)
    for (int b = 0; b < images; ++b) {
      if (a == b || (a < b) == (random() % 2 == 0)) continue;
      MapPair pair{a, b, colmap::Configuration::calibrated};
      for (std::uint32_t k = 0; k < points; ++k)
        if (random() % 4 == 0)
          pair.inliers.push_back({feature_of[static_cast<std::size_t>(a)][k],
                                  random() % 1000 < 1000 * wrong
                                      ? static_cast<std::uint32_t>(random() % points)
                                      : feature_of[static_cast<std::size_t>(b)][k]});
      graph.pairs.push_back(std::move(pair));
    }
  std::ranges::shuffle(graph.pairs, random);
  return graph;
}

bool have_common_view(const PlainTrack& a, const PlainTrack& b) {
  return std::ranges::any_of(a, [&](const PlainFeature& f) {
    return std::ranges::find(b, f.first, &PlainFeature::first) != b.end();
  });
}

// Joins matches one after another. Every feature begins as a track; `rank` is the number of the
// match that made the larger one of the joined tracks.
std::vector<PlainTrack> plain_tracks(const ViewGraph& graph, std::vector<PairMatches> pairs,
                                     int& passed_over) {
  struct Part {
    PlainTrack features;
    int rank = -1;
  };
  std::ranges::stable_sort(pairs, std::greater(),
                           [](const PairMatches& p) { return p.inliers.size(); });
  std::map<PlainFeature, int> part_of;
  std::vector<Part> parts;
  int rank = 0;
  const auto part_number = [&](const PlainFeature& f) {
    const auto [place, is_new] = part_of.emplace(f, static_cast<int>(parts.size()));
    if (is_new) parts.push_back({{f}});
    return place->second;
  };
  for (const PairMatches& matches : pairs)
    for (const std::int32_t k : matches.inliers) {
      const MapPair& pair = graph.pairs[static_cast<std::size_t>(matches.pair)];
      const auto [index1, index2] = pair.inliers[static_cast<std::size_t>(k)];
      int to = part_number({pair.image1, index1}), from = part_number({pair.image2, index2});
      const auto part = [&](int i) -> Part& { return parts[static_cast<std::size_t>(i)]; };
      if (part(to).features.size() < part(from).features.size()) std::swap(to, from);
      ++rank;
      if (to == from) continue;
      if (have_common_view(part(to).features, part(from).features)) {
        ++passed_over;
        continue;
      }
      if (part(to).rank < 0) part(to).rank = rank;
      for (const PlainFeature& f : part(from).features) {
        part_of[f] = to;
        part(to).features.push_back(f);
      }
      part(from).features.clear();
    }
  std::erase_if(parts, [](const Part& part) { return part.features.size() < 2; });
  std::ranges::sort(parts, {}, &Part::rank);
  std::vector<PlainTrack> tracks;
  for (Part& part : parts) {
    std::ranges::sort(part.features);
    tracks.push_back(std::move(part.features));
  }
  return tracks;
}

std::vector<PlainTrack> listed(const Tracks& tracks) {
  std::vector<PlainTrack> out(tracks.size());
  for (std::size_t k = 0; k < tracks.size(); ++k)
    for (std::size_t i = tracks.first[k]; i < tracks.first[k + 1]; ++i)
      out[k].emplace_back(tracks.views[i], tracks.features[i]);
  return out;
}

TEST(Tracks, AreThoseOfJoiningMatchesOneAfterAnother) {
  int passed_over = 0;
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    // From one component of nearly all features to one of every point.
    const ViewGraph graph = random_graph(seed, 12, 60, 0.01 * (seed - 1));
    std::mt19937 random(seed);
    std::vector<std::vector<std::int32_t>> chosen(graph.pairs.size());
    std::vector<PairMatches> pairs;
    for (std::size_t k = 0; k < graph.pairs.size(); ++k) {
      for (std::size_t i = 0; i < graph.pairs[k].inliers.size(); ++i)
        if (random() % 8 != 0) chosen[k].push_back(static_cast<std::int32_t>(i));
      if (random() % 8 != 0) pairs.push_back({static_cast<int>(k), chosen[k]});
    }
    const std::vector<PlainTrack> expected = plain_tracks(graph, pairs, passed_over);
    ASSERT_FALSE(expected.empty());
    for (const int threads : {1, 2, 5}) {
      const ThreadLimit limit(threads);
      EXPECT_EQ(listed(mapping::joined(graph, pairs)), expected) << "seed " << seed;
    }
  }
  EXPECT_GT(passed_over, 1000);
}

TEST(Tracks, OfNoMatchesAreNone) {
  EXPECT_EQ(mapping::joined({}, {}).size(), 0U);
  const ViewGraph graph = random_graph(1, 3, 5, 0);
  EXPECT_EQ(mapping::joined(graph, {}).size(), 0U);
  EXPECT_EQ(mapping::joined(graph, {{0, {}}}).size(), 0U);
}

// Points that both views of a pair see.
void add_points(mapping::Scene& scene, int view1, int view2, int count) {
  Tracks& tracks = scene.tracks;
  for (int k = 0; k < count; ++k) {
    tracks.views.insert(tracks.views.end(), {view1, view2});
    tracks.features.insert(tracks.features.end(), {0, 0});
    tracks.is_used.insert(tracks.is_used.end(), {1, 1});
    tracks.first.push_back(tracks.views.size());
    tracks.points.push_back({});
    tracks.is_point.push_back(1);
  }
}

TEST(LargestPart, HasTheViewsThatShareTenPoints) {
  for (const int shared : {9, 10}) {
    mapping::Scene scene;
    scene.views.resize(6);
    for (mapping::View& view : scene.views) view.is_registered = true;
    add_points(scene, 0, 2, 20), add_points(scene, 1, 2, 20);
    add_points(scene, 3, 4, 30), add_points(scene, 2, 3, shared);
    add_points(scene, 4, 5, 14);  // too few for view 5
    mapping::keep_largest_part(scene);
    std::vector<bool> is_registered;
    for (const mapping::View& view : scene.views) is_registered.push_back(view.is_registered);
    const bool is_one_part = shared == 10;
    EXPECT_EQ(is_registered, (std::vector{true, true, true, is_one_part, is_one_part, false}));
    std::vector<int> counts(6);  // of the used observations of points
    for (std::size_t k = 0; k < scene.tracks.size(); ++k)
      for (std::size_t i = scene.tracks.first[k]; i < scene.tracks.first[k + 1]; ++i)
        counts[static_cast<std::size_t>(scene.tracks.views[i])] +=
            scene.tracks.is_point[k] != 0 && scene.tracks.is_used[i] != 0 ? 1 : 0;
    EXPECT_EQ(counts, is_one_part ? (std::vector{20, 20, 50, 40, 30, 0})
                                  : (std::vector{20, 20, 40, 0, 0, 0}));
  }
}

TEST(ConcurrentSets, HaveTheSmallestNumberAsRoot) {
  constexpr std::size_t kSize = 50000;
  std::mt19937 random(1);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> links(kSize / 2);
  for (auto& [a, b] : links) a = random() % kSize, b = random() % kSize;
  DisjointSets expected(kSize);
  for (const auto& [a, b] : links) expected.join(a, b);
  const ThreadLimit limit(8);
  mapping::ConcurrentSets sets(kSize);
  runtime::parallel_each(links.size(),
                         [&](std::size_t k) { sets.join(links[k].first, links[k].second); });
  for (std::size_t i = 0; i < kSize; ++i)
    ASSERT_EQ(sets.root(static_cast<std::uint32_t>(i)), expected.root(i));
}

}  // namespace
}  // namespace bifocal::test
