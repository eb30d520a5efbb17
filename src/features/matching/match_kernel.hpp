// SPDX-License-Identifier: BSD-3-Clause
// Nearest neighbours of 8-bit descriptors, in both directions in one sweep.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bifocal::features {

inline constexpr int kNoDistance = 1 << 30;  // larger than any squared distance (128 * 255^2)

// Nearest and second nearest neighbour of each descriptor. A missing neighbour has index -1 and
// distance kNoDistance.
struct Nearest {
  std::vector<std::int32_t> distance, second, index;

  explicit Nearest(std::size_t n = 0)
      : distance(n, kNoDistance), second(n, kNoDistance), index(n, -1) {}
};

// Merges the nearest and second nearest neighbour from another set. The lower index wins among
// equal distances.
inline void merge_nearest(Nearest& n, std::size_t i, std::int32_t distance, std::int32_t second,
                          std::int32_t index) {
  n.second[i] = std::min({std::max(n.distance[i], distance), n.second[i], second});
  if (distance < n.distance[i] ||
      (distance == n.distance[i] && distance < kNoDistance && index < n.index[i])) {
    n.distance[i] = distance;
    n.index[i] = index;
  }
}

inline constexpr int kElements = 128;  // elements of a descriptor
inline constexpr int kQuads = kElements / 4;

// Squared norm of padding descriptors, whose elements are zero. |b|^2 - 2 a b is always smaller.
inline constexpr int kNoSquare = 0x7fffff;

// Norms that bound 16-bit sums of products by Cauchy-Schwarz: the largest squared norm of two
// elements that one instruction multiplies, and the squared norms of the 16 elements whose products
// each sum takes. Elements of a row count as at most kLargestByte.
struct Norms {
  float pair = 0;
  std::array<float, 8> sums{};

  void join(const Norms& other) {
    pair = std::max(pair, other.pair);
    for (std::size_t w = 0; w < sums.size(); ++w) sums[w] = std::max(sums[w], other.sums[w]);
  }
};
inline constexpr int kLargestByte = 127;
// Returns whether this processor multiplies bytes into 32-bit sums in registers of 32 or 64 bytes
// (VNNI of x86) or of 16 bytes (UDOT of ARM).
[[nodiscard]] bool has_dot_products(std::size_t register_bytes);
// Lets later calls use these instructions (the default), or not. For tests, while no other thread
// matches.
void allow_dot_products(bool is_allowed);

// Returns whether this processor multiplies bytes into 16-bit sums. Descriptors are then packed
// with their norms and in another order, in which every sum takes elements of all cells and
// directions of SIFT.
[[nodiscard]] bool sums_are_short();

// Rows 0 to count - 1, then rows of zeros up to a multiple of kRowStep, which is a multiple of the
// numbers of rows (4 and 6) that kernels take at a time.
inline constexpr int kRowStep = 12;
struct PackedRows {
  int count = 0, padded = 0;
  std::vector<std::uint8_t> values;   // [padded][128]
  std::vector<std::int32_t> squares;  // |a|^2; kNoSquare in the padding
  std::vector<Norms> norms;           // empty unless sums_are_short()
};
[[nodiscard]] PackedRows pack_rows(const std::uint8_t* descriptors, int count);

// Descriptors in panels of kPanel: values [panel][kQuads][kPanel][4], so that a register holds four
// elements of as many descriptors as the register has 32-bit lanes.
inline constexpr int kPanel = 64;
struct PackedPanels {
  int count = 0, padded = 0;
  std::vector<std::uint8_t> values;
  std::vector<std::int32_t> squares;
  std::vector<std::int32_t> sums;  // sum of each descriptor's elements, times 128
  std::vector<Norms> norms;        // empty unless sums_are_short()
};
[[nodiscard]] PackedPanels pack_panels(const std::uint8_t* descriptors, int count);

// Results for the columns: none, the nearest, or the nearest and the second nearest.
enum class ColumnsWanted { none, nearest, two };

inline constexpr int kMostBlockRows = 128;
// Compares rows [first, end) with all panels. At most kMostBlockRows rows; first is a multiple of
// kRowStep. Sets the elements of `rows` in that range. Merges into `columns`, which has
// panels.padded elements; earlier calls must have had lower rows. Checks for cancellation.
void nearest_in_block(const PackedRows& a, int first, int end, const PackedPanels& b,
                      ColumnsWanted wanted, Nearest& rows, Nearest& columns);

}  // namespace bifocal::features
