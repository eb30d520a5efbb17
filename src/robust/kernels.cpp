// SPDX-License-Identifier: BSD-3-Clause
#include "robust/kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "robust/kernels.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "lane/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bifocal {
namespace HWY_NAMESPACE {
namespace {

template <class Real>
struct robust_lanes {
#include "lane/cpp_begin.h"

#include "math/math.lanes"

#include "linalg/linalg.lanes"

#include "solvers/solvers.lanes"

#include "robust/robust.groups"

#include "lane/cpp_end.h"
};

using robust::NormalEquations;
using robust::PointsView;
using robust::Stages;

// How each error model calls its group functions: P is a PointsView, L the lanes of its type.
struct Epipolar {
  static constexpr int size = 9, model_size = 9;
  template <class L, class P>
  static auto gain(const P& p, const float* model, const Stages& s, float t) {
    const auto& c = p.columns;
    return L::epipolar_gain(model, c[0], c[1], c[2], c[3], s.ends.data(), s.floors.data(), s.count,
                            t);
  }
  template <class L, class P, class T>
  static void equations(const P& p, const T* model, T t, bool smooth, T* out) {
    const auto& c = p.columns;
    L::epipolar_normal_equations(model, c[0], c[1], c[2], c[3], p.padded, t, smooth, out);
  }
  template <class L, class P>
  static auto error(const P& p, const typename L::real* model, int i) {
    const auto& c = p.columns;
    return L::sampson_squared(model, L::group_load(c[0], i), L::group_load(c[1], i),
                              L::group_load(c[2], i), L::group_load(c[3], i));
  }
};

struct Transfer {
  static constexpr int size = 9, model_size = 9;
  template <class L, class P>
  static auto gain(const P& p, const float* model, const Stages& s, float t) {
    const auto& c = p.columns;
    return L::transfer_gain(model, c[0], c[1], c[2], c[3], s.ends.data(), s.floors.data(), s.count,
                            t);
  }
  template <class L, class P, class T>
  static void equations(const P& p, const T* model, T t, bool smooth, T* out) {
    const auto& c = p.columns;
    L::transfer_normal_equations(model, c[0], c[1], c[2], c[3], p.padded, t, smooth, out);
  }
  template <class L, class P>
  static auto error(const P& p, const typename L::real* model, int i) {
    const auto& c = p.columns;
    return L::transfer_squared(model, L::group_load(c[0], i), L::group_load(c[1], i),
                               L::group_load(c[2], i), L::group_load(c[3], i));
  }
};

struct Reprojection {
  static constexpr int size = 6, model_size = 12;
  template <class L, class P>
  static auto gain(const P& p, const float* model, const Stages& s, float t) {
    const auto& c = p.columns;
    return L::reprojection_gain(model, c[0], c[1], c[2], c[3], c[4], p.focal.data(), s.ends.data(),
                                s.floors.data(), s.count, t);
  }
  template <class L, class P, class T>
  static void equations(const P& p, const T* model, T t, bool smooth, T* out) {
    const auto& c = p.columns;
    L::reprojection_normal_equations(model, c[0], c[1], c[2], c[3], c[4], p.focal.data(), p.padded,
                                     t, smooth, out);
  }
  template <class L, class P>
  static auto error(const P& p, const typename L::real* model, int i) {
    const auto& c = p.columns;
    const typename L::real point[3] = {L::group_load(c[2], i), L::group_load(c[3], i),
                                       L::group_load(c[4], i)};
    return L::reprojection_squared(model, L::group_load(c[0], i), L::group_load(c[1], i), point,
                                   L::lane(p.focal[0]), L::lane(p.focal[1]));
  }
};

template <class Model>
float gain(const PointsView<float>& points, const float* model, const Stages& stages,
           float inverse_squared_threshold) {
  return Model::template gain<robust_lanes<simd<float>>>(points, model, stages,
                                                         inverse_squared_threshold);
}

template <class Model, class T>
void equations(const PointsView<T>& points, const double* model, double inverse_squared_threshold,
               bool smooth, NormalEquations& out) {
  constexpr int size = Model::size, triangle = size * (size + 1) / 2;
  T m[Model::model_size], sums[triangle + size + 3];
  for (int i = 0; i < Model::model_size; ++i) m[i] = static_cast<T>(model[i]);
  Model::template equations<robust_lanes<simd<T>>>(
      points, m, static_cast<T>(inverse_squared_threshold), smooth, sums);
  for (int i = 0; i < triangle; ++i) out.matrix[static_cast<unsigned>(i)] = sums[i];
  for (int i = 0; i < size; ++i) out.gradient[static_cast<unsigned>(i)] = sums[triangle + i];
  out.gain = sums[triangle + size];
  out.inliers = sums[triangle + size + 1];
  out.squared_errors = sums[triangle + size + 2];
}

template <class Model>
void errors(const PointsView<double>& points, const double* model, double* squared_errors) {
  using L = robust_lanes<simd<double>>;
  typename L::real m[Model::model_size];
  for (int i = 0; i < Model::model_size; ++i) m[i] = L::lane(model[i]);
  for (int i = 0; i < points.padded; i += L::group_width) {
    L::lane_ops::store(Model::template error<L>(points, m, i), squared_errors + i);
  }
}

template <class Model>
robust::Kernels kernels_of() {
  return {Model::size,
          Model::model_size,
          &gain<Model>,
          &equations<Model, float>,
          &equations<Model, double>,
          &errors<Model>};
}

}  // namespace

void exclude_behind_points(const PointsView<double>& points, const double* R, const double* t,
                           const double* to_rays, double noise, double* squared_errors) {
  using L = robust_lanes<simd<double>>;
  L::real pose[12], scale[4];
  for (int i = 0; i < 9; ++i) pose[i] = L::lane(R[i]);
  for (int i = 0; i < 3; ++i) pose[9 + i] = L::lane(t[i]);
  for (int i = 0; i < 4; ++i) scale[i] = L::lane(to_rays[i]);
  const auto& c = points.columns;
  for (int i = 0; i < points.padded; i += L::group_width) {
    const auto admitted =
        L::pose_admits(pose, pose + 9, scale[0] * L::group_load(c[0], i),
                       scale[1] * L::group_load(c[1], i), scale[2] * L::group_load(c[2], i),
                       scale[3] * L::group_load(c[3], i), L::lane(noise * noise));
    const auto e = L::group_load(squared_errors, i);
    L::lane_ops::store(L::select(admitted, e, L::lane_nan()), squared_errors + i);
  }
}

robust::Kernels robust_kernels(robust::ErrorModel model) {
  switch (model) {
    case robust::ErrorModel::epipolar:
      return kernels_of<Epipolar>();
    case robust::ErrorModel::transfer:
      return kernels_of<Transfer>();
    case robust::ErrorModel::reprojection:
      break;
  }
  return kernels_of<Reprojection>();
}

}  // namespace HWY_NAMESPACE
}  // namespace bifocal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bifocal {
HWY_EXPORT(robust_kernels);
HWY_EXPORT(exclude_behind_points);

namespace robust {

void exclude_behind(const PointsView<double>& points, const double* R, const double* t,
                    const double* to_rays, double noise, double* squared_errors) {
  HWY_DYNAMIC_DISPATCH(exclude_behind_points)(points, R, t, to_rays, noise, squared_errors);
}

Kernels kernels_for(ErrorModel model) { return HWY_DYNAMIC_DISPATCH(robust_kernels)(model); }

}  // namespace robust
}  // namespace bifocal
#endif
