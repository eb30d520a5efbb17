// SPDX-License-Identifier: BSD-3-Clause
// One pair's points as the engine wants them: finite, in random order, in scoring coordinates,
// structure of arrays.
#pragma once

#include <array>
#include <bifocal/robust.hpp>
#include <cstdint>
#include <span>
#include <vector>

#include "robust/engine.hpp"

namespace bifocal::robust {

// Numbers of a column for n points: a multiple of the widest group, with room for the shifts of
// finish.group.h behind the last point.
[[nodiscard]] constexpr int column_stride(int n) { return (n + MOST_SHIFTS + 63) / 64 * 64; }

// What is made of the weights and qualities of the matches; see pair_view.group.h.
struct PairPriors {
  std::vector<double> weights, ranks;  // [stride]
  std::vector<float> fast_weights;
  std::vector<double> cumulative_weights;  // [points]: see sample_source
  std::vector<int> ranking;
};

// A pair's points as the caller gives them: [count][EngineSteps::columns], and its cameras.
struct GivenPair {
  const double* points = nullptr;
  int count = 0;
  Cameras cameras{};
  MatchPriors priors;
};

struct PairPoints {
  std::vector<int> order;        // original index of each point: finite, of a weight above 0
  std::vector<int> zero_weight;  // original indices of the finite points of weight 0
  std::vector<int> not_finite;   // original indices
  int stride = 0;
  std::vector<double> f64;  // [columns][stride], and a little memory that may be read behind
  std::vector<float> f32;
  std::vector<double> zero_weight_columns;  // points of weight 0, [columns][zero_weight_stride()]
  PairPriors priors;
  Info info{};

  [[nodiscard]] int count() const { return static_cast<int>(order.size()); }
  [[nodiscard]] int zero_weight_stride() const {
    return column_stride(static_cast<int>(zero_weight.size()));
  }
  template <class Number>
  [[nodiscard]] const std::vector<Number>& columns() const {
    if constexpr (sizeof(Number) == 4)
      return f32;
    else
      return f64;
  }
  [[nodiscard]] bool weighted() const { return info[INFO_WEIGHTED] > 0; }
  [[nodiscard]] bool ranked() const { return info[INFO_RANKED] > 0; }
  // The order depends on the seed and the number of points alone.
  void set(ModelKind problem, const GivenPair& given, const RobustOptions& options);

 private:
  void set_order(const EngineSteps& steps, const GivenPair& given, std::uint64_t seed);
  void set_frame(const EngineSteps& steps, const GivenPair& given, double threshold);
  void fill(const EngineSteps& steps, const GivenPair& given);
  void set_priors(const MatchPriors& given);
  void set_weights(std::span<const double> given);
  void set_ranks(std::span<const double> given);
};

// The numbers of the points of a pair: a point is plain doubles.
[[nodiscard]] inline const double* numbers_of(std::span<const PointPair> points) {
  static_assert(sizeof(PointPair) == 4 * sizeof(double));
  return points.empty() ? nullptr : &points.front().x1;
}
[[nodiscard]] inline const double* numbers_of(std::span<const ScenePoint> points) {
  static_assert(sizeof(ScenePoint) == 5 * sizeof(double));
  return points.empty() ? nullptr : &points.front().x;
}
[[nodiscard]] inline Cameras cameras_of(const Intrinsics& a, const Intrinsics& b = {}) {
  return {a.fx, a.fy, a.cx, a.cy, b.fx, b.fy, b.cx, b.cy};
}

}  // namespace bifocal::robust
