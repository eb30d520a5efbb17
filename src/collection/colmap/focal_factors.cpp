// SPDX-License-Identifier: BSD-3-Clause
#include "collection/colmap/focal_factors.hpp"

#include <algorithm>
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
    double sum = 0;
    for (const FocalPair& pair : pairs_)
      sum += focal_cost(pair, log_of(pair.focal1), log_of(pair.focal2));
    return sum;
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
  const double factor1 = std::exp(log1), factor2 = std::exp(log2);
  Mat3 E = pair.E;
  for (std::size_t i : {0U, 1U, 2U}) {
    E[3 * i] *= factor1, E[3 * i + 1] *= factor1;
    E[i] *= factor2, E[3 + i] *= factor2;
  }
  const Mat3 EE = times(E, transposed(E)), EEE = times(EE, E);
  const double trace = EE[0] + EE[4] + EE[8];
  double squares = 0;
  for (std::size_t i = 0; i < 9; ++i)
    squares += (2 * EEE[i] - trace * E[i]) * (2 * EEE[i] - trace * E[i]);
  const double r = std::sqrt(squares) / (trace * std::sqrt(trace) * kScale);
  return pair.weight * std::log1p(r * r);
}

FocalGroups focal_groups(std::size_t focal_lengths, std::span<const FocalPair> pairs) {
  if (focal_lengths == 0) return {};
  Groups groups(focal_lengths, pairs);
  while (groups.divide()) check_cancelled();
  return in_order(groups.groups(), groups.logs());
}

}  // namespace bifocal::colmap
