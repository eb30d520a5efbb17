// SPDX-License-Identifier: BSD-3-Clause
// The group functions of robust.groups on this machine's widest SIMD registers.
#pragma once

#include <array>

namespace bifocal::robust {

// Coordinates of correspondences, structure of arrays: x1 y1 x2 y2, or x y X Y Z for absolute pose;
// padded with NaN to a multiple of kPadding.
inline constexpr int kPadding = 64;
template <class T>
struct PointsView {
  std::array<const T*, 5> columns;
  int padded = 0;
  std::array<T, 2> focal = {1, 1};  // absolute pose: px a unit of the normalised image plane
};

struct Points {
  PointsView<float> f32;
  PointsView<double> f64;
  int count = 0;
};

// Where a model that falls behind is given up (score.group.h).
struct Stages {
  static constexpr int kMost = 8;
  std::array<int, kMost> ends;
  std::array<float, kMost> floors;
  int count = 0;
};

// The sums of normal_equations.group.h; the first `size` rows are used.
struct NormalEquations {
  std::array<double, 45> matrix;
  std::array<double, 9> gradient;
  double gain = 0, inliers = 0, squared_errors = 0;
};

enum class ErrorModel { epipolar, transfer, reprojection };

struct Kernels {
  int size = 9;        // rows of the normal equations
  int model_size = 9;  // numbers of a model
  // MSAC gain of a model, or -1 when it fell behind.
  float (*gain)(const PointsView<float>&, const float* model, const Stages&,
                float inverse_squared_threshold);
  void (*equations_f32)(const PointsView<float>&, const double* model,
                        double inverse_squared_threshold, bool smooth, NormalEquations&);
  void (*equations_f64)(const PointsView<double>&, const double* model,
                        double inverse_squared_threshold, bool smooth, NormalEquations&);
  // Squared errors of all points, padding included.
  void (*errors)(const PointsView<double>&, const double* model, double* squared_errors);
};
[[nodiscard]] Kernels kernels_for(ErrorModel model);

// Makes the errors of points that a pose puts behind a camera NaN, unless the sine of their
// parallax is below `noise`. to_rays [4]: factors from the points' coordinates to rays.
void exclude_behind(const PointsView<double>& points, const double* R, const double* t,
                    const double* to_rays, double noise, double* squared_errors);

}  // namespace bifocal::robust
