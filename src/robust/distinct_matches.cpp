// SPDX-License-Identifier: BSD-3-Clause
#include "robust/distinct_matches.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "robust/scalar_lanes.hpp"

namespace bifocal::robust {
namespace {

using Indices = std::vector<int>;

// Number of different rows of the columns [first, end) among `points`, by a table of hashes: two
// rows are taken for one with a probability of about n^2 / 2^32.
int distinct(const PairPoints& pair, int first, int end, const Indices& points) {
  std::vector<std::uint32_t> table(std::bit_ceil(4 * points.size() + 1));
  const auto mask = static_cast<std::uint32_t>(table.size() - 1);
  int found = 0;
  for (const int i : points) {
    const std::uint32_t hash = Lanes::point_hash(pair.f32.data(), pair.stride, first, end, i);
    std::uint32_t place = hash & mask;
    while (table[place] != 0 && table[place] != hash) place = (place + 1) & mask;
    found += table[place] == 0;
    table[place] = hash;
  }
  return found;
}

int distinct_points(const PairPoints& pair, int columns, const Indices& points) {
  return std::min(distinct(pair, 0, 2, points), distinct(pair, 2, columns, points));
}

}  // namespace

DistinctMatches distinct_matches(int columns, const PairPoints& pair,
                                 const std::vector<double>& squared_errors) {
  Indices all(static_cast<size_t>(pair.count())), inliers;
  inliers.reserve(all.size());
  for (int i = 0; i < pair.count(); ++i) {
    all[static_cast<size_t>(i)] = i;
    if (squared_errors[static_cast<size_t>(i)] * pair.info[INFO_THRESHOLD] < 1) {
      inliers.push_back(i);
    }
  }
  DistinctMatches found{pair.count(), static_cast<int>(inliers.size())};
  const int different = distinct_points(pair, columns, inliers);
  if (different < found.inliers) {
    found.inliers = different;
    found.count = distinct_points(pair, columns, all);
  }
  return found;
}

}  // namespace bifocal::robust
