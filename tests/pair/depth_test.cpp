// SPDX-License-Identifier: BSD-3-Clause
// Depth of pairs of synthetic rooms by estimate_pair(), against their truth.
#include <bifocal/two_photographs.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "synthetic/random.hpp"
#include "synthetic/rooms.hpp"

namespace bifocal {
namespace {

constexpr int kWidth = 480, kHeight = 360;
constexpr Intrinsics kCamera{430, 430, 239.5, 179.5};

struct Pair {
  synthetic::RoomView one, two;
  double baseline = 0;
};

// The centre of camera 2 lies at `to`; it is turned about the vertical.
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
      name, r.dense->choice.reason.c_str(), to_string(r.dense->cameras), r.dense->camera1.fx,
      s.known, s.error, s.stretch, s.within2);
}

TEST(PairDepth, of_a_calibrated_camera_that_moves_in_any_direction) {
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

TEST(PairDepth, near_is_a_larger_disparity) {
  for (const Vec3& to : {Vec3{0.5, 0, 0}, Vec3{-0.5, 0, 0}, Vec3{0.05, 0, 0.8}}) {
    const PairResult r = estimated(views(to, 0), true);
    ASSERT_TRUE(r.dense.has_value()) << r.dense_reason;
    const DenseMatches m = dense_matches(r.dense->rectification, r.dense->disparity.raw);
    ImageF more = r.dense->disparity.raw;
    for (float& d : more.pixels) d += 1;
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

TEST(PairDepth, without_cameras_the_focal_length_is_estimated_or_assumed) {
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
  // If the axes are parallel, a wrong focal length stretches all depths alike.
  EXPECT_NEAR(s.stretch, open.dense->camera1.fx / kCamera.fx, 0.02);
}

TEST(PairDepth, a_plane_says_why_it_has_none) {
  const Pair pair = views({0.5, 0, 0}, 0);
  PairOptions options;
  options.model = ModelRequest::homography;
  const PairResult r = estimate_pair(pair.one.picture, pair.two.picture, options);
  EXPECT_FALSE(r.dense.has_value());
  EXPECT_NE(r.dense_reason.find("plane"), std::string::npos);
}

}  // namespace
}  // namespace bifocal
