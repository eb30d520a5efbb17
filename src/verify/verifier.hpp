// SPDX-License-Identifier: BSD-3-Clause
// Verifies pairs of images on any device: matching, removal of duplicate positions, model
// estimation, and a second round of matching guided by the models. A policy (policies.hpp) defines
// the models to estimate and the rule that selects the model of a pair.
#pragma once

#include <bifocal/matching.hpp>

#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "verify/points.hpp"

namespace bifocal::verify {

struct MatchingRules {
  MatchOptions matching = {};
  bool distinct_places = false;  // keep_distinct_places
};

// The matches of a list of pairs: pair k has [offsets[k], offsets[k + 1]).
struct MatchedPairs {
  std::span<const std::size_t> numbers;  // indices of the pairs in the verifier's list
  std::span<const std::int64_t> offsets;
  Memory<const PointPair> points;  // px
  // Points in px of the cameras' pinholes; null without lens distortion.
  Memory<const PointPair> undistorted = {};
  // Only for matches found in a set; their copy to the host may be pending.
  const FeatureSet* set = nullptr;
  std::span<const ImagePair> images = {};
  Memory<const Match> matches = {};
};

// Verified pairs: pair k has the matches and flags [offsets[k], offsets[k + 1]). Given matches stay
// with the caller and are not copied.
template <class Result>
struct Verified {
  std::vector<std::int64_t> offsets = {0};
  std::vector<std::uint8_t> inliers;
  std::vector<Result> results;  // one per pair
  std::span<const Match> matches;
  Reused<Match> memory;

  [[nodiscard]] std::span<const Match> matches_of(std::size_t k) const {
    return matches.subspan(static_cast<std::size_t>(offsets[k]), size(k));
  }
  [[nodiscard]] std::span<const std::uint8_t> inliers_of(std::size_t k) const {
    return std::span(inliers).subspan(static_cast<std::size_t>(offsets[k]), size(k));
  }
  [[nodiscard]] std::size_t size(std::size_t k) const {
    return static_cast<std::size_t>(offsets[k + 1] - offsets[k]);
  }
};

// Verifies successive lists of pairs and reuses its memory. Results are valid until the next call.
//
// A policy has the type Result, and for a verifier's queue:
//   void estimate(const MatchedPairs&, std::vector<Result>&, std::vector<std::uint8_t>& inliers);
//   int num_inliers(const Result&) const;  // 0 without a model
//   std::optional<MatchGuide> guide(const ImagePair& images, const Result&) const;
template <class Policy>
class PairVerifier {
 public:
  using Result = typename Policy::Result;

  PairVerifier(Queue& queue, const MatchingRules& rules, Policy policy)
      : queue_(queue), rules_(rules), policy_(std::move(policy)) {}

  [[nodiscard]] Policy& policy() { return policy_; }
  // Returns the points of the last round in memory of the queue's device, valid until the
  // next call.
  [[nodiscard]] const Memory<const PointPair>& points() const { return points_; }

  // Matches pairs of images in a set and estimates their models.
  const Verified<Result>& run(const FeatureSet& set, std::span<const ImagePair> pairs) {
    count_up_to(pairs.size());
    points_ = {};
    match(queue_, set, pairs, rules_.matching, found_);
    estimate(set, pairs, first_);
    return first_;
  }

  // Estimates the models of given matches.
  const Verified<Result>& run(std::span<const std::int64_t> offsets,
                              const Memory<const PointPair>& points,
                              const Memory<const PointPair>& undistorted = {}) {
    count_up_to(offsets.size() - 1);
    points_ = points;
    policy_.estimate({numbers_, offsets, points, undistorted}, first_.results, first_.inliers);
    first_.offsets.assign(offsets.begin(), offsets.end());
    return first_;
  }

  // Runs the second round for the pairs of the last run(): pairs with a model are matched
  // again along it. Each pair keeps the round with more inliers, or the first round if both
  // have the same number.
  const Verified<Result>& run_guided(const FeatureSet& set, std::span<const ImagePair> pairs) {
    numbers_.clear(), pairs_.clear(), guides_.clear();
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      if (policy_.num_inliers(first_.results[k]) == 0) continue;
      const std::optional<MatchGuide> guide = policy_.guide(pairs[k], first_.results[k]);
      if (!guide) continue;
      numbers_.push_back(k);
      pairs_.push_back(pairs[k]);
      guides_.push_back(*guide);
    }
    if (pairs_.empty()) return first_;
    points_ = {};
    match_guided(queue_, set, pairs_, guides_, rules_.matching, found_);
    estimate(set, pairs_, second_);
    merge();
    return best_;
  }

 private:
  void count_up_to(std::size_t pairs) {
    numbers_.resize(pairs);
    std::iota(numbers_.begin(), numbers_.end(), std::size_t{0});
  }

  void estimate(const FeatureSet& set, std::span<const ImagePair> pairs, Verified<Result>& to) {
    if (rules_.distinct_places) keep_distinct_places(queue_, found_);
    to.offsets = found_.offsets;
    const std::span<Match> matches =
        to.memory.take(static_cast<std::size_t>(found_.offsets.back()));
    found_.matches.download(queue_, matches);
    to.matches = matches;
    points_ = found_.points;
    policy_.estimate({numbers_, to.offsets, points_, {}, &set, pairs, found_.matches}, to.results,
                     to.inliers);
    queue_.wait();
  }

  // Selects the first or the second round for each pair.
  void merge() {
    best_.offsets.assign(1, 0), best_.inliers.clear(), best_.results.clear();
    const std::span<Match> matches =
        best_.memory.take(first_.matches.size() + second_.matches.size());
    std::size_t next = 0;
    for (std::size_t k = 0; k < first_.results.size(); ++k) {
      const bool is_in_both = next < numbers_.size() && numbers_[next] == k;
      const bool is_better = is_in_both && policy_.num_inliers(second_.results[next]) >
                                               policy_.num_inliers(first_.results[k]);
      Verified<Result>& from = is_better ? second_ : first_;
      const std::size_t at = is_better ? next : k;
      next += is_in_both ? 1 : 0;
      const auto own = from.matches_of(at);
      const auto flags = from.inliers_of(at);
      std::copy(own.begin(), own.end(), matches.begin() + best_.offsets.back());
      best_.inliers.insert(best_.inliers.end(), flags.begin(), flags.end());
      best_.results.push_back(std::move(from.results[at]));
      best_.offsets.push_back(std::ssize(best_.inliers));
    }
    best_.matches = matches.first(best_.inliers.size());
  }

  Queue& queue_;
  MatchingRules rules_;
  Policy policy_;
  DeviceMatches found_;
  Memory<const PointPair> points_;
  std::vector<std::size_t> numbers_;
  std::vector<ImagePair> pairs_;
  std::vector<MatchGuide> guides_;
  Verified<Result> first_, second_, best_;
};

}  // namespace bifocal::verify
