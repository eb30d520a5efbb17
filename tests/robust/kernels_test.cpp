// SPDX-License-Identifier: BSD-3-Clause
// The group functions against plain loops: score, bail-out, sums, and the gradient of every chart
// against finite differences.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>

#include "robust/two_view.hpp"
#include "support/targets.hpp"
#include "two_view_scenes.hpp"

namespace bifocal::robust {
namespace {

using bench::make_scene;
using bench::TwoViewScene;
using test::for_each_target;

struct Case {
  std::string name;
  TwoViewScene scene;
  TwoViewPoints points;
  std::unique_ptr<Problem> problem;
  Model model{};  // near the truth

  friend void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }
};

// In scoring coordinates: x = length u + centre.
Model scored(const Frame& frame, const Mat3& M, bool homography) {
  const auto& [cx1, cy1, cx2, cy2] = frame.centre;
  const double l = frame.length;
  const Mat3 A1 = {l, 0, cx1, 0, l, cy1, 0, 0, 1};
  Mat3 A2 = {l, 0, cx2, 0, l, cy2, 0, 0, 1};
  if (homography) A2 = {1 / l, 0, -cx2 / l, 0, 1 / l, -cy2 / l, 0, 0, 1};
  Model out{};
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = 0; j < 3; ++j) {
      for (size_t k = 0; k < 3; ++k) {
        for (size_t m = 0; m < 3; ++m) {
          const double left = homography ? A2[3 * i + k] : A2[3 * k + i];
          out[3 * i + j] += left * M[3 * k + m] * A1[3 * m + j];
        }
      }
    }
  }
  return out;
}

std::unique_ptr<Case> make_case(const std::string& name) {
  std::mt19937_64 random(11);
  auto c = std::make_unique<Case>();
  c->name = name;
  c->scene = make_scene({.points = 700, .inliers = 0.6, .planar = name == "homography"}, random);
  const Intrinsics& k = c->scene.camera;
  const std::array<double, 4> centre = {k.cx, k.cy, k.cx, k.cy};
  c->points = two_view_points(c->scene.points, 0, name == "essential" ? &centre : nullptr);
  if (name == "homography") {
    c->problem = homography_problem(c->points, 3);
    c->model = scored(c->points.frame, c->scene.H, true);
  } else {
    const Vec3& t = c->scene.truth.t;
    const Mat3& R = c->scene.truth.R;
    const Mat3 cross = {0, -t[2], t[1], t[2], 0, -t[0], -t[1], t[0], 0};
    Mat3 F{};
    for (size_t i = 0; i < 9; ++i) {
      for (size_t m = 0; m < 3; ++m) F[i] += cross[3 * (i / 3) + m] * R[3 * m + i % 3];
    }
    // K^-T E K^-1
    for (size_t i = 0; i < 3; ++i) F[3 * i + 2] -= (F[3 * i] * k.cx + F[3 * i + 1] * k.cy) / k.fx;
    for (size_t i = 0; i < 3; ++i) F[3 * i] /= k.fx, F[3 * i + 1] /= k.fy;
    for (size_t j = 0; j < 3; ++j) F[6 + j] -= (F[j] * k.cx + F[3 + j] * k.cy) / k.fx;
    for (size_t j = 0; j < 3; ++j) F[j] /= k.fx, F[3 + j] /= k.fy;
    c->problem = name == "essential" ? essential_problem(c->points, k, k, 3)
                                     : fundamental_problem(c->points, 3);
    c->model = scored(c->points.frame, F, false);
  }
  ChartState state{};
  c->problem->open(c->model, state);
  c->problem->close(state, c->model);
  return c;
}

