// SPDX-License-Identifier: BSD-3-Clause
// Depth of pairs of synthetic rooms by estimate_pair(), compared with the true depth.
#include <bifocal/two_photographs.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "synthetic/random.hpp"
#include "synthetic/rooms.hpp"
#include "support/long_tests.hpp"
#include "support/needs_problem.hpp"

namespace bifocal {
namespace {

constexpr int kWidth = 480, kHeight = 360;
constexpr Intrinsics kCamera{430, 430, 239.5, 179.5};

struct Pair {
  synthetic::RoomView one, two;
  double baseline = 0;
};

// Renders two views; the centre of camera 2 is at `to`, and camera 2 is rotated about the
// vertical axis.
Pair views(const Vec3& to, double turn_deg, std::uint32_t seed = 3) {
  const synthetic::Room room = synthetic::make_room(seed);
  Pose pose;
  pose.R = synthetic::rotation_about({0, 1, 0}, turn_deg * std::numbers::pi / 180);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k) pose.t[i] -= pose.R[3 * i + k] * to[k];
  return {synthetic::render(room, kCamera, {}, kWidth, kHeight),
          synthetic::render(room, kCamera, pose, kWidth, kHeight), std::hypot(to[0], to[1], to[2])};
}

struct Score {
  double known = 0, error = 0, within2 = 0;  // per cent; median of |error| / depth
  double stretch = 1;                        // median of depth / truth
};
Score score(const Pair& pair, const DepthMap& map) {
  std::vector<double> errors, ratios;
  int within = 0;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      const double z = map.depth.at(x, y) * pair.baseline, truth = pair.one.depth.at(x, y);
      if (std::isnan(z)) continue;
      errors.push_back(std::abs(z - truth) / truth);
      ratios.push_back(z / truth);
      within += std::abs(z - truth) <= 2 * pair.baseline * map.deviation.at(x, y);
    }
  }
  if (errors.empty()) return {};
  const auto median = [](std::vector<double>& v) {
    std::nth_element(v.begin(), v.begin() + std::ptrdiff_t(v.size() / 2), v.end());
    return v[v.size() / 2];
  };
  const auto count = double(errors.size());
  return {100 * count / (kWidth * kHeight), 100 * median(errors), 100 * within / count,
          median(ratios)};
}

PairResult estimated(const Pair& pair, bool calibrated) {
  PairOptions options;
  if (calibrated) options.camera1 = options.camera2 = kCamera;
  return estimate_pair(pair.one.picture, pair.two.picture, options);
}

void print(const char* name, const PairResult& r, const Score& s) {
  std::printf(
      "%s: %s; cameras %s, f = %.0f px; known %.1f %%, error %.2f %%, stretch %.3f, %.0f %% "
      "within 2 deviations\n",
      name, r.dense->choice.reason.c_str(), std::string(to_string(r.dense->cameras)).c_str(),
      r.dense->camera1.fx, s.known, s.error, s.stretch, s.within2);
}

TEST(PairDepth, is_accurate_for_a_calibrated_camera_moving_in_any_direction) {
  struct Case {
    const char* name;
    Vec3 to;
    double turn_deg;
    bool is_polar;
  };
  for (const Case& c :
       {Case{"to the right", {0.5, 0, 0}, 2, false}, Case{"to the left", {-0.5, 0.05, 0}, 2, false},
        Case{"up", {0.02, -0.4, 0}, 0, false}, Case{"forwards", {0.05, 0, 0.8}, 3, true},
        Case{"backwards", {0.05, 0, -0.8}, 0, true}}) {
    if (!test::is_long() && (std::string(c.name) == "up" || std::string(c.name) == "backwards"))
      continue;
    const Pair pair = views(c.to, c.turn_deg);
    const PairResult r = estimated(pair, true);
    ASSERT_TRUE(r.dense.has_value()) << c.name << ": " << r.dense_reason;
    EXPECT_EQ(r.dense->rectification.kind == RectificationKind::polar, c.is_polar) << c.name;
    EXPECT_FALSE(r.dense->rectification.is_swapped);
    EXPECT_EQ(r.dense->depth.depth.width, kWidth);
    EXPECT_GE(r.dense->min_disparity, 0);
    const Score s = score(pair, r.dense->depth);
    print(c.name, r, s);
    EXPECT_GT(s.known, 60) << c.name;
    EXPECT_LT(s.error, 2) << c.name;
    EXPECT_GT(s.within2, 90) << c.name;
    for (const CloudPoint& p : r.dense->cloud) ASSERT_GT(p.z, 0);
  }
}

