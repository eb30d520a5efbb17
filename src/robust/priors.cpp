// SPDX-License-Identifier: BSD-3-Clause
// Weights and qualities of one pair's matches.
#include <algorithm>
#include <limits>
#include <numeric>

#include "robust/pair_points.hpp"
#include "robust/scalar_lanes.hpp"

namespace bifocal::robust {

// What prepare_priors does on a GPU (prior_prepare.group.h), to the same numbers.
void PairPoints::set_priors(const MatchPriors& given) {
  std::fill(info.begin() + INFO_WEIGHTED, info.end(), 0.0);
  if (order.empty()) return;
  if (!given.qualities.empty()) set_ranks(given.qualities);
  if (!given.weights.empty()) set_weights(given.weights);
}

void PairPoints::set_ranks(std::span<const double> given) {
  const size_t n = order.size();
  std::vector<std::uint32_t> keys(n);
  for (size_t i = 0; i < n; ++i) keys[i] = Lanes::quality_key(given[static_cast<size_t>(order[i])]);
  priors.ranking.resize(n);
  std::iota(priors.ranking.begin(), priors.ranking.end(), 0);
  std::stable_sort(priors.ranking.begin(), priors.ranking.end(), [&](int a, int b) {
    return keys[static_cast<size_t>(a)] > keys[static_cast<size_t>(b)];
  });
  priors.ranks.assign(static_cast<size_t>(stride), std::numeric_limits<double>::quiet_NaN());
  for (size_t r = 0; r < n; ++r)
    priors.ranks[static_cast<size_t>(priors.ranking[r])] = static_cast<double>(r);
  info[INFO_RANKED] = 1;
}

void PairPoints::set_weights(std::span<const double> given) {
  const size_t n = order.size();
  const auto weight = [&](size_t i) { return given[static_cast<size_t>(order[i])]; };
  double least = weight(0), most = least;
  for (size_t i = 1; i < n; ++i) {
    least = std::min(least, weight(i));
    most = std::max(most, weight(i));
  }
  if (least == most) return;  // as without
  priors.shares.assign(static_cast<size_t>(stride), 0);
  priors.fast_shares.assign(static_cast<size_t>(stride), 0);
  priors.masses.resize(n);
  double sum = 0, squares = 0, seen[4] = {};
  for (size_t i = 0; i < n; ++i) {
    const double steps = Lanes::weight_steps(weight(i), most), share = steps / (1 << 24);
    priors.shares[i] = share;
    sum += steps;
    squares += share * share;
    for (size_t k = 0; k < 4; ++k) seen[k] += i < (size_t{128} << k) ? share : 0;
  }
  const double scale = sum / (1 << 24) / squares;
  double mass = 0;
  for (size_t r = 0; r < n; ++r) {
    mass += (1 << 24) * priors.shares[ranked() ? static_cast<size_t>(priors.ranking[r]) : r];
    priors.masses[r] = mass;
  }
  for (size_t i = 0; i < n; ++i) {
    priors.shares[i] *= scale;
    priors.fast_shares[i] = static_cast<float>(priors.shares[i]);
  }
  info[INFO_WEIGHTED] = 1;
  info[INFO_EFFECTIVE] = sum / (1 << 24) * scale;
  info[INFO_LARGEST] = scale;
  for (size_t k = 0; k < 4; ++k) info[INFO_SEEN + k] = seen[k] * scale;
}

}  // namespace bifocal::robust
