// SPDX-License-Identifier: BSD-3-Clause
#include "collection/colmap/focal_factors.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "runtime/parallel.hpp"

namespace bifocal::colmap {
namespace {

constexpr double kScale = 0.03;         // residual at which the Cauchy loss leaves least squares
constexpr double kEnoughInliers = 300;  // the weight of a pair does not grow beyond
// Limits of a division: docs/develop/notes/mapping.md#cameras.
constexpr double kLeastGain = 5;  // of the cost, a focal length that changes its group
constexpr int kMostGroups = 8, kMostSweeps = 10;
constexpr double kFineStep = 0.025;  // of the logarithm of a group

// With A = E E' and t = trace(A), the squares of the elements of 2 A E - t E add up to
// 4 trace(A^3) - 4 t trace(A^2) + t^3.
double cost_of_factors(const FocalPair& pair, double factor1, double factor2) {
  const Mat3& E = pair.E;
  const double squared1 = factor1 * factor1;
  const auto entry = [&](std::size_t i, std::size_t k) {
    return squared1 * (E[3 * i] * E[3 * k] + E[3 * i + 1] * E[3 * k + 1]) +
           E[3 * i + 2] * E[3 * k + 2];
  };
  const double squared2 = factor2 * factor2;
  const double a = squared2 * entry(0, 0), b = squared2 * entry(1, 1), c = entry(2, 2),
               d = squared2 * entry(0, 1), e = factor2 * entry(0, 2), f = factor2 * entry(1, 2);
  const double t = a + b + c;
  const double t2 = a * a + b * b + c * c + 2 * (d * d + e * e + f * f);
  const double t3 = a * (a * a + 3 * (d * d + e * e)) + b * (b * b + 3 * (d * d + f * f)) +
                    c * (c * c + 3 * (e * e + f * f)) + 6 * d * e * f;
  const double squares = std::max(0.0, 4 * t3 - 4 * t * t2 + t * t * t);
  return pair.weight * std::log1p(squares / (t * t * t * kScale * kScale));
}

// Groups of focal lengths with one logarithm each, by coordinate descent over the cost.
class Groups {
 public:
  Groups(std::size_t count, std::span<const FocalPair> pairs)
      : pairs_(pairs), own_(count), group_(count, 0), logs_(1) {
    for (const FocalPair& pair : pairs) {
      own_[pair.focal1].push_back(&pair);
      if (pair.focal2 != pair.focal1) own_[pair.focal2].push_back(&pair);
    }
    logs_[0] = best_focal_log([&](double log) {
      logs_[0] = log;
      return cost();
    });
  }

  [[nodiscard]] const std::vector<int>& groups() const { return group_; }
  [[nodiscard]] const std::vector<double>& logs() const { return logs_; }

  // Starts a group with the focal length that gains most, and moves further focal lengths to it if
  // they fit better there. Returns false without a change if the gain is too small.
  bool divide() {
    if (static_cast<int>(logs_.size()) == kMostGroups) return false;
    const Groups before = *this;
    const double old_cost = cost();
    struct Best {
      double gain = 0, log = 0;
    };
    std::vector<Best> best(own_.size());
    runtime::parallel_each(own_.size(), [&](std::size_t i) {
      if (own_[i].empty()) return;
      const double log = best_focal_log([&](double to) { return cost_of(i, to); });
      best[i] = {cost_of(i, log_of(i)) - cost_of(i, log), log};
    });
    const auto first = std::ranges::max_element(best, {}, &Best::gain);
    if (first->gain <= 0) return false;
    group_[static_cast<std::size_t>(first - best.begin())] = static_cast<int>(logs_.size());
    logs_.push_back(first->log);
    for (int sweep = 0; sweep < kMostSweeps && move(); ++sweep) refine();
    std::size_t moved = 0;
    for (std::size_t i = 0; i < group_.size(); ++i) moved += group_[i] != before.group_[i];
    double step = 10;
    for (std::size_t k = 0; k + 1 < logs_.size(); ++k)
      step = std::min(step, std::abs(logs_[k] - logs_.back()));
    if (old_cost - cost() >= kLeastGain * static_cast<double>(std::max<std::size_t>(moved, 1)) &&
        step >= kLeastFocalStep)
      return true;
    group_ = before.group_, logs_ = before.logs_;
    return false;
  }

