// SPDX-License-Identifier: BSD-3-Clause
// Rectification through lenses: rows of a pair's points, and the sampling maps of the images.
#include <bifocal/error.hpp>
#include <bifocal/rectify.hpp>

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <random>
#include <tuple>

#include "scene/lens.hpp"

namespace bifocal {
namespace {

using Matrix = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

struct Rig {
  Camera one, two;
  Matrix R;
  Eigen::Vector3d t;

  [[nodiscard]] Rectification rectified() const {
    Pose pose;
    Eigen::Map<Matrix>(pose.R.data()) = R;
    Eigen::Map<Eigen::Vector3d>(pose.t.data()) = t;
    return rectify(one, two, pose);
  }
};

Rig random_rig(std::mt19937& random) {
  std::uniform_real_distribution<double> u(-1, 1);
  const auto camera = [&] {
    return Camera{
        {550 + 50 * u(random), 550 + 50 * u(random), 320 + 20 * u(random), 240 + 20 * u(random)},
        {.k1 = 0.2 * u(random),
         .k2 = 0.05 * u(random),
         .p1 = 2e-3 * u(random),
         .p2 = 2e-3 * u(random),
         .k3 = 0.01 * u(random),
         .k4 = 0.05 * u(random)},
        640,
        480};
  };
  Rig rig{camera(), camera(), {}, {}};
  const Eigen::Vector3d axis = Eigen::Vector3d(u(random), u(random), u(random)).normalized();
  rig.R = Eigen::AngleAxisd(0.15 * u(random), axis).toRotationMatrix();
  rig.t = Eigen::Vector3d(u(random) < 0 ? -2 : 2, 0.3 * u(random), 0.3 * u(random));
  return rig;
}

Vec2 seen(const Camera& camera, const Eigen::Vector3d& X) {
  const Vec2 p = scene::Lens(camera.distortion).distort({X.x() / X.z(), X.y() / X.z()});
  const Intrinsics& k = camera.intrinsics;
  return {k.fx * p[0] + k.cx, k.fy * p[1] + k.cy};
}

TEST(RectifiedLens, points_lie_on_equal_rows_at_their_depth) {
  std::mt19937 random(21);
  std::uniform_real_distribution<double> u(-1, 1);
  int counted = 0;
  double worst = 0;
  for (int trial = 0; trial < 100; ++trial) {
    const Rig rig = random_rig(random);
    const Rectification r = rig.rectified();
    ASSERT_EQ(r.outcome, RectifyOutcome::ok);
    std::vector<PointPair> matches;
    for (int i = 0; i < 30; ++i) {
      const double z = 8 + 4 * u(random);
      const Eigen::Vector3d X1(0.4 * z * u(random), 0.3 * z * u(random), z),
          X2 = rig.R * X1 + rig.t;
      const Vec2 p1 = seen(rig.one, X1), p2 = seen(rig.two, X2);
      const Vec2 l = rectified_point(r, 0, r.is_swapped ? p2 : p1),
                 p = rectified_point(r, 1, r.is_swapped ? p1 : p2);
      ASSERT_FALSE(std::isnan(l[0]) || std::isnan(p[0]));
      matches.push_back({p1[0], p1[1], p2[0], p2[1]});
      worst = std::max(worst, std::abs(l[1] - p[1]));
      const auto Q = reprojection_matrix(r, rig.t.norm());
      const Eigen::Vector4d X =
          Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(Q.data()) *
          Eigen::Vector4d(l[0], l[1], l[0] - p[0], 1);
      const Eigen::Vector3d expected =
          Eigen::Map<const Matrix>(r.sides[0].R.data()) * (r.is_swapped ? X2 : X1);
      ASSERT_LT((X.head<3>() / X.w() - expected).norm(), 1e-7 * expected.norm());
      ++counted;
    }
    const VerticalDisparity v = vertical_disparity(r, matches);
    EXPECT_EQ(v.counted, 30);
    EXPECT_LT(v.percentile95, 1e-6);
  }
  EXPECT_EQ(counted, 3000);
  RecordProperty("worst_row_difference", std::to_string(worst));
  EXPECT_LT(worst, 1e-8);
}

// A map and rectified_point() are inverse to each other, up to the rounding of the map.
TEST(RectifiedLens, maps_are_inverse_to_point_conversion) {
  std::mt19937 random(22);
  for (int trial = 0; trial < 10; ++trial) {
    const Rig rig = random_rig(random);
    const Rectification r = rig.rectified();
    const auto maps = sampling_maps(r);
    for (int side = 0; side < 2; ++side) {
      const SamplingMap& map = maps[static_cast<std::size_t>(side)];
      std::int64_t inside = 0;
      for (int y = 0; y < map.height; y += 7) {
        for (int x = 0; x < map.width; x += 7) {
          const std::size_t i =
              static_cast<std::size_t>(y) * std::size_t(map.width) + std::size_t(x);
          if (map.x[i] < 0) continue;
          ++inside;
          const Vec2 p = rectified_point(r, side, {map.x[i] / 256.0, map.y[i] / 256.0});
          ASSERT_NEAR(p[0], x, 0.01) << trial;
          ASSERT_NEAR(p[1], y, 0.01) << trial;
        }
      }
      EXPECT_GT(inside, map.width * map.height / 49 / 3);
    }
  }
}

TEST(RectifiedLens, coefficients_of_zero_equal_the_pinhole) {
  std::mt19937 random(23);
  Rig rig = random_rig(random);
  rig.one.distortion = rig.two.distortion = {};
  const Rectification a = rig.rectified();
  // A negligible coefficient selects the code path for lenses.
  rig.one.distortion.k6 = rig.two.distortion.k6 = 1e-14;
  const Rectification b = rig.rectified();
  EXPECT_NEAR(a.sides[0].camera.cx, b.sides[0].camera.cx, 1e-6);
  ASSERT_EQ(a.width, b.width);
  const auto pinhole = sampling_maps(a), lens = sampling_maps(b);
  std::int64_t apart = 0;
  for (std::size_t side = 0; side < 2; ++side)
    for (std::size_t i = 0; i < pinhole[side].x.size(); ++i) {
      const bool inside = pinhole[side].x[i] >= 0 && lens[side].x[i] >= 0;
      if (inside) {
        ASSERT_NEAR(pinhole[side].x[i], lens[side].x[i], 1);
        ASSERT_NEAR(pinhole[side].y[i], lens[side].y[i], 1);
      }
      apart += (pinhole[side].x[i] >= 0) != (lens[side].x[i] >= 0);
    }
  EXPECT_LT(apart, 10);
}

// Pixels beyond the disc of a lens stay empty, so the folded part does not appear.
TEST(RectifiedLens, the_folded_part_of_a_picture_is_left_out) {
  const Camera folded{{300, 300, 319.5, 239.5}, {.k1 = -1.0 / 3}, 640, 480};  // r < 200 px of 400
  const Rectification r = rectify(folded, folded, {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {-1, 0, 0}});
  ASSERT_EQ(r.outcome, RectifyOutcome::ok);
  const auto map = sampling_maps(r)[0];
  std::int64_t inside = 0;
  for (std::size_t i = 0; i < map.x.size(); ++i) {
    if (map.x[i] < 0) continue;
    ++inside;
    ASSERT_LE(std::hypot(map.x[i] / 256.0 - 319.5, map.y[i] / 256.0 - 239.5), 200.01);
  }
  EXPECT_GT(inside, 100000);
  EXPECT_TRUE(std::isnan(rectified_point(r, 0, {0, 0})[0]));
}

TEST(RectifiedLens, refusals_have_reasons) {
  const Camera camera{{500, 500, 320, 240}, {.k1 = -0.1}, 640, 480};
  const Mat3 I = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  EXPECT_EQ(rectify(camera, camera, {I, {0, 0, 1}}).outcome, RectifyOutcome::epipole_near_image);
  Rig rig{camera,
          camera,
          Eigen::AngleAxisd(1.2, Eigen::Vector3d::UnitX()).toRotationMatrix(),
          {1, 0, 0}};
  const RectifyOutcome outcome = rig.rectified().outcome;
  EXPECT_EQ(outcome, RectifyOutcome::no_common_rows) << to_string(outcome);
  Camera bad = camera;
  bad.distortion.k2 = std::nan("");
  EXPECT_THROW((void)rectify(bad, camera, {I, {1, 0, 0}}), Error);
  bad = camera;
  bad.width = 0;
  EXPECT_THROW((void)rectify(bad, camera, {I, {1, 0, 0}}), Error);
  EXPECT_EQ(vertical_disparity(rectify(camera, camera, {I, {1, 0, 0}}), {}).counted, 0);
}

// Projects a point by the formula of a fisheye of 140 degrees alone (Kannala, Brandt).
constexpr double kFisheye[] = {330, 335, 640, 480, 0.03, -0.01, 2e-3, -1e-3};
Vec2 fisheye_px(const Eigen::Vector3d& X) {
  const double across = std::hypot(X.x(), X.y()), a = std::atan2(across, X.z()), q = a * a;
  const double moved =
      a * (1 + q * (kFisheye[4] + q * (kFisheye[5] + q * (kFisheye[6] + q * kFisheye[7]))));
  const double s = across > 0 ? moved / across : 1 / X.z();
  return {kFisheye[0] * s * X.x() + kFisheye[2], kFisheye[1] * s * X.y() + kFisheye[3]};
}

// Two fisheyes, and a fisheye with a second camera that has OpenCV's lens.
TEST(RectifiedLens, fisheyes_have_equal_rows_and_inverse_maps) {
  const LensCamera fisheye("OPENCV_FISHEYE", kFisheye, 1280, 960);
  const Camera plain{{900, 900, 640, 480}, {.k1 = -0.1, .p1 = 1e-3}, 1280, 960};
  const Eigen::AngleAxisd turn(0.08, Eigen::Vector3d(0.3, 1, 0.2).normalized());
  const Matrix R = turn.toRotationMatrix();
  for (const bool both : {true, false}) {
    for (const double side : {-1.0, 1.0}) {
      const Eigen::Vector3d t(0.5 * side, 0.02, 0.03);
      Pose pose;
      Eigen::Map<Matrix>(pose.R.data()) = R;
      Eigen::Map<Eigen::Vector3d>(pose.t.data()) = t;
      const Rectification r =
          rectify(fisheye, both ? fisheye : LensCamera(plain), pose, {.max_angle_deg = 60});
      ASSERT_EQ(r.outcome, RectifyOutcome::ok);
      EXPECT_EQ(r.is_swapped, side > 0);
      EXPECT_LE(std::int64_t{r.width} * r.height, 1.5 * 1280 * 960);
      const auto maps = sampling_maps(r);
      std::mt19937 random(5);
      std::uniform_real_distribution<double> u(-1, 1);
      int counted = 0, in_maps = 0;
      for (int i = 0; i < 500; ++i) {
        const double z = 4 + 2 * u(random);
        const Eigen::Vector3d X(1.2 * z * u(random), 0.9 * z * u(random), z), Y = R * X + t;
        const Vec2 p1 = fisheye_px(X), p2 = both ? fisheye_px(Y) : seen(plain, Y);
        if (std::isnan(p2[0])) continue;
        const Vec2 l = rectified_point(r, 0, r.is_swapped ? p2 : p1),
                   q = rectified_point(r, 1, r.is_swapped ? p1 : p2);
        ASSERT_NEAR(l[1], q[1], 1e-7);
        // Depth in the rectified left camera follows from the disparity.
        const Eigen::Vector3d left = r.is_swapped ? Y : X;
        const double depth =
            r.sides[0].R[6] * left.x() + r.sides[0].R[7] * left.y() + r.sides[0].R[8] * left.z();
        EXPECT_NEAR(t.norm() * r.sides[0].camera.fx /
                        (l[0] - q[0] + r.sides[1].camera.cx - r.sides[0].camera.cx),
                    depth, 1e-6);
        ++counted;
        for (const auto& [map, from, to] : {std::tuple(&maps[0], r.is_swapped ? p2 : p1, l),
                                            std::tuple(&maps[1], r.is_swapped ? p1 : p2, q)}) {
          const auto x = int(std::lround(to[0])), y = int(std::lround(to[1]));
          if (x < 0 || y < 0 || x >= r.width || y >= r.height) continue;
          const auto at = std::size_t(y) * std::size_t(r.width) + std::size_t(x);
          if (map->x[at] < 0) continue;
          // The tolerance is the rounding to a rectified pixel, which may be some pixels of
          // the image.
          EXPECT_NEAR(map->x[at] / 256.0, from[0], 4);
          EXPECT_NEAR(map->y[at] / 256.0, from[1], 4);
          ++in_maps;
        }
      }
      EXPECT_GT(counted, 350);
      EXPECT_GT(in_maps, 400);
    }
  }
}

// Compares every position of a map with the formula alone, applied to the rotated ray of the
// rectified pixel.
TEST(RectifiedLens, maps_of_fisheyes_follow_the_formula) {
  const LensCamera fisheye("OPENCV_FISHEYE", kFisheye, 1280, 960);
  const Rectification r = rectify(fisheye, fisheye, {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {-1, 0.1, 0.05}},
                                  {.max_angle_deg = 65});
  ASSERT_EQ(r.outcome, RectifyOutcome::ok);
  const SamplingMap map = sampling_map(r, 0);
  const Eigen::Map<const Matrix> R(r.sides[0].R.data());
  std::int64_t inside = 0, other = 0;
  for (int y = 0; y < r.height; y += 3) {
    for (int x = 0; x < r.width; x += 3) {
      const Eigen::Vector3d ray((x - r.sides[0].camera.cx) / r.sides[0].camera.fx,
                                (y - r.sides[0].camera.cy) / r.sides[0].camera.fy, 1);
      const Vec2 p = fisheye_px(R.transpose() * ray);
      const auto at = std::size_t(y) * std::size_t(r.width) + std::size_t(x);
      const bool is_inside = p[0] >= 0 && p[1] >= 0 && p[0] <= 1279 && p[1] <= 959;
      if (is_inside != (map.x[at] >= 0)) {
        ++other;  // at the border, or beyond the fold of the model
        continue;
      }
      if (!is_inside) continue;
      ++inside;
      ASSERT_NEAR(map.x[at], 256 * p[0], 0.501);
      ASSERT_NEAR(map.y[at], 256 * p[1], 0.501);
    }
  }
  EXPECT_GT(inside, std::int64_t{r.width} * r.height / 9 * 3 / 5);
  EXPECT_LT(other, 100);
}

TEST(RectifiedLens, a_lens_camera_of_a_camera_is_that_camera) {
  std::mt19937 random(22);
  for (int trial = 0; trial < 5; ++trial) {
    const Rig rig = random_rig(random);
    const Rectification a = rig.rectified();
    Pose pose;
    Eigen::Map<Matrix>(pose.R.data()) = rig.R;
    Eigen::Map<Eigen::Vector3d>(pose.t.data()) = rig.t;
    const Rectification b = rectify(LensCamera(rig.one), LensCamera(rig.two), pose);
    ASSERT_EQ(std::tuple(a.width, a.height, a.is_swapped),
              std::tuple(b.width, b.height, b.is_swapped));
    for (const int side : {0, 1}) {
      const SamplingMap one = sampling_map(a, side), two = sampling_map(b, side);
      int apart = 0;
      for (std::size_t i = 0; i < one.x.size(); ++i) {
        if ((one.x[i] >= 0) != (two.x[i] >= 0))
          ++apart;
        else if (std::abs(one.x[i] - two.x[i]) > 1 || std::abs(one.y[i] - two.y[i]) > 1)
          FAIL();
      }
      EXPECT_LT(apart, 10);
    }
  }
}

TEST(RectifiedLens, points_far_off_the_axis_are_left_out_on_request) {
  const Pose aside{{1, 0, 0, 0, 1, 0, 0, 0, 1}, {-1, 0, 0}};
  const LensCamera fisheye("OPENCV_FISHEYE", kFisheye, 1280, 960);
  int last = 0;
  for (const double degrees : {30.0, 50.0, 75.0}) {
    const Rectification r = rectify(fisheye, fisheye, aside, {.max_angle_deg = degrees});
    ASSERT_EQ(r.outcome, RectifyOutcome::ok);
    // A pixel in the image centre keeps its size on the canvas, as long as the canvas is
    // large enough.
    const double f = r.sides[0].camera.fx;
    if (degrees < 60) {
      EXPECT_DOUBLE_EQ(f, (kFisheye[0] + kFisheye[1]) / 2);
    } else {
      EXPECT_LT(f, 300);
    }
    EXPECT_GT(r.width, last);
    last = r.width;
    const Vec2 farthest = {r.sides[0].camera.cx / f, r.sides[0].camera.cy / f};
    for (const double tangent : farthest)
      EXPECT_LE(std::atan(tangent) * 180 / 3.14159265, degrees + 1e-6);
  }
  // A corner beyond 83 degrees of a 240-degree fisheye has no ray; the pair is
  // rectified nevertheless.
  const LensCamera wide("FISHEYE", std::vector<double>{300, 300, 640, 480}, 1280, 960);
  EXPECT_EQ(rectify(wide, wide, aside).outcome, RectifyOutcome::ok);
  EXPECT_THROW((void)rectify(wide, wide, aside, {.max_angle_deg = 90}), Error);
  EXPECT_THROW((void)rectify(wide, wide, aside, {.max_angle_deg = -1}), Error);
  EXPECT_THROW(
      (void)rectify(LensCamera("FISHEYE", std::vector<double>{300, 300, 640, 480}), wide, aside),
      Error);
}

}  // namespace
}  // namespace bifocal
