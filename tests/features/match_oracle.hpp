// SPDX-License-Identifier: BSD-3-Clause
// Descriptors with ties and near pairs, and matching by the naive double loop.
#pragma once

#include <bifocal/features.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>

namespace bifocal::test {

// Makes descriptors with `levels` different values per element; few levels make ties. Every third
// descriptor of a set is near a descriptor of the set with seed 1.
inline Features random_features(int count, unsigned seed, int levels) {
  Features f;
  std::mt19937 shared(1), random(seed);
  f.keypoints.resize(std::size_t(count));
  f.descriptors.resize(std::size_t(count) * kDescriptorBytes);
  for (int i = 0; i < count; ++i) {
    f.keypoints[std::size_t(i)] = {float(i), float(2 * i), 1, 0, 0};
    for (int k = 0; k < kDescriptorBytes; ++k) {
      const unsigned common = shared(), own = random();
      const unsigned value = i % 3 == 0 && own % 4 != 0 ? common >> 8 : own >> 8;
      f.descriptors[std::size_t(i * kDescriptorBytes + k)] =
          std::uint8_t(value % unsigned(levels) * unsigned(255 / (levels - 1)));
    }
  }
  return f;
}

inline int distance(const Features& a, int i, const Features& b, int j) {
  int sum = 0;
  for (int k = 0; k < kDescriptorBytes; ++k) {
    const int d = a.descriptors[std::size_t(i * kDescriptorBytes + k)] -
                  b.descriptors[std::size_t(j * kDescriptorBytes + k)];
    sum += d * d;
  }
  return sum;
}

struct Two {
  int index = -1, nearest = std::numeric_limits<int>::max(),
      second = std::numeric_limits<int>::max();
};
inline Two nearest_two(const Features& a, int i, const Features& b) {
  Two two;
  for (int j = 0; j < b.size(); ++j) {
    const int d = distance(a, i, b, j);
    if (d < two.nearest) {
      two = {j, d, two.nearest};
    } else {
      two.second = std::min(two.second, d);
    }
  }
  return two;
}

inline float ratio_of(const Two& two, int candidates) {
  if (candidates < 2) return 0;
  return two.second ? float(std::sqrt(double(two.nearest) / two.second)) : 1.0F;
}
inline bool distinct(const Two& two, int candidates, const MatchOptions& options) {
  return options.max_ratio >= 1 || ratio_of(two, candidates) < float(options.max_ratio);
}

inline std::vector<Match> plain_match(const Features& a, const Features& b,
                                      const MatchOptions& options) {
  std::vector<Match> matches;
  for (int i = 0; i < a.size() && b.size() > 0; ++i) {
    const Two two = nearest_two(a, i, b);
    if (!distinct(two, b.size(), options)) continue;
    if (options.max_distance > 0 && std::sqrt(double(two.nearest)) > options.max_distance) continue;
    const Two back = nearest_two(b, two.index, a);
    if (options.mutual && back.index != i) continue;
    if (options.ratio_both_ways && !distinct(back, a.size(), options)) continue;
    matches.push_back({i, two.index, two.nearest, ratio_of(two, b.size())});
  }
  return matches;
}

inline bool operator==(const Match& a, const Match& b) {
  return a.index1 == b.index1 && a.index2 == b.index2 && a.distance == b.distance &&
         a.ratio == b.ratio;
}
inline void expect_same(const std::vector<Match>& got, const std::vector<Match>& want,
                        const std::string& what) {
  ASSERT_EQ(got.size(), want.size()) << what;
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_TRUE(got[i] == want[i])
        << what << ": match " << i << " is " << got[i].index1 << " - " << got[i].index2
        << ", wanted " << want[i].index1 << " - " << want[i].index2;
  }
}

}  // namespace bifocal::test
