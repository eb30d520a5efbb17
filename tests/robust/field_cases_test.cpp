// SPDX-License-Identifier: BSD-3-Clause
// Matches as users bring them: maps between two units, and a rotated camera whose given focal
// length is slightly wrong.
#include <gtest/gtest.h>

#include <bifocal/io.hpp>
#include <bifocal/two_view.hpp>
#include <cmath>
#include <numbers>
#include <random>

#include "support/data.hpp"
#include "synthetic/accuracy.hpp"
#include "support/needs_problem.hpp"

namespace bifocal::test {
namespace {

using Pairs = std::vector<PointPair>;

int right_inliers(const EstimateResult& r, int right) {
  return static_cast<int>(std::count(r.inliers.begin(), r.inliers.begin() + right, 1));
}

// A table with coordinates in px and in metres; the first 32 of 40 matches are correct.
TEST(FieldCases, a_map_from_pixels_to_metres_is_found) {
  SKIP_UNLESS_PROBLEM_IS_BUILT(ModelKind::affine);
  BIFOCAL_NEEDS_DATA("field_cases/table_px_metres.txt");
  const Pairs points = read_correspondences(data("field_cases/table_px_metres.txt")).points;
  for (const double unit : {1.0, 1e3, 1e-3, 1e-6}) {  // metres, mm, km, more
    Pairs p = points;
    for (PointPair& q : p) {
      q.x2 *= unit;
      q.y2 *= unit;
    }
    const EstimateResult r =
        estimate(ModelKind::homography, p, {.options = {.threshold = 0.01 * unit}});
    ASSERT_TRUE(r.ok()) << unit << " " << to_string(r.outcome);
    EXPECT_EQ(r.num_inliers, 32) << unit;
    EXPECT_EQ(right_inliers(r, 32), 32) << unit;
    const EstimateResult affine =
        estimate(ModelKind::affine, p, {.options = {.threshold = 0.05 * unit, .seed = 1}});
    EXPECT_TRUE(affine.ok()) << unit << " " << to_string(affine.outcome);
    EXPECT_EQ(affine.num_inliers, right_inliers(affine, 32)) << unit;
  }
  Pairs inverse = points;
  for (PointPair& q : inverse) q = {q.x2, q.y2, q.x1, q.y1};
  const EstimateResult r =
      estimate(ModelKind::homography, inverse, {.options = {.threshold = 0.01}});
  EXPECT_TRUE(r.ok());
  EXPECT_EQ(right_inliers(r, 32), 32);
}

// Every kind of map, at any scale, with few and with many matches.
TEST(FieldCases, maps_of_any_scale_are_found) {
  SKIP_UNLESS_PROBLEM_IS_BUILT(ModelKind::affine);
  for (const int n : {40, 60, 2000}) {
    for (const double scale : {1e3, 1e-1, 1e-3, 5e-4, 1e-5, 1e-8}) {
      std::mt19937 random(3);
      std::uniform_real_distribution<double> place(0, 1000);
      std::normal_distribution<double> noise(0, 0.3);
      Pairs p;
      int right = 0;
      for (int i = 0; i < n; ++i) {
        const double x = place(random), y = place(random);
        PointPair q = {x, y, 0.9 * x - 0.2 * y + 30 + noise(random),
                       0.2 * x + 0.9 * y - 50 + noise(random)};
        if (i % 3 == 0) {
          q.x2 = place(random);
          q.y2 = place(random);
        } else {
          ++right;
        }
        q.x2 *= scale;
        q.y2 *= scale;
        p.push_back(q);
      }
      // The error of a match is a distance in both images; the image with the smaller unit
      // contributes nearly all.
      const double threshold = 2 * scale / std::hypot(1, scale);
      for (const ModelKind kind :
           {ModelKind::homography, ModelKind::affine, ModelKind::similarity}) {
        const EstimateResult r = estimate(kind, p, {.options = {.threshold = threshold}});
        EXPECT_TRUE(r.ok()) << to_string(kind) << " of " << n << " at " << scale;
        EXPECT_GE(r.num_inliers, right) << to_string(kind) << " of " << n << " at " << scale;
        EXPECT_LE(r.num_inliers, right + n / 20) << to_string(kind) << " at " << scale;
      }
    }
  }
}

// 500 matches of a camera with f = 1000 that rotated by 25 degrees; 400 are correct.
TEST(FieldCases, a_rotation_with_an_inexact_focal_length_is_no_translation) {
  BIFOCAL_NEEDS_DATA("field_cases/turned_camera.txt");
  const Pairs points = read_correspondences(data("field_cases/turned_camera.txt")).points;
  double exact[9] = {};
  for (const double f : {1000.0, 950.0, 1050.0, 900.0, 1100.0}) {
    const Intrinsics camera{f, f, 640, 480};
    const RelativePoseResult r = estimate_relative_pose(ModelKind::essential, points,
                                                        {.cameras = std::array{camera, camera}});
    ASSERT_EQ(r.outcome, Outcome::rotation_only) << f << " " << to_string(r.outcome);
    EXPECT_EQ(r.pose.t, (Vec3{0, 0, 0})) << f;
    EXPECT_GE(r.num_inliers, 390) << f;
    const Mat3& R = r.pose.R;
    if (f == 1000) std::copy(R.begin(), R.end(), exact);
    Mat3 first;
    std::copy(exact, exact + 9, first.begin());
    EXPECT_LT(synthetic::rotation_error_deg(R, first), 0.2) << f;
  }
}

// A camera that moved along a plane, and a camera that moved a little in a scene with depth: both
// have a small parallax, but it suffices to determine the translation.
TEST(FieldCases, a_visible_small_translation_is_not_doubted) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> place(-1, 1), depth(4, 12);
  std::normal_distribution<double> noise(0, 0.3);
  const Intrinsics camera{1000, 1000, 640, 480};
  for (const bool is_plane : {true, false}) {
    Pairs points;
    for (int i = 0; i < 400; ++i) {
      const double u = place(random) * 0.6, v = place(random) * 0.45;
      const double z = is_plane ? 8 / (1 + 0.4 * u - 0.3 * v) : depth(random);
      const double x = u * z - 0.35, y = v * z + 0.1, w = z + 0.05;
      points.push_back({1000 * u + 640 + noise(random), 1000 * v + 480 + noise(random),
                        1000 * x / w + 640 + noise(random), 1000 * y / w + 480 + noise(random)});
    }
    const RelativePoseResult r = estimate_relative_pose(ModelKind::essential, points,
                                                        {.cameras = std::array{camera, camera}});
    EXPECT_TRUE(r.ok()) << is_plane << " " << to_string(r.outcome);
    EXPECT_LT(r.median_parallax_deg, 6);
  }
}

}  // namespace
}  // namespace bifocal::test