TEST(PairDepth, near_points_have_larger_disparities_or_smaller_in_a_reversed_pair) {
  for (const Vec3& to : {Vec3{0.5, 0, 0}, Vec3{-0.5, 0, 0}, Vec3{0.05, 0, 0.8}}) {
    const PairResult r = estimated(views(to, 0), true);
    ASSERT_TRUE(r.dense.has_value()) << r.dense_reason;
    const DenseMatches m = dense_matches(r.dense->rectification, r.dense->disparity.raw);
    ImageF more = r.dense->disparity.raw;
    for (float& d : more.pixels) d += r.dense->rectification.is_reversed ? -1.0F : 1.0F;
    const DenseMatches n = dense_matches(r.dense->rectification, more);
    const auto depth = [&](const DenseMatches& of) {
      return depth_map(of, kCamera, kCamera, *r.cam2_from_cam1, {.max_deviation = 1e9}).depth;
    };
    const ImageF a = depth(m), b = depth(n);
    std::int64_t nearer = 0, farther = 0;
    for (std::size_t i = 0; i < a.pixels.size(); ++i) {
      nearer += b.pixels[i] < a.pixels[i];
      farther += b.pixels[i] > a.pixels[i];
    }
    EXPECT_GT(nearer, 100 * farther);
  }
}

// A rectified pixel, and the direction in the rectified image that is upwards in the photograph.
struct Placed {
  Vec2 at{}, up{};
};
Placed placed(const Rectification& r, int side, const Vec2& px) {
  const Vec2 at = rectified_point(r, side, px),
             above = rectified_point(r, side, {px[0], px[1] - 4});
  return {at, {above[0] - at[0], above[1] - at[1]}};
}

TEST(PairDepth, rectified_pictures_stay_upright_in_both_orders) {
  struct Case {
    const char* name;
    Vec3 to;
    double turn_deg;
  };
  for (const Case& c : {Case{"right", {0.5, 0, 0}, 2}, Case{"left", {-0.5, 0.05, 0}, 2},
                        Case{"forwards", {0.2, 0, 0.8}, 3}, Case{"backwards", {0.2, 0, -0.8}, 0},
                        Case{"forwards left", {-0.3, 0, 0.6}, 3}}) {
    // The short form has one case of each kind of rectification, with and without cameras.
    const bool is_in_short = std::string(c.name) == "left" || std::string(c.name) == "forwards";
    for (const bool is_calibrated : {true, false}) {
      if (!test::is_long() && !(is_in_short && is_calibrated == (c.to[2] == 0))) continue;
      SCOPED_TRACE(fmt::format("{}, {}", c.name, is_calibrated ? "calibrated" : "without cameras"));
      const PairResult r = estimated(views(c.to, c.turn_deg), is_calibrated);
      ASSERT_TRUE(r.dense.has_value()) << r.dense_reason;
      const Rectification& q = r.dense->rectification;
      EXPECT_FALSE(q.is_swapped);
      EXPECT_GE(r.dense->min_disparity, 0);
      // The upward direction takes all angles near an epipole in the image, but its mean over both
      // images points up.
      double up = 0;
      std::int64_t compared = 0, close = 0;
      for (std::size_t i = 0; i < r.points.size(); ++i) {
        if (!r.estimate.inliers[i]) continue;
        const PointPair& m = r.undistorted ? r.undistorted->points[i] : r.points[i];
        const Placed left = placed(q, 0, {m.x1, m.y1}), right = placed(q, 1, {m.x2, m.y2});
        for (const Placed& p : {left, right})
          if (const double n = std::hypot(p.up[0], p.up[1]); n > 0) up -= p.up[1] / n;
        const auto x = std::lround(left.at[0]), y = std::lround(left.at[1]);
        if (x < 0 || y < 0 || x >= q.width || y >= q.height) continue;
        const float d = r.dense->disparity.raw.at(int(x), int(y));
        if (std::isnan(d)) continue;
        ++compared;
        close += std::abs(d - (left.at[0] - right.at[0])) <= 2;
      }
      EXPECT_GT(up, 0);
      EXPECT_GT(compared, 20);
      EXPECT_GT(close, 0.9 * double(compared));
    }
  }
}