 private:
  [[nodiscard]] double log_of(std::size_t focal) const {
    return logs_[static_cast<std::size_t>(group_[focal])];
  }
  [[nodiscard]] double cost() const {
    constexpr std::size_t kBlock = 2048;  // fixed, so that the sum does not depend on the threads
    std::vector<double> factors;
    for (const int group : group_) factors.push_back(std::exp(logs_[std::size_t(group)]));
    std::vector<double> sums((pairs_.size() + kBlock - 1) / kBlock);
    runtime::parallel_each(sums.size(), [&](std::size_t k) {
      for (const FocalPair& pair :
           pairs_.subspan(k * kBlock, std::min(kBlock, pairs_.size() - k * kBlock)))
        sums[k] += cost_of_factors(pair, factors[pair.focal1], factors[pair.focal2]);
    });
    return std::accumulate(sums.begin(), sums.end(), 0.0);
  }
  // Of the pairs of a focal length, if it had another logarithm.
  [[nodiscard]] double cost_of(std::size_t focal, double log) const {
    double sum = 0;
    for (const FocalPair* pair : own_[focal])
      sum += focal_cost(*pair, pair->focal1 == focal ? log : log_of(pair->focal1),
                        pair->focal2 == focal ? log : log_of(pair->focal2));
    return sum;
  }
  // Moves each focal length to its best group. Returns whether one moved.
  bool move() {
    bool has_moved = false;
    for (std::size_t i = 0; i < own_.size(); ++i) {
      double best = cost_of(i, log_of(i));
      for (std::size_t k = 0; k < logs_.size(); ++k)
        if (const double now = cost_of(i, logs_[k]); now < best - 1e-9)
          best = now, group_[i] = static_cast<int>(k), has_moved = true;
    }
    return has_moved;
  }
  void refine() {
    for (double& log : logs_) {
      const double centre = log;
      double best = centre, best_cost = cost();
      for (int step = -4; step <= 4; ++step) {
        log = centre + kFineStep * step;
        if (const double now = cost(); now < best_cost) best = log, best_cost = now;
      }
      log = best;
    }
  }

  std::span<const FocalPair> pairs_;
  std::vector<std::vector<const FocalPair*>> own_;
  std::vector<int> group_;
  std::vector<double> logs_;
};

// The largest group gets number 0; further numbers follow the first members.
FocalGroups in_order(const std::vector<int>& groups, const std::vector<double>& logs) {
  std::map<int, std::size_t> sizes;
  for (const int group : groups) ++sizes[group];
  const int largest =
      std::ranges::max_element(sizes, {}, &std::pair<const int, std::size_t>::second)->first;
  std::map<int, int> numbers = {{largest, 0}};
  FocalGroups out{{}, {logs[static_cast<std::size_t>(largest)]}};
  for (const int group : groups) {
    const auto [known, is_new] = numbers.emplace(group, static_cast<int>(numbers.size()));
    if (is_new) out.logs.push_back(logs[static_cast<std::size_t>(group)]);
    out.groups.push_back(known->second);
  }
  return out;
}

}  // namespace

FocalPair focal_pair(std::size_t focal1, std::size_t focal2, const Mat3& F, const Intrinsics& K1,
                     const Intrinsics& K2, std::size_t inliers) {
  return {focal1, focal2, times(transposed(K2.matrix()), times(F, K1.matrix())),
          std::min(1.0, static_cast<double>(inliers) / kEnoughInliers)};
}

double focal_cost(const FocalPair& pair, double log1, double log2) {
  return cost_of_factors(pair, std::exp(log1), std::exp(log2));
}

FocalGroups focal_groups(std::size_t focal_lengths, std::span<const FocalPair> pairs) {
  if (focal_lengths == 0) return {};
  Groups groups(focal_lengths, pairs);
  while (groups.divide()) check_cancelled();
  return in_order(groups.groups(), groups.logs());
}

}  // namespace bifocal::colmap
