// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace bifocal {

// Sets of the numbers [0, size) that are joined (union-find). The root of a set is its smallest
// number. At most 2^32 numbers.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t size) : parent_(size) {
    std::iota(parent_.begin(), parent_.end(), std::uint32_t{0});
  }
  std::size_t root(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  // Returns false if both are in one set already.
  bool join(std::size_t a, std::size_t b) {
    a = root(a), b = root(b);
    parent_[std::max(a, b)] = static_cast<std::uint32_t>(std::min(a, b));
    return a != b;
  }

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace bifocal
