// SPDX-License-Identifier: BSD-3-Clause
// One pair's points as the engine wants them: finite, in random order, in scoring coordinates,
// structure of arrays.
#pragma once

#include <array>
#include <bifocal/robust.hpp>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "robust/scalar_lanes.hpp"

namespace bifocal::robust {

enum class Problem { homography, fundamental, essential, absolute_pose };

// Numbers of a column for n points: a multiple of the widest group, with room for the shifts of
// finish.group.h behind the last point.
[[nodiscard]] constexpr int column_stride(int n) { return (n + Lanes::MOST_SHIFTS + 63) / 64 * 64; }

// What the matches are worth where they have weights or qualities; see pair_view.group.h.
struct PairPriors {
  std::vector<double> shares, ranks;  // [stride]
  std::vector<float> fast_shares;
  std::vector<double> masses;  // [points]: see sample_source
  std::vector<int> ranking;
};

struct PairPoints {
  std::vector<int> order;       // original index of each point: finite, of a weight above 0
  std::vector<int> idle;        // original indices of the finite ones of weight 0
  std::vector<int> not_finite;  // original indices
  int stride = 0;
  std::vector<double> f64;  // [columns][stride], and a little more that may be read
  std::vector<float> f32;
  std::vector<double> idle_columns;  // of the idle points, [columns][idle_stride()]
  PairPriors priors;
  std::array<double, Lanes::INFO_SIZE> info{};

  [[nodiscard]] int count() const { return static_cast<int>(order.size()); }
  [[nodiscard]] int idle_stride() const { return column_stride(static_cast<int>(idle.size())); }
  [[nodiscard]] bool weighted() const { return info[Lanes::INFO_WEIGHTED] > 0; }
  [[nodiscard]] bool ranked() const { return info[Lanes::INFO_RANKED] > 0; }
  // The indices for which finite(i) holds and whose weight is not 0, in an order that depends on
  // `seed` and their number alone.
  template <class Finite>
  void set_order(int count, std::uint64_t seed, Finite finite, const MatchPriors& given = {});
  // value(i, c): column c of original point i.
  template <class Value>
  void fill(int columns, Value value);

 private:
  template <class Value>
  void fill_idle(int columns, Value value);
  void set_priors(const MatchPriors& given);
  void set_weights(std::span<const double> given);
  void set_ranks(std::span<const double> given);
};

// Cameras of an essential matrix, which has principal points as centres; nullptr otherwise.
struct CameraPair {
  Intrinsics first, second;
};
void set_two_view_points(Problem problem, std::span<const PointPair> points,
                         const RobustOptions& options, const CameraPair* cameras, PairPoints& out,
                         const MatchPriors& priors = {});

// Between scoring coordinates and those of the result: px, or the normalised image plane for E;
// |result| = 1.
[[nodiscard]] Mat3 homography_in_pixels(const double* info, const double* model);
[[nodiscard]] Mat3 fundamental_in_pixels(const double* info, const double* model);
[[nodiscard]] Mat3 essential_of(const double* info, const double* model);

// A weight counts when it is a finite number above 0.
[[nodiscard]] inline bool counts(std::span<const double> weights, int i) {
  if (weights.empty()) return true;
  const double w = weights[static_cast<size_t>(i)];
  return w > 0 && std::isfinite(w);
}

template <class Finite>
void PairPoints::set_order(int count, std::uint64_t seed, Finite finite, const MatchPriors& given) {
  std::vector<int> kept;
  kept.reserve(static_cast<size_t>(count));
  not_finite.clear();
  idle.clear();
  for (int i = 0; i < count; ++i)
    (!finite(i) ? not_finite : counts(given.weights, i) ? kept : idle).push_back(i);
  const int n = static_cast<int>(kept.size());
  const auto low = static_cast<std::uint32_t>(seed), high = static_cast<std::uint32_t>(seed >> 32);
  order.resize(kept.size());
  const int bits = Lanes::shuffle_bits(n);
  for (int i = 0; i < n; ++i) {
    const int from = Lanes::shuffled_in(i, n, bits, low, high);
    order[static_cast<size_t>(i)] = kept[static_cast<size_t>(from)];
  }
  stride = column_stride(n);
  set_priors(given);
}

template <class Value>
void PairPoints::fill(int columns, Value value) {
  const auto size = static_cast<size_t>(stride * columns + Lanes::MOST_SHIFTS);
  f64.assign(size, lane::ops<double>::set(__builtin_nan("")));
  f32.assign(size, __builtin_nanf(""));
  for (int i = 0; i < count(); ++i) {
    const int from = order[static_cast<size_t>(i)];
    for (int c = 0; c < columns; ++c) {
      const double v = value(from, c);
      f64[static_cast<size_t>(c * stride + i)] = v;
      f32[static_cast<size_t>(c * stride + i)] = static_cast<float>(v);
    }
  }
  fill_idle(columns, value);
}

template <class Value>
void PairPoints::fill_idle(int columns, Value value) {
  if (idle.empty()) return;
  const auto step = static_cast<size_t>(idle_stride());
  idle_columns.assign(step * static_cast<size_t>(columns), __builtin_nan(""));
  for (int c = 0; c < columns; ++c) {
    for (size_t k = 0; k < idle.size(); ++k)
      idle_columns[static_cast<size_t>(c) * step + k] = value(idle[k], c);
  }
}

}  // namespace bifocal::robust
