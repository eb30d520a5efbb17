// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include <bifocal/mapping.hpp>

namespace bifocal::mapping {

struct Feature {
  int view = 0;
  std::uint32_t feature = 0;
  auto operator<=>(const Feature&) const = default;
};

// A match as the places of its pair in the order of joining and of the match in MapPair::inliers.
struct MatchPlace {
  std::uint32_t pair = 0, inlier = 0;
  auto operator<=>(const MatchPlace&) const = default;
};

// Numbers the features of all images.
class FeatureNumbers {
 public:
  explicit FeatureNumbers(const ViewGraph& graph) {
    for (const MapImage& image : graph.images)
      offsets_.push_back(offsets_.back() + image.features.size());
  }
  [[nodiscard]] std::size_t count() const { return offsets_.back(); }
  [[nodiscard]] std::size_t of(const Feature& f) const {
    return offsets_[static_cast<std::size_t>(f.view)] + f.feature;
  }

 private:
  std::vector<std::size_t> offsets_ = {0};
};

// Joins features to sets with at most one feature of a view. A match that would join two sets with
// a common view is passed over. The members of a set are in a block of one list; the size of a
// block is a power of two.
class FeatureSets {
 public:
  static constexpr std::uint32_t kNoSet = 0xffffffff;

  struct Set {
    MatchPlace first;
    std::uint32_t size = 0;  // 0: joined to another set
    std::size_t block = 0;
    std::uint64_t views = 0;  // view i sets bit i % 64
  };

  // set_of: the set of every feature by its number, kNoSet at the start. Several objects can have
  // sets of different features at the same time.
  FeatureSets(const FeatureNumbers& numbers, std::vector<std::uint32_t>& set_of)
      : numbers_(&numbers), set_of_(&set_of) {}

  void add(const MatchPlace& match, const Feature& a, const Feature& b) {
    std::uint32_t &set_a = set_of(a), &set_b = set_of(b);
    if (set_a == kNoSet && set_b == kNoSet) {
      set_a = set_b = static_cast<std::uint32_t>(sets_.size());
      const std::size_t block = new_block(2);
      members_[block] = std::min(a, b), members_[block + 1] = std::max(a, b);
      sets_.push_back({match, 2, block, bit_of(a) | bit_of(b)});
    } else if (set_a == kNoSet) {
      insert(a, set_b);
    } else if (set_b == kNoSet) {
      insert(b, set_a);
    } else if (set_a != set_b) {
      join(set_a, set_b);
    }
  }

  [[nodiscard]] const std::vector<Set>& sets() const { return sets_; }
  // In ascending order.
  [[nodiscard]] std::span<const Feature> members(const Set& set) const {
    return std::span(members_).subspan(set.block, set.size);
  }

 private:
  std::uint32_t& set_of(const Feature& f) { return (*set_of_)[numbers_->of(f)]; }
  static std::uint64_t bit_of(const Feature& f) {
    return std::uint64_t{1} << (static_cast<unsigned>(f.view) % 64U);
  }
  static std::size_t level_of(std::uint32_t size) {
    return static_cast<std::size_t>(std::bit_width(size - 1));
  }

  std::size_t new_block(std::uint32_t size) {
    std::vector<std::size_t>& unused = unused_[level_of(size)];
    if (unused.empty()) {
      members_.resize(members_.size() + std::bit_ceil(size));
      return members_.size() - std::bit_ceil(size);
    }
    const std::size_t block = unused.back();
    unused.pop_back();
    return block;
  }
  void release(const Set& set) { unused_[level_of(set.size)].push_back(set.block); }

  // Replaces the members by those in merged_.
  void take_merged(Set& set) {
    const auto size = static_cast<std::uint32_t>(merged_.size());
    if (level_of(size) != level_of(set.size)) release(set), set.block = new_block(size);
    set.size = size;
    std::ranges::copy(merged_, members_.begin() + static_cast<std::ptrdiff_t>(set.block));
  }

  // Merges two lists of members; returns false if they have a common view.
  bool merge(std::span<const Feature> a, std::span<const Feature> b, bool can_conflict) {
    merged_.clear();
    std::ranges::merge(a, b, std::back_inserter(merged_));
    return !can_conflict ||
           std::ranges::adjacent_find(merged_, {}, &Feature::view) == merged_.end();
  }

  void insert(const Feature& f, std::uint32_t number) {
    Set& set = sets_[number];
    if (!merge(members(set), std::span(&f, 1), (set.views & bit_of(f)) != 0)) return;
    set_of(f) = number;
    set.views |= bit_of(f);
    take_merged(set);
  }

  void join(std::uint32_t a, std::uint32_t b) {
    if (sets_[a].size < sets_[b].size) std::swap(a, b);
    Set &to = sets_[a], &from = sets_[b];
    if (!merge(members(to), members(from), (to.views & from.views) != 0)) return;
    for (const Feature& f : members(from)) set_of(f) = a;
    to.views |= from.views;
    release(from);
    from.size = 0;
    take_merged(to);
  }

  const FeatureNumbers* numbers_;
  std::vector<std::uint32_t>* set_of_;
  std::vector<Set> sets_;
  std::vector<Feature> members_, merged_;
  std::array<std::vector<std::size_t>, 32> unused_;  // blocks, by the logarithm of their size
};

}  // namespace bifocal::mapping