// The right camera stands on the left: each canvas keeps the overlap of both images, and
// little more.
TEST(PairDepth, a_reversed_pair_keeps_the_overlap) {
  const PairResult r = estimated(views({-0.5, 0, 0}, 0), true),
                   straight = estimated(views({0.5, 0, 0}, 0), true);
  ASSERT_TRUE(r.dense.has_value() && straight.dense.has_value());
  const DensePair& d = *r.dense;
  ASSERT_TRUE(d.rectification.is_reversed);
  EXPECT_EQ(d.left.width, d.rectification.width);
  EXPECT_EQ(d.right.width, d.rectification.width);
  EXPECT_EQ(d.disparity.raw.width, d.rectification.width);
  // The estimated disparities fill the range.
  float least = 1e9F, largest = -1e9F;
  std::int64_t known = 0;
  for (const float v : d.disparity.raw.pixels) {
    if (std::isnan(v)) continue;
    least = std::min(least, v), largest = std::max(largest, v), ++known;
  }
  EXPECT_GE(least, 0);
  EXPECT_EQ(d.min_disparity, 0);
  EXPECT_LE(largest, d.disparities - 1);
  EXPECT_LE(d.rectification.width, straight.dense->rectification.width + d.disparities);
  EXPECT_NEAR(d.disparity.density, 100.0 * double(known) / (double(d.left.width) * d.left.height),
              0.01);
  // Inliers stay on both canvases.
  std::int64_t inliers = 0, inside = 0;
  for (std::size_t i = 0; i < r.points.size(); ++i) {
    if (!r.estimate.inliers[i]) continue;
    const PointPair& m = r.points[i];
    ++inliers;
    const double left = rectified_point(d.rectification, 0, {m.x1, m.y1})[0],
                 right = rectified_point(d.rectification, 1, {m.x2, m.y2})[0];
    inside += left >= 0 && right >= 0 && left < d.left.width && right < d.left.width;
  }
  EXPECT_GT(double(inside), 0.99 * double(inliers));
}

// Points computed by Q from the disparities, in the frame of camera 1, have the depth of the
// depth map.
TEST(PairDepth, a_reversed_pair_has_a_consistent_q) {
  for (const Vec3& to : {Vec3{0.5, 0, 0}, Vec3{-0.5, 0, 0}}) {
    const PairResult r = estimated(views(to, 1), true);
    ASSERT_TRUE(r.dense.has_value()) << r.dense_reason;
    const Rectification& q = r.dense->rectification;
    ASSERT_EQ(q.kind, RectificationKind::planar);
    EXPECT_EQ(q.is_reversed, to[0] < 0);
    const auto Q = reprojection_matrix(q, 1);  // t| = 1
    const Mat3 to_camera = transposed(q.sides[0].R);
    std::int64_t compared = 0, close = 0;
    for (int y = 20; y < kHeight; y += 15) {
      for (int x = 20; x < kWidth; x += 15) {
        const Vec2 at = rectified_point(q, 0, {double(x), double(y)});
        const int u = int(std::lround(at[0])), v = int(std::lround(at[1]));
        if (u < 0 || v < 0 || u >= q.width || v >= q.height) continue;
        const double d = r.dense->disparity.raw.at(u, v), z = r.dense->depth.depth.at(x, y);
        if (std::isnan(d) || std::isnan(z)) continue;
        double p[4];
        for (std::size_t k = 0; k < 4; ++k)
          p[k] = Q[4 * k] * u + Q[4 * k + 1] * v + Q[4 * k + 2] * d + Q[4 * k + 3];
        const Vec3 point = times(to_camera, Vec3{p[0] / p[3], p[1] / p[3], p[2] / p[3]});
        ++compared;
        close += std::abs(point[2] - z) < 0.03 * z;
      }
    }
    EXPECT_GT(compared, 200);
    EXPECT_GT(close, 0.9 * double(compared));
  }
}

TEST(PairDepth, without_cameras_the_focal_length_is_estimated_or_assumed) {
  SKIP_UNLESS_PROBLEM_IS_BUILT(ModelKind::shared_focal);
  const Pair turned = views({0.5, 0.3, 0.6}, 12);
  const PairResult told = estimated(turned, false);
  ASSERT_TRUE(told.dense.has_value()) << told.dense_reason;
  print("turned", told, score(turned, told.dense->depth));
  EXPECT_EQ(told.dense->cameras, CameraSource::estimated);
  EXPECT_NEAR(told.dense->camera1.fx, kCamera.fx, 0.1 * kCamera.fx);
  EXPECT_LT(score(turned, told.dense->depth).error, 10);

  const Pair aside = views({0.5, 0, 0}, 0);
  const PairResult open = estimated(aside, false);
  ASSERT_TRUE(open.dense.has_value()) << open.dense_reason;
  const Score s = score(aside, open.dense->depth);
  print("aside", open, s);
  EXPECT_EQ(open.dense->cameras, CameraSource::assumed);
  // If the optical axes are parallel, a wrong focal length scales all depths by the same factor.
  EXPECT_NEAR(s.stretch, open.dense->camera1.fx / kCamera.fx, 0.02);
}

TEST(PairDepth, a_plane_gives_the_reason_for_missing_depth) {
  const Pair pair = views({0.5, 0, 0}, 0);
  PairOptions options;
  options.kind = ModelRequest::homography;
  const PairResult r = estimate_pair(pair.one.picture, pair.two.picture, options);
  EXPECT_FALSE(r.dense.has_value());
  EXPECT_NE(r.dense_reason.find("plane"), std::string::npos);
}

}  // namespace
}  // namespace bifocal
