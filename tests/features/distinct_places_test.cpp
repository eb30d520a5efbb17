// SPDX-License-Identifier: BSD-3-Clause
// keep_distinct_places keeps one match between two places; every device is compared with a
// plain map.
#include <bifocal/matching.hpp>

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>

#include "support/devices.hpp"

namespace bifocal::test {
namespace {

struct List {
  std::vector<Match> matches;
  std::vector<PointPair> points;
};

// Makes matches among few places with few different distances.
List random_list(int count, unsigned seed) {
  std::mt19937 random(seed);
  List list;
  for (int i = 0; i < count; ++i) {
    list.matches.push_back({i, int(random() % 1000), int(random() % 4), 0.25F * float(i % 3)});
    const auto place = [&] { return 0.5 * double(random() % 4); };
    list.points.push_back({place(), place(), place(), place()});
  }
  return list;
}

List plainly_kept(const List& list) {
  const auto place = [&](std::size_t m) {
    const PointPair& p = list.points[m];
    return std::array{p.x1, p.y1, p.x2, p.y2};
  };
  std::map<std::array<double, 4>, std::size_t> best;
  for (std::size_t m = 0; m < list.matches.size(); ++m) {
    std::size_t& at = best.try_emplace(place(m), m).first->second;
    if (list.matches[m].distance < list.matches[at].distance) at = m;
  }
  List kept;
  for (std::size_t m = 0; m < list.matches.size(); ++m) {
    if (best.at(place(m)) != m) continue;
    kept.matches.push_back(list.matches[m]);
    kept.points.push_back(list.points[m]);
  }
  return kept;
}

TEST(DistinctPlaces, keep_the_nearest_match_and_the_order) {
  std::vector<List> lists;
  for (const int count : {300, 0, 1, 255, 256, 257, 1500, 0})
    lists.push_back(random_list(count, unsigned(count)));
  lists.push_back({std::vector<Match>(600, Match{1, 2, 3, 0}), std::vector<PointPair>(600)});
  for_each_device([&](Queue& queue, const std::string& id) {
    DeviceMatches found;
    keep_distinct_places(queue, found);  // no result of match()
    EXPECT_TRUE(found.offsets.empty());
    List all;
    found.offsets = {0};
    for (const List& list : lists) {
      all.matches.insert(all.matches.end(), list.matches.begin(), list.matches.end());
      all.points.insert(all.points.end(), list.points.begin(), list.points.end());
      found.offsets.push_back(std::int64_t(all.matches.size()));
    }
    found.matches = Buffer<Match>(queue.device(), all.matches.size());
    found.points = Buffer<PointPair>(queue.device(), all.points.size());
    found.matches.upload(queue, all.matches);
    found.points.upload(queue, all.points);
    keep_distinct_places(queue, found);
    ASSERT_EQ(found.offsets.size(), lists.size() + 1) << id;
    found.matches.download(queue, all.matches);
    found.points.download(queue, all.points);
    queue.wait();
    for (std::size_t k = 0; k < lists.size(); ++k) {
      const List expected = plainly_kept(lists[k]);
      const auto begin = std::size_t(found.offsets[k]);
      ASSERT_EQ(std::size_t(found.offsets[k + 1]) - begin, expected.matches.size())
          << id << ", list " << k;
      for (std::size_t m = 0; m < expected.matches.size(); ++m) {
        EXPECT_EQ(all.matches[begin + m].index1, expected.matches[m].index1) << id;
        EXPECT_EQ(all.matches[begin + m].index2, expected.matches[m].index2) << id;
        EXPECT_EQ(all.matches[begin + m].ratio, expected.matches[m].ratio) << id;
        EXPECT_EQ(all.points[begin + m].x1, expected.points[m].x1) << id;
        EXPECT_EQ(all.points[begin + m].y2, expected.points[m].y2) << id;
      }
    }
  });
}

}  // namespace
}  // namespace bifocal::test
