// SPDX-License-Identifier: BSD-3-Clause
// Weights and qualities of one pair's matches.
#include <algorithm>
#include <limits>
#include <numeric>

#include "robust/pair_points.hpp"
#include "robust/scalar_lanes.hpp"

namespace bifocal::robust {

// The same results as prepare_priors on a GPU (prior_prepare.group.h).
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
  const auto given_weight = [&](size_t i) { return given[static_cast<size_t>(order[i])]; };
  double least = given_weight(0), most = least;
  for (size_t i = 1; i < n; ++i) {
    least = std::min(least, given_weight(i));
    most = std::max(most, given_weight(i));
  }
  if (least == most) return;  // equal weights are as none
  priors.weights.assign(static_cast<size_t>(stride), 0);
  priors.fast_weights.assign(static_cast<size_t>(stride), 0);
  priors.cumulative_weights.resize(n);
  double sum = 0, squares = 0, seen[4] = {};
  for (size_t i = 0; i < n; ++i) {
    const double steps = Lanes::weight_steps(given_weight(i), most), weight = steps / (1 << 24);
    priors.weights[i] = weight;
    sum += steps;
    squares += weight * weight;
    for (size_t k = 0; k < 4; ++k) seen[k] += i < (size_t{128} << k) ? weight : 0;
  }
  const double scale = sum / (1 << 24) / squares;
  double total = 0;
  for (size_t r = 0; r < n; ++r) {
    total += (1 << 24) * priors.weights[ranked() ? static_cast<size_t>(priors.ranking[r]) : r];
    priors.cumulative_weights[r] = total;
  }
  for (size_t i = 0; i < n; ++i) {
    priors.weights[i] *= scale;
    priors.fast_weights[i] = static_cast<float>(priors.weights[i]);
  }
  info[INFO_WEIGHTED] = 1;
  info[INFO_EFFECTIVE] = sum / (1 << 24) * scale;
  info[INFO_LARGEST] = scale;
  for (size_t k = 0; k < 4; ++k) info[INFO_SEEN + k] = seen[k] * scale;
}

}  // namespace bifocal::robust
