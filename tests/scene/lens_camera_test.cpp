// SPDX-License-Identifier: BSD-3-Clause
// Cameras of every lens model: conversion of pixels in both directions, and estimators on
// undistorted points. tests/collection/undistortion_test.cpp tests the formulas themselves.
#include <bifocal/error.hpp>
#include <bifocal/camera.hpp>
#include <bifocal/robust.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "scene/lens.hpp"
#include "support/lens_cameras.hpp"

namespace bifocal {
namespace {

class EveryModel : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(LensCamera, EveryModel, testing::ValuesIn(test::all_models()),
                         [](const auto& test) { return test.param; });

TEST_P(EveryModel, undistorts_distorted_points) {
  const LensCamera camera(GetParam(), test::camera_params(GetParam(), 500, 640, 480), 1280, 960);
  int there = 0;
  for (double y = 0; y < 960; y += 60) {
    for (double x = 0; x < 1280; x += 60) {
      const Vec2 straight = camera.undistort({x, y});
      if (!std::isfinite(straight[0])) continue;
      ++there;
      const Vec2 back = camera.distort(straight);
      EXPECT_NEAR(back[0], x, 1e-7);
      EXPECT_NEAR(back[1], y, 1e-7);
    }
  }
  EXPECT_GT(there, 250);  // all are 352; corners may be out of view
}

TEST(LensCamera, has_no_point_outside_of_the_pinholes_view) {
  const LensCamera fisheye("FISHEYE", std::vector<double>{400, 400, 640, 480}, 1280, 960);
  const double edge = 400 * 80 * std::numbers::pi / 180;
  EXPECT_TRUE(std::isfinite(fisheye.undistort({640 + edge - 1, 480})[0]));
  EXPECT_TRUE(std::isnan(fisheye.undistort({640 + edge + 1, 480})[0]));
  EXPECT_TRUE(std::isnan(fisheye.undistort({std::nan(""), 480})[1]));
  const LensCamera folding("SIMPLE_RADIAL", std::vector<double>{500, 640, 480, -0.3}, 1280, 960);
  EXPECT_TRUE(std::isnan(folding.undistort({640 + 500, 480})[0]));  // no point is moved so far out
  EXPECT_TRUE(std::isnan(folding.distort({640 + 1000, 480})[0]));   // it turns back at r = 1.05
}

// A pixel beyond the fold of k r^2 = 1 had the ray of the pixel on the other side of the fold.
TEST(LensCamera, has_no_ray_beyond_the_fold_of_the_division_model) {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> strength(0.05, 2), radius(0, 2), angle(0, 7);
  for (int i = 0; i < 200; ++i) {
    const double k = strength(random), fold = 1 / std::sqrt(k), f = 500;
    const LensCamera camera("SIMPLE_DIVISION", std::vector<double>{f, 640, 480, k});
    const double r = radius(random) * fold, a = angle(random);
    const Vec2 px = {640 + f * r * std::cos(a), 480 + f * r * std::sin(a)};
    const Vec2 ray = camera.undistort(px);
    ASSERT_EQ(std::isnan(ray[0]), r >= fold) << k << " " << r;
    if (r >= fold) continue;
    const Vec2 back = camera.distort(ray);
    EXPECT_NEAR(back[0], px[0], 1e-4);
    EXPECT_NEAR(back[1], px[1], 1e-4);
  }
}

// Two rays of a strong fisheye with decentring and thin prisms never meet in a pixel: whatever is
// distorted is also undistorted, to the same ray.
TEST(LensCamera, has_no_pixel_beyond_the_fold_of_thin_prisms) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  int there = 0, beyond = 0;
  for (int i = 0; i < 400; ++i) {
    std::vector<double> params = {400, 410, 640, 480};
    for (int k = 0; k < 8; ++k)
      params.push_back(uniform(random) * (k == 2 || k == 3 || k > 5 ? 0.15 : 0.1));
    const LensCamera camera("THIN_PRISM_FISHEYE", params);
    for (int k = 0; k < 20; ++k) {
      const double r = std::tan(0.7 * (1 + uniform(random))), a = 4 * uniform(random);
      const Vec2 ray = {400 * r * std::cos(a) + 640, 410 * r * std::sin(a) + 480};
      const Vec2 px = camera.distort(ray);
      beyond += std::isnan(px[0]);
      if (std::isnan(px[0])) continue;
      ++there;
      const Vec2 back = camera.undistort(px);
      EXPECT_NEAR(back[0], ray[0], 1e-5 * (1 + r * r) * 400) << i;
      EXPECT_NEAR(back[1], ray[1], 1e-5 * (1 + r * r) * 400) << i;
    }
  }
  EXPECT_GT(there, 2000);
  EXPECT_GT(beyond, 500);
}

TEST(LensCamera, from_a_camera_has_its_lens) {
  const Camera c{{500, 510, 640, 480}, {.k1 = -0.1, .k2 = 0.01, .p1 = 1e-3}, 1280, 960};
  const LensCamera camera(c);
  const scene::Lens lens(c.distortion);
  const Vec2 moved = lens.undistort({(100 - 640.0) / 500, (200 - 480.0) / 510});
  const Vec2 px = camera.undistort({100, 200});
  EXPECT_NEAR(px[0], 500 * moved[0] + 640, 1e-9);
  EXPECT_NEAR(px[1], 510 * moved[1] + 480, 1e-9);
  EXPECT_EQ(camera.pinhole().fx, 500);
  EXPECT_FALSE(LensCamera(c.intrinsics).has_lens());
}

// Two views by fisheyes of 140 degrees: the pose is the scene's, and points beyond the range of the
// pinhole are reported by their index.
TEST(LensCamera, makes_pinholes_of_fisheyes_for_estimators) {
  const LensCamera camera("OPENCV_FISHEYE",
                          std::vector<double>{400, 410, 640, 480, 0.03, -0.01, 2e-3, -1e-3}, 1280,
                          960);
  const Intrinsics& k = camera.pinhole();
  const double angle = 0.1;
  const Pose truth{
      {std::cos(angle), 0, std::sin(angle), 0, 1, 0, -std::sin(angle), 0, std::cos(angle)},
      {0.8, 0, 0.6}};
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto pixel = [&](const Vec3& X) {
    return camera.distort({k.fx * X[0] / X[2] + k.cx, k.fy * X[1] / X[2] + k.cy});
  };
  std::vector<PointPair> points = {{640 + 640, 480, 640, 480}};  // 84 degrees off the axis
  while (points.size() < 300) {
    const Vec3 X = {10 * uniform(random), 8 * uniform(random), 7 + 3 * uniform(random)};
    Vec3 Y;
    for (std::size_t i = 0; i < 3; ++i)
      Y[i] = truth.R[3 * i] * X[0] + truth.R[3 * i + 1] * X[1] + truth.R[3 * i + 2] * X[2] +
             truth.t[i];
    if (Y[2] < 1) continue;
    const Vec2 a = pixel(X), b = pixel(Y);
    if (std::isfinite(a[0] + b[0])) points.push_back({a[0], a[1], b[0], b[1]});
  }
  undistort(std::span(points), camera, camera);
  const RelativePoseResult found =
      estimate_relative_pose(ModelKind::essential, points, {.cameras = std::array{k, k}});
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found.not_finite, std::vector<int>{0});
  EXPECT_EQ(found.num_inliers, 299);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(found.pose.R[i], truth.R[i], 1e-6);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(found.pose.t[i], truth.t[i], 1e-6);
}

TEST(LensCamera, refuses_invalid_cameras) {
  const auto refuse = [](const char* model, std::vector<double> params, const char* message,
                         int width = 0, int height = 0) {
    try {
      const LensCamera camera(model, params, width, height);
      FAIL() << model;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::usage);
      EXPECT_NE(std::string(e.what()).find(message), std::string::npos) << e.what();
    }
  };
  refuse("EQUIRECTANGULAR", {1, 2}, "model EQUIRECTANGULAR, which is not supported");
  refuse("PINHOLE", {1, 2, 3}, "3 params, PINHOLE has 4");
  refuse("PINHOLE", {1, NAN, 3, 4}, "params[1] = nan");
  refuse("PINHOLE", {1, -1, 3, 4}, "focal lengths 1 -1");
  refuse("PINHOLE", {1, 1, 3, 4}, "width -5, height 3: must be at least 1 px", -5, 3);
  refuse("SIMPLE_RADIAL", {1, 3, 4, 0.1}, "width 5, height -1: must be at least 1 px", 5, -1);
}

}  // namespace
}  // namespace bifocal