// Squared error of a point in long-hand, in scoring coordinates.
double plain_error(const Case& c, const Model& m, int i) {
  const auto& p = c.problem->points.f64.columns;
  const double x1 = p[0][i], y1 = p[1][i], x2 = p[2][i], y2 = p[3][i];
  if (c.name != "homography") {
    const double a = m[0] * x1 + m[1] * y1 + m[2], b = m[3] * x1 + m[4] * y1 + m[5];
    const double d = m[0] * x2 + m[3] * y2 + m[6], e = m[1] * x2 + m[4] * y2 + m[7];
    const double r = x2 * a + y2 * b + m[6] * x1 + m[7] * y1 + m[8];
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

struct Sums {
  double gain = 0, squares = 0;
  int inliers = 0;
};
Sums plain_sums(const Case& c, const Model& m) {
  Sums s;
  for (int i = 0; i < c.problem->points.count; ++i) {
    const double e = plain_error(c, m, i), u = 1 - e * c.problem->inverse_squared_threshold;
    if (!(u > 0)) continue;
    s.gain += u;
    s.squares += e;
    ++s.inliers;
  }
  return s;
}

class Kernel : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Case> case_ = make_case(GetParam());
};

TEST_P(Kernel, sums_equal_a_plain_loop_on_every_target) {
  const Sums expected = plain_sums(*case_, case_->model);
  EXPECT_GT(expected.inliers, 400);
  const Problem& p = *case_->problem;
  std::array<float, 12> model{};
  for (size_t i = 0; i < 9; ++i) model[i] = static_cast<float>(case_->model[i]);
  Stages all{};
  all.ends[0] = p.points.f32.padded;
  all.floors[0] = -1;
  all.count = 1;
  for_each_target([&](const std::string& target) {
    const Kernels k =
        kernels_for(case_->name == "homography" ? ErrorModel::transfer : ErrorModel::epipolar);
    EXPECT_NEAR(
        k.gain(p.points.f32, model.data(), all, static_cast<float>(p.inverse_squared_threshold)),
        expected.gain, 1e-3 * expected.gain)
        << target;
    NormalEquations sums;
    k.equations_f64(p.points.f64, case_->model.data(), p.inverse_squared_threshold, false, sums);
    EXPECT_NEAR(sums.gain, expected.gain, 1e-9 * expected.gain) << target;
    EXPECT_NEAR(sums.squared_errors, expected.squares, 1e-9 * expected.squares) << target;
    EXPECT_EQ(sums.inliers, expected.inliers) << target;
    k.equations_f32(p.points.f32, case_->model.data(), p.inverse_squared_threshold, false, sums);
    EXPECT_NEAR(sums.gain, expected.gain, 1e-3 * expected.gain) << target;
    std::vector<double> errors(static_cast<size_t>(p.points.f64.padded));
    k.errors(p.points.f64, case_->model.data(), errors.data());
    for (int i = 0; i < p.points.count; ++i) {
      const double e = plain_error(*case_, case_->model, i);
      ASSERT_NEAR(errors[static_cast<size_t>(i)], e, 1e-9 * (e + 1e-9)) << target;
    }
  });
}

TEST_P(Kernel, gives_up_exactly_the_models_that_fall_behind) {
  const Problem& p = *case_->problem;
  std::array<float, 12> model{};
  for (size_t i = 0; i < 9; ++i) model[i] = static_cast<float>(case_->model[i]);
  const auto t = static_cast<float>(p.inverse_squared_threshold);
  Stages stages{};
  stages.ends = {128, 256, p.points.f32.padded};
  stages.floors = {-1, -1, -1};
  stages.count = 3;
  const float gain = p.kernels.gain(p.points.f32, model.data(), stages, t);
  stages.floors = {0, 0, gain * 0.999f};
  EXPECT_EQ(p.kernels.gain(p.points.f32, model.data(), stages, t), gain);
  stages.floors[2] = gain;
  EXPECT_EQ(p.kernels.gain(p.points.f32, model.data(), stages, t), -1);
  stages.floors = {128, 0, 0};
  EXPECT_EQ(p.kernels.gain(p.points.f32, model.data(), stages, t), -1);
}

// Half the derivative of the sum of the inliers' squared errors, along every parameter.
TEST_P(Kernel, gradient_equals_finite_differences) {
  const Problem& p = *case_->problem;
  const double everything = 1e-12;  // a threshold that nothing exceeds: no jumps
  ChartState state{};
  p.open(case_->model, state);
  // A step away from the truth, where the gradient is large.
  std::array<double, 8> off{};
  for (size_t i = 0; i < 8; ++i) off[i] = 0.003 * (i % 2 ? 1.0 : -1.0);
  Tangent D;
  p.tangent(state, D);
  p.move(state, D, off.data());
  Model model{};
  p.close(state, model);
  NormalEquations sums;
  p.kernels.equations_f64(p.points.f64, model.data(), everything, false, sums);
  p.tangent(state, D);
  const auto half_sum = [&](const std::array<double, 8>& delta) {
    ChartState moved = state;
    Model m{};
    p.move(moved, D, delta.data());
    p.close(moved, m);
    NormalEquations s;
    p.kernels.equations_f64(p.points.f64, m.data(), everything, false, s);
    return s.squared_errors / 2;
  };
  const auto dof = static_cast<size_t>(p.dof());
  for (size_t j = 0; j < dof; ++j) {
    double analytic = 0;
    for (size_t i = 0; i < 9; ++i) analytic += D[dof * i + j] * sums.gradient[i];
    constexpr double kStep = 1e-6;
    std::array<double, 8> plus{}, minus{};
    plus[j] = kStep;
    minus[j] = -kStep;
    const double numeric = (half_sum(plus) - half_sum(minus)) / (2 * kStep);
    EXPECT_NEAR(analytic, numeric, 1e-5 * std::abs(numeric) + 1e-6) << "parameter " << j;
  }
}

INSTANTIATE_TEST_SUITE_P(, Kernel, testing::Values("homography", "fundamental", "essential"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace bifocal::robust
