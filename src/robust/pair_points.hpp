// SPDX-License-Identifier: BSD-3-Clause
// One pair's points as the engine wants them: finite, in random order, in scoring coordinates,
// structure of arrays.
#pragma once

#include <array>
#include <bifocal/robust.hpp>
#include <cstdint>
#include <span>
#include <vector>

#include "robust/scalar_lanes.hpp"

namespace bifocal::robust {

enum class Problem { homography, fundamental, essential, absolute_pose };

// Numbers of a column for n points: a multiple of the widest group, with room for the shifts of
// finish.group.h behind the last point.
[[nodiscard]] constexpr int column_stride(int n) { return (n + Lanes::MOST_SHIFTS + 63) / 64 * 64; }

struct PairPoints {
  std::vector<int> order;       // original index of each point
  std::vector<int> not_finite;  // original indices
  int stride = 0;
  std::vector<double> f64;  // [columns][stride], and a little more that may be read
  std::vector<float> f32;
  std::array<double, Lanes::INFO_SIZE> info{};

  [[nodiscard]] int count() const { return static_cast<int>(order.size()); }
  // The indices for which finite(i) holds, in an order that depends on `seed` and their number
  // alone.
  template <class Finite>
  void set_order(int count, std::uint64_t seed, Finite finite);
  // value(i, c): column c of original point i.
  template <class Value>
  void fill(int columns, Value value);
};

// Cameras of an essential matrix, which has principal points as centres; nullptr otherwise.
struct CameraPair {
  Intrinsics first, second;
};
void set_two_view_points(Problem problem, std::span<const PointPair> points,
                         const RobustOptions& options, const CameraPair* cameras, PairPoints& out);

// Between scoring coordinates and those of the result: px, or the normalised image plane for E;
// |result| = 1.
[[nodiscard]] Mat3 homography_in_pixels(const double* info, const double* model);
[[nodiscard]] Mat3 fundamental_in_pixels(const double* info, const double* model);
[[nodiscard]] Mat3 essential_of(const double* info, const double* model);

template <class Finite>
void PairPoints::set_order(int count, std::uint64_t seed, Finite finite) {
  std::vector<int> kept;
  kept.reserve(static_cast<size_t>(count));
  not_finite.clear();
  for (int i = 0; i < count; ++i) (finite(i) ? kept : not_finite).push_back(i);
  const int n = static_cast<int>(kept.size());
  const auto low = static_cast<std::uint32_t>(seed), high = static_cast<std::uint32_t>(seed >> 32);
  order.resize(kept.size());
  for (int i = 0; i < n; ++i) {
    order[static_cast<size_t>(i)] = kept[static_cast<size_t>(Lanes::shuffled(i, n, low, high))];
  }
  stride = column_stride(n);
}

template <class Value>
void PairPoints::fill(int columns, Value value) {
  const auto size = static_cast<size_t>(stride * columns + Lanes::MOST_SHIFTS);
  f64.assign(size, lane::ops<double>::set(__builtin_nan("")));
  f32.assign(size, __builtin_nanf(""));
  for (int c = 0; c < columns; ++c) {
    for (int i = 0; i < count(); ++i) {
      const double v = value(order[static_cast<size_t>(i)], c);
      f64[static_cast<size_t>(c * stride + i)] = v;
      f32[static_cast<size_t>(c * stride + i)] = static_cast<float>(v);
    }
  }
}

}  // namespace bifocal::robust
