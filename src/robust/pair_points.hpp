// SPDX-License-Identifier: BSD-3-Clause
// One pair in the layout of RANSAC on a CPU: finite points in random order, in scoring coordinates,
// structure of arrays.
#pragma once

#include <array>
#include <bifocal/robust.hpp>
#include <cstdint>
#include <span>
#include <vector>

#include "robust/ransac.hpp"

namespace bifocal::robust {

// Returns the stride of a column of n points: a multiple of the widest group, with padding for the
// shifted reads of chance_rate behind the last point.
[[nodiscard]] constexpr int column_stride(int n) { return (n + MOST_SHIFTS + 63) / 64 * 64; }

// The points of a pair as the caller gives them, [count][RansacSteps::columns], with its cameras
// and priors.
struct GivenPair {
  const double* points = nullptr;
  int count = 0;
  Cameras cameras{};
  MatchPriors priors;
};

// The arrays of one pair; ransac/ransac.kernels has the same arrays for many pairs (pair_state.h).
// Their memory is reused from pair to pair.
struct PairPoints {
  int stride = 0;
  std::vector<int> kept;              // scratch memory
  std::vector<int> order;             // given indices in random order, then those of weight 0
  std::vector<double> f64;            // [columns][stride], padded for reads past the end
  std::vector<float> f32;             // the same in float
  std::vector<float> rows;            // the same point by point, for samples (sampling-inl.h)
  std::vector<double> priors;         // [PRIOR_COLUMNS][stride] if weights or qualities are given
  std::vector<float> float_weights;   // [stride] if weights or qualities are given
  std::vector<int> ranking;           // [stride] if weights or qualities are given
  std::vector<std::uint32_t> tables;  // [4 stride], scratch memory
  std::vector<double> weights;        // [stride], scratch memory; squared errors at the end
  std::vector<std::uint8_t> inliers;  // flags of the given points
  pair_work work{};
  ransac_state state{};
  pair_info info{};

  [[nodiscard]] int count() const { return work.count; }
  template <class Number>
  [[nodiscard]] const std::vector<Number>& columns() const {
    if constexpr (sizeof(Number) == 4)
      return f32;
    else
      return f64;
  }
  [[nodiscard]] const double* prior(int column) const {
    return priors.empty() ? nullptr : priors.data() + column * stride;
  }
  // Prepares the pair. The order depends only on the seed and the number of points.
  void set(ModelKind problem, const GivenPair& given, const RobustOptions& options);
};

// Returns the coordinates of the points of a pair as an array: a point is plain doubles.
[[nodiscard]] inline const double* numbers_of(std::span<const PointPair> points) {
  static_assert(sizeof(PointPair) == 4 * sizeof(double));
  return points.empty() ? nullptr : &points.front().x1;
}
[[nodiscard]] inline const double* numbers_of(std::span<const DepthPair> points) {
  static_assert(sizeof(DepthPair) == 6 * sizeof(double));
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
