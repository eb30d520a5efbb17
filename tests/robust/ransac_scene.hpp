// SPDX-License-Identifier: BSD-3-Clause
// Scenes in RANSAC's representation: points and the true model in scoring coordinates.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "problem_scene.hpp"
#include "robust/pair_points.hpp"
#include "robust/problem_functions.hpp"
#include "support/needs_problem.hpp"

namespace bifocal::robust {

using Model = std::array<double, 12>;

struct RansacScene {
  PairPoints pair;
  Model truth{};                     // in scoring coordinates
  std::vector<std::uint8_t> labels;  // 1: a true match, in the order of the points
  double pixel = 1;                  // in units of the errors
  double threshold = 0;              // in units of the errors
};

// Returns the map from scoring coordinates to px of image `second`.
inline RowMajor3 frame_of(const PairPoints& pair, int second) {
  const double l = pair.info.length;
  const double* c = pair.info.centre + 2 * second;
  RowMajor3 T;
  T << l, 0, c[0], 0, l, c[1], 0, 0, 1;
  return T;
}

// Makes a scene; `threshold` is in px. A problem without its solver has no scene.
inline RansacScene make_ransac_scene(ModelKind problem, const synthetic::SceneOptions& options,
                                     double threshold, std::mt19937_64& random) {
  const RansacSteps& steps = ransac_steps(problem);
  if (!steps.prepare) return {};
  const ProblemScene s = make_problem_scene(problem, options, random);
  Cameras cameras{};
  if (!s.cameras.empty()) cameras = cameras_of(s.cameras.front(), s.cameras.back());
  RansacScene scene;
  scene.pair.set(problem, {s.numbers.data(), s.count(), cameras, {}}, {.threshold = threshold});
  scene.pixel = 1 / scene.pair.info.unit;
  scene.threshold = threshold * scene.pixel;
  for (const int i : scene.pair.order) scene.labels.push_back(s.labels[static_cast<size_t>(i)]);
  if (!steps.two_views) {  // the world of the scoring coordinates is shifted and scaled
    const Eigen::Map<const Eigen::Vector3d> centre(scene.pair.info.centre);
    const Eigen::Map<const Eigen::Vector3d> t(s.pose.t.data());
    const Eigen::Vector3d shifted = (matrix_of(s.result) * centre + t) / scene.pair.info.length;
    std::copy_n(s.result.data(), 9, scene.truth.begin());
    std::copy_n(shifted.data(), 3, scene.truth.begin() + 9);
    if (steps.unknown_focal) {
      const double f = s.focal_length / scene.pair.info.focal[0];
      for (const size_t i : {0, 1, 2, 3, 4, 5, 9, 10}) scene.truth[i] *= f;
    }
    return scene;
  }
  const RowMajor3 first = frame_of(scene.pair, 0), second = frame_of(scene.pair, 1);
  RowMajor3 model = steps.residuals == 2
                        ? RowMajor3(second.inverse() * matrix_of(s.in_pixels) * first)
                        : RowMajor3(second.transpose() * matrix_of(s.in_pixels) * first);
  model /= steps.residuals == 2 ? model(2, 2) : model.norm();
  if (steps.unknown_focal) model *= s.focal_length / scene.pair.info.length;
  std::copy_n(model.data(), 9, scene.truth.begin());
  const double unit = scene.pair.info.rays[0];
  if (steps.unknown_distortion) scene.truth[9] = s.distortion * unit * unit;
  return scene;
}

template <ModelKind K>
typename problem_functions<double, K>::pair_view view_of(const PairPoints& pair) {
  typename problem_functions<double, K>::pair_view view;
  problem_functions<double, K>::pair_open(pair.f64.data(), pair.count(), pair.stride, &pair.info,
                                          &view);
  return view;
}

// Returns point i undistorted, in scoring coordinates.
using Straight = std::array<double, 4>;
inline Straight straight_point(ModelKind problem, const PairPoints& pair, const Model& m, int i) {
  const double k = ransac_steps(problem).unknown_distortion ? m[9] : 0, s = pair.info.focal[1];
  Straight p{};
  for (int c = 0; c < 4; ++c)
    p[static_cast<size_t>(c)] = pair.f64[static_cast<size_t>(c * pair.stride + i)];
  for (const size_t v : {size_t{0}, size_t{2}}) {
    const double w = 1 + k * (p[v] * p[v] + s * p[v + 1] * p[v + 1]);
    p[v] /= w, p[v + 1] /= w;
  }
  return p;
}

// Squared error of point i, by the plain formula.
inline double plain_error(ModelKind problem, const PairPoints& pair, const Model& m, int i) {
  const auto at = [&](int c) { return pair.f64[static_cast<size_t>(c * pair.stride + i)]; };
  const double x1 = at(0), y1 = at(1), x2 = at(2), y2 = at(3);
  if (!ransac_steps(problem).two_views) {
    double Y[3];
    for (size_t k = 0; k < 3; ++k)
      Y[k] = m[3 * k] * at(2) + m[3 * k + 1] * at(3) + m[3 * k + 2] * at(4) + m[9 + k];
    const double dx = pair.info.focal[0] * (Y[0] / Y[2] - x1);
    const double dy = pair.info.focal[1] * (Y[1] / Y[2] - y1);
    return dx * dx + dy * dy;
  }
  if (ransac_steps(problem).residuals == 1) {
    // Points (x, y, w); with a lens, w grows with the distance from the centre.
    const double k = ransac_steps(problem).unknown_distortion ? m[9] : 0, s = pair.info.focal[1];
    const double w1 = 1 + k * (x1 * x1 + s * y1 * y1), w2 = 1 + k * (x2 * x2 + s * y2 * y2);
    double a = m[0] * x1 + m[1] * y1 + m[2] * w1, b = m[3] * x1 + m[4] * y1 + m[5] * w1;
    double d = m[0] * x2 + m[3] * y2 + m[6] * w2, e = m[1] * x2 + m[4] * y2 + m[7] * w2;
    const double c1 = m[2] * x2 + m[5] * y2 + m[8] * w2, c2 = m[6] * x1 + m[7] * y1 + m[8] * w1;
    const double r = x2 * a + y2 * b + w2 * c2;
    a += 2 * k * x2 * c2, b += 2 * k * s * y2 * c2, d += 2 * k * x1 * c1, e += 2 * k * s * y1 * c1;
    return r * r / (a * a + b * b + d * d + e * e);
  }
  // c' (J J')^-1 c with the two equations c and their derivatives J.
  const double w = m[6] * x1 + m[7] * y1 + m[8];
  const double c0 = w * x2 - (m[0] * x1 + m[1] * y1 + m[2]),
               c1 = w * y2 - (m[3] * x1 + m[4] * y1 + m[5]);
  const double J[2][4] = {{m[6] * x2 - m[0], m[7] * x2 - m[1], w, 0},
                          {m[6] * y2 - m[3], m[7] * y2 - m[4], 0, w}};
  double s00 = 0, s01 = 0, s11 = 0;
  for (int k = 0; k < 4; ++k) {
    s00 += J[0][k] * J[0][k];
    s01 += J[0][k] * J[1][k];
    s11 += J[1][k] * J[1][k];
  }
  return (s11 * c0 * c0 - 2 * s01 * c0 * c1 + s00 * c1 * c1) / (s00 * s11 - s01 * s01);
}

template <ModelKind K>
struct ProblemConstant {
  using Functions = problem_functions<double, K>;
  static constexpr ModelKind problem = K;
};

// The problems for which `Wanted` holds, as types of a typed test.
template <class Kept, bool (*Wanted)(int residuals), class... All>
struct Chosen {
  using Types = Kept;
};
template <class... Kept, bool (*Wanted)(int), class First, class... Rest>
struct Chosen<testing::Types<Kept...>, Wanted, First, Rest...> {
  using Types =
      typename Chosen<std::conditional_t<Wanted(First::Functions::RESIDUALS),
                                         testing::Types<Kept..., First>, testing::Types<Kept...>>,
                      Wanted, Rest...>::Types;
};
template <bool (*Wanted)(int), std::size_t... I>
auto chosen(std::index_sequence<I...>) ->
    typename Chosen<testing::Types<>, Wanted, ProblemConstant<kModelKinds[I]>...>::Types;
constexpr bool any_problem(int) { return true; }
constexpr bool epipolar_problem(int residuals) { return residuals == 1; }
using EveryKind = std::make_index_sequence<std::size(kModelKinds)>;
using AllProblems = decltype(chosen<any_problem>(EveryKind()));
using EpipolarProblems = decltype(chosen<epipolar_problem>(EveryKind()));

struct ProblemNames {
  template <class T>
  static std::string GetName(int) {
    return std::string(to_string(T::problem));
  }
};

}  // namespace bifocal::robust
