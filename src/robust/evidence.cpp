// SPDX-License-Identifier: BSD-3-Clause
#include "robust/evidence.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace bifocal::robust {
namespace {

using Indices = std::vector<int>;

std::uint64_t mixed(std::uint64_t v) {  // the finaliser of SplitMix64
  v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9u;
  v = (v ^ (v >> 27)) * 0x94d049bb133111ebu;
  return v ^ (v >> 31);
}

// Number of different rows of the columns [first, end) among `points`, by a table of hashes: two
// rows are taken for one with a probability of about n^2 / 2^64.
int distinct(const Problem& problem, int first, int end, const Indices& points) {
  std::vector<std::uint64_t> table(std::bit_ceil(2 * points.size() + 1));
  int found = 0;
  for (const int i : points) {
    std::uint64_t hash = 1;
    for (int c = first; c < end; ++c) {
      const double v = problem.points.f64.columns[static_cast<size_t>(c)][i];
      hash = mixed(hash ^ std::bit_cast<std::uint64_t>(v + 0.0));  // -0 is 0
    }
    hash |= 1;  // 0 marks a free place
    size_t place = hash & (table.size() - 1);
    while (table[place] != 0 && table[place] != hash) place = (place + 1) & (table.size() - 1);
    found += table[place] == 0;
    table[place] = hash;
  }
  return found;
}

int distinct_points(const Problem& problem, const Indices& points) {
  return std::min(distinct(problem, 0, 2, points), distinct(problem, 2, problem.columns, points));
}

// Do the points of columns c, c + 1 deviate from a line by no more than the noise?
bool on_a_line(const Problem& problem, size_t c, const Indices& points, double noise) {
  const double* x = problem.points.f64.columns[c];
  const double* y = problem.points.f64.columns[c + 1];
  double mx = 0, my = 0, xx = 0, xy = 0, yy = 0;
  const auto n = static_cast<double>(points.size());
  for (const int i : points) mx += x[i] / n, my += y[i] / n;
  for (const int i : points) {
    xx += (x[i] - mx) * (x[i] - mx) / n;
    xy += (x[i] - mx) * (y[i] - my) / n;
    yy += (y[i] - my) * (y[i] - my) / n;
  }
  const double mean = (xx + yy) / 2, spread = std::hypot((xx - yy) / 2, xy);
  const double across = std::sqrt(std::max(mean - spread, 0.0)), along = std::sqrt(mean + spread);
  constexpr double kNoises = 4, kExact = 1e-6;
  return across <= std::max(kNoises * noise, kExact * along);
}

}  // namespace

Evidence evidence_of(const Problem& problem, const std::vector<double>& squared_errors,
                     double noise) {
  Indices all(static_cast<size_t>(problem.points.count)), inliers;
  for (int i = 0; i < problem.points.count; ++i) {
    all[static_cast<size_t>(i)] = i;
    if (squared_errors[static_cast<size_t>(i)] * problem.inverse_squared_threshold < 1) {
      inliers.push_back(i);
    }
  }
  Evidence evidence{problem.points.count, static_cast<int>(inliers.size()), false};
  const int different = distinct_points(problem, inliers);
  if (different < evidence.inliers) {
    evidence.inliers = different;
    evidence.count = distinct_points(problem, all);
  }
  const bool two_view = problem.columns == 4;
  evidence.collinear =
      two_view && (on_a_line(problem, 0, inliers, noise) || on_a_line(problem, 2, inliers, noise));
  return evidence;
}

}  // namespace bifocal::robust
