// SPDX-License-Identifier: BSD-3-Clause
// Polar rectification of random rigs: rows of matches, the map and its inverse, no compressed
// pixel, and refused input.
#include <bifocal/error.hpp>
#include <bifocal/rectify.hpp>
#include <bifocal/robust.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "support/data.hpp"
#include "synthetic/random.hpp"

namespace bifocal {
namespace {

constexpr int kWidth = 640, kHeight = 480;
constexpr Intrinsics kCamera{600, 600, 319.5, 239.5};

Camera sized(const Intrinsics& k) { return {k, {}, kWidth, kHeight}; }

struct Rig {
  Intrinsics camera1 = kCamera, camera2 = kCamera;
  Pose pose;
  std::vector<PointPair> matches;

  [[nodiscard]] Mat3 F() const {
    const auto& [R, t] = pose;
    Mat3 E{};
    for (std::size_t j = 0; j < 3; ++j) {
      E[j] = t[1] * R[6 + j] - t[2] * R[3 + j];
      E[3 + j] = t[2] * R[j] - t[0] * R[6 + j];
      E[6 + j] = t[0] * R[3 + j] - t[1] * R[j];
    }
    return fundamental_from_essential(E, camera1, camera2);
  }
  [[nodiscard]] Rectification rectified(const PolarOptions& options = {}) const {
    return rectify_polar(F(), matches, kWidth, kHeight, kWidth, kHeight, options);
  }
};

// Makes a rig with points at distances of 4 to 12 that both cameras see; the centre of camera 2
// lies in direction `to` at distance 1.
Rig make_rig(const Vec3& to, double turn_deg, std::mt19937_64& random, double zoom = 1) {
  Rig rig;
  rig.camera2.fx = rig.camera2.fy = zoom * kCamera.fx;
  rig.pose.R = synthetic::rotation_about(synthetic::random_direction(random),
                                         turn_deg * std::numbers::pi / 180);
  const double length = std::hypot(to[0], to[1], to[2]);
  rig.pose.t = times(rig.pose.R, Vec3{-to[0] / length, -to[1] / length, -to[2] / length});
  for (int tries = 0; tries < 20000 && rig.matches.size() < 300; ++tries) {
    const double x = synthetic::uniform(random, 0, kWidth - 1),
                 y = synthetic::uniform(random, 0, kHeight - 1),
                 z = synthetic::uniform(random, 4, 12);
    Vec3 p = times(rig.pose.R,
                   Vec3{(x - kCamera.cx) / kCamera.fx * z, (y - kCamera.cy) / kCamera.fy * z, z});
    for (std::size_t i = 0; i < 3; ++i) p[i] += rig.pose.t[i];
    const double u = rig.camera2.fx * p[0] / p[2] + rig.camera2.cx,
                 v = rig.camera2.fy * p[1] / p[2] + rig.camera2.cy;
    if (p[2] > 0.5 && u >= 0 && v >= 0 && u <= kWidth - 1 && v <= kHeight - 1)
      rig.matches.push_back({x, y, u, v});
  }
  return rig;
}

// Motions from sideways over the corner and the border of the image to straight ahead, forwards
// and backwards.
std::vector<Rig> rigs() {
  std::mt19937_64 random(7);
  std::vector<Rig> all;
  for (const Vec3& to : {Vec3{1, 0, 0}, Vec3{-1, 0, 0}, Vec3{0, 1, 0}, Vec3{1, -1, 0.02},
                         Vec3{1, 0, 0.6}, Vec3{0.5325, 0.399, 1}, Vec3{0.5, 0.1, 1},
                         Vec3{-0.2, 0.1, 1}, Vec3{0, 0, 1}, Vec3{0, 0, -1}, Vec3{0.1, 0.05, -1}}) {
    for (const double turn : {0.0, 4.0, 15.0}) all.push_back(make_rig(to, turn, random));
    all.push_back(make_rig(to, 3, random, 1.8));
  }
  for (int i = 0; i < 100; ++i)
    all.push_back(
        make_rig(synthetic::random_direction(random), synthetic::uniform(random, 0, 20), random));
  std::erase_if(all, [](const Rig& rig) { return rig.matches.size() < 20; });
  return all;
}

TEST(Polar, matches_lie_on_one_row) {
  double worst = 0;
  int cyclic = 0, all = 0;
  for (const Rig& rig : rigs()) {
    const Rectification r = rig.rectified();
    ASSERT_EQ(r.outcome, RectifyOutcome::ok);
    const VerticalDisparity rows = vertical_disparity(r, rig.matches);
    EXPECT_GE(rows.counted, static_cast<std::int64_t>(rig.matches.size()) - 2);
    EXPECT_LT(rows.percentile95, 0.01);
    worst = std::max(worst, rows.percentile95);
    cyclic += r.is_cyclic;
    ++all;
  }
  std::printf("%d rigs, %d of them cyclic; rows differ by at most %.2g px (95 %%)\n", all, cyclic,
              worst);
  EXPECT_GT(cyclic, 15);
}

TEST(Polar, the_map_and_its_inverse_agree) {
  std::mt19937_64 random(8);
  for (const Rig& rig : rigs()) {
    const Rectification r = rig.rectified();
    for (const int side : {0, 1}) {
      int there = 0;
      std::vector<Vec2> px;
      for (int i = 0; i < 200; ++i)
        px.push_back({synthetic::uniform(random, 0, kWidth - 1),
                      synthetic::uniform(random, 0, kHeight - 1)});
      const std::vector<Vec2> places = rectified_points(r, side, px);
      for (std::size_t i = 0; i < px.size(); ++i) {
        if (std::isnan(places[i][0])) continue;
        const Vec2 back = photograph_point(r, side, places[i]);
        if (std::isnan(back[0])) continue;  // half a row beyond the first row
        ++there;
        EXPECT_NEAR(back[0], px[i][0], 1e-3);
        EXPECT_NEAR(back[1], px[i][1], 1e-3);
      }
      EXPECT_GT(there, 20);
    }
  }
}

// Neighbouring pixels of the photograph are at least a pixel apart in the rectified image.
TEST(Polar, no_pixel_is_compressed) {
  std::mt19937_64 random(9);
  for (const Rig& rig : rigs()) {
    const Rectification r = rig.rectified();
    EXPECT_EQ(r.scale, 1);
    EXPECT_LE(double(r.width) * r.height, 12.0 * kWidth * kHeight);
    for (std::size_t k = 0; k < 2; ++k) {
      const auto& rows = r.sides[k].rows;
      ASSERT_EQ(rows.size(), static_cast<std::size_t>(r.height));
      for (std::size_t i = 0; i < rows.size(); ++i) {
        EXPECT_LE(std::hypot(rows[i].dx, rows[i].dy), 1 + 1e-9);
        if (i == 0) continue;
        for (const double c : {0.0, 0.5 * r.width, r.width - 1.0}) {
          const double x = rows[i].x + c * rows[i].dx, y = rows[i].y + c * rows[i].dy;
          if (x < 0 || y < 0 || x > kWidth - 1 || y > kHeight - 1) continue;
          const double off = std::abs(rows[i - 1].dx * (y - rows[i - 1].y) -
                                      rows[i - 1].dy * (x - rows[i - 1].x)) /
                             std::hypot(rows[i - 1].dx, rows[i - 1].dy);
          EXPECT_LE(off, 1.01);
        }
      }
    }
  }
}

TEST(Polar, a_pair_that_is_rectified_already_stays_as_it_is) {
  std::mt19937_64 random(10);
  const Rig rig = make_rig({1, 0, 0}, 0, random);
  const Rectification r = rig.rectified();
  EXPECT_EQ(r.width, kWidth);
  EXPECT_EQ(r.height, kHeight);
  for (const Vec2& p : {Vec2{0, 0}, Vec2{639, 479}, Vec2{100, 200}}) {
    const Vec2 q = photograph_point(r, 1, p);
    EXPECT_NEAR(q[0], p[0], 1e-3);
    EXPECT_NEAR(q[1], p[1], 1e-3);
  }
  EXPECT_NEAR(stretch(r), 1, 1e-3);
}

TEST(Polar, disparities_grow_with_nearness_if_the_pose_is_given) {
  for (const Rig& rig : rigs()) {
    const Rectification r = rectify_polar(sized(rig.camera1), sized(rig.camera2), rig.pose, {});
    ASSERT_EQ(r.outcome, RectifyOutcome::ok);
    int right = 0, wrong = 0;
    for (const double x : {100.0, 300.0, 420.0, 600.0}) {
      for (const double y : {50.0, 200.0, 290.0, 430.0}) {
        double last = -1e9;
        for (const double z : {1e5, 20.0, 8.0, 4.0}) {
          Vec3 p = times(rig.pose.R, Vec3{(x - 319.5) / 600 * z, (y - 239.5) / 600 * z, z});
          for (std::size_t i = 0; i < 3; ++i) p[i] += rig.pose.t[i];
          if (p[2] < 0.5) continue;
          const Vec2 one = {x, y}, two = {rig.camera2.fx * p[0] / p[2] + rig.camera2.cx,
                                          rig.camera2.fy * p[1] / p[2] + rig.camera2.cy};
          const double disparity = rectified_point(r, 0, r.is_swapped ? two : one)[0] -
                                   rectified_point(r, 1, r.is_swapped ? one : two)[0];
          if (std::isnan(disparity)) continue;
          (disparity > last ? right : wrong) += 1;
          last = disparity;
        }
      }
    }
    EXPECT_EQ(wrong, 0) << right;
  }
}

TEST(Polar, a_zoom_is_removed) {
  std::mt19937_64 random(11);
  const Rig rig = make_rig({0.3, 0.1, 1}, 2, random, 2);
  const Rectification r = rig.rectified();
  const DisparityRange range = disparity_range(r, rig.matches);
  const double left = std::hypot(r.sides[0].rows[9].dx, r.sides[0].rows[9].dy),
               right = std::hypot(r.sides[1].rows[9].dx, r.sides[1].rows[9].dy);
  std::printf("steps of %.2f and %.2f px, %d disparities\n", left, right, range.count);
  EXPECT_LT(left, 0.7);
  EXPECT_NEAR(right, 1, 1e-9);
  EXPECT_LT(range.count, 160);
}

TEST(Polar, sizes_are_bounded) {
  std::mt19937_64 random(12);
  const Rig rig = make_rig({0, 0, 1}, 3, random);
  const Rectification r = rig.rectified({.max_scale = 1});
  EXPECT_LT(r.scale, 0.7);
  EXPECT_LE(double(r.width) * (r.height - 2.0 * r.overlap), kWidth * kHeight);
  EXPECT_LT(vertical_disparity(r, rig.matches).percentile95, 0.01);
}

TEST(Polar, takes_epipoles_at_borders_and_corners) {
  // Camera 2 lies straight ahead in the direction of an image point: in the centre, on the border,
  // and at the corners.
  for (const Vec2& e :
       {Vec2{319.5, 239.5}, Vec2{0, 0}, Vec2{639, 479}, Vec2{639, 0}, Vec2{0, 479}, Vec2{100, 0},
        Vec2{639, 240}, Vec2{320, 240}, Vec2{-0.5, -0.5}, Vec2{1e-9, 1e-9}, Vec2{638.999999, 20}}) {
    std::mt19937_64 random(13);
    const Rig rig = make_rig({(e[0] - 319.5) / 600, (e[1] - 239.5) / 600, 1}, 0, random);
    const Rectification r = rig.rectified();
    ASSERT_EQ(r.outcome, RectifyOutcome::ok) << e[0] << " " << e[1];
    EXPECT_LT(vertical_disparity(r, rig.matches).percentile95, 0.01);
    EXPECT_LT(r.height, 5000);
    const auto maps = sampling_maps(r);
    EXPECT_EQ(maps[0].width, maps[1].width);
  }
}

TEST(Polar, degenerate_input_is_an_outcome_and_hostile_input_an_error) {
  std::mt19937_64 random(14);
  const Rig rig = make_rig({0, 0, 1}, 3, random);
  const Mat3 F = rig.F();
  const auto outcome = [&](const Mat3& M, std::span<const PointPair> matches) {
    return rectify_polar(M, matches, kWidth, kHeight, kWidth, kHeight).outcome;
  };
  EXPECT_EQ(outcome({1e-5, 0, 0, 0, 1e-5, 0, 0, 0, 1}, rig.matches), RectifyOutcome::no_geometry);
  EXPECT_EQ(outcome({0, 0, 0, 0, 0, 0, 0, 0, 1}, rig.matches), RectifyOutcome::no_geometry);
  EXPECT_EQ(outcome(F, {}), RectifyOutcome::no_orientation);
  EXPECT_THROW((void)outcome({}, rig.matches), Error);
  Mat3 bad = F;
  bad[4] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW((void)outcome(bad, rig.matches), Error);
  EXPECT_THROW((void)rectify_polar(F, rig.matches, 0, 5, 5, 5), Error);
  EXPECT_THROW((void)rig.rectified({.max_scale = 0}), Error);
  EXPECT_THROW((void)rig.rectified({.overlap = -1}), Error);
  EXPECT_THROW((void)sampling_map(Rectification{.kind = RectificationKind::polar}, 0), Error);
  EXPECT_THROW((void)photograph_point(rig.rectified(), 2, {0, 0}), Error);
  const double nan = bad[4];
  const Rectification r = rig.rectified();
  EXPECT_TRUE(std::isnan(rectified_point(r, 0, {nan, 0})[0]));
  EXPECT_TRUE(std::isnan(photograph_point(r, 0, {0, -1})[0]));
  EXPECT_TRUE(std::isnan(photograph_point(r, 0, {0, r.height + 0.0})[0]));
  std::vector<PointPair> odd = {{nan, 0, 0, 0}, {1e300, 0, 1e300, 0}};
  (void)outcome(F, odd);
  EXPECT_THROW((void)rectify_polar(sized(kCamera), sized(kCamera), Pose{}, {}), Error);
  Camera lens = sized(kCamera);
  lens.distortion.k1 = 0.1;
  EXPECT_THROW((void)rectify_polar(lens, sized(kCamera), rig.pose, {}), Error);
}

TEST(Polar, takes_images_of_one_pixel) {
  std::mt19937_64 random(15);
  for (const Vec3& to : {Vec3{1, 0, 0}, Vec3{0, 0, 1}, Vec3{0.3, 0.2, 1}}) {
    const Rig rig = make_rig(to, 0, random);
    for (const auto& [w1, h1, w2, h2] : {std::array{1, 1, 1, 1}, std::array{1, 1, 640, 480},
                                         std::array{640, 480, 1, 1}, std::array{1, 480, 640, 1}}) {
      const Rectification r = rectify_polar(rig.F(), rig.matches, w1, h1, w2, h2);
      if (r.width == 0) continue;
      EXPECT_LT(double(r.width) * r.height, 5e6);
      (void)sampling_maps(r);
    }
  }
}

// Random matrices of rank 2, even badly scaled, give an error outcome or rows that agree with F.
TEST(Polar, takes_any_matrix_of_rank_two) {
  std::mt19937_64 random(16);
  std::normal_distribution<double> normal;
  int rectified = 0;
  for (int i = 0; i < 300; ++i) {
    Mat3 F{};
    for (int k = 0; k < 2; ++k) {
      Vec3 a{}, b{};
      for (double& v : a) v = normal(random) * std::pow(10, synthetic::uniform(random, -4, 1));
      for (double& v : b) v = normal(random) * std::pow(10, synthetic::uniform(random, -4, 1));
      for (std::size_t j = 0; j < 9; ++j) F[j] += a[j / 3] * b[j % 3];
    }
    const std::vector<PointPair> matches = {{100, 100, 300, 200}};
    const Rectification r = rectify_polar(F, matches, 64, 48, 90, 30);
    if (r.width == 0) continue;
    ++rectified;
    EXPECT_LE(double(r.width) * (r.height - 2.0 * r.overlap), 12.0 * 64 * 48);
    (void)sampling_maps(r);
  }
  std::printf("%d of 300 rectified\n", rectified);
  EXPECT_GT(rectified, 20);
}

TEST(Polar, a_file_keeps_the_map_and_damage_is_named) {
  std::mt19937_64 random(17);
  const test::TemporaryFolder folder;
  const Rectification r = make_rig({0, 0, 1}, 3, random).rectified();
  write_rectification(folder / "map.npz", r);
  const Rectification back = read_rectification(folder / "map.npz");
  EXPECT_EQ(back.width, r.width);
  EXPECT_EQ(back.overlap, r.overlap);
  EXPECT_EQ(back.is_cyclic, r.is_cyclic);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(back.sides[k].epipole, r.sides[k].epipole);
    EXPECT_EQ(back.sides[k].is_inward, r.sides[k].is_inward);
    EXPECT_EQ(sampling_map(back, int(k)).x, sampling_map(r, int(k)).x);
    EXPECT_EQ(sampling_map(back, int(k)).y, sampling_map(r, int(k)).y);
  }
  EXPECT_THROW(
      write_rectification(folder / "map.npz", Rectification{.kind = RectificationKind::polar}),
      Error);
  EXPECT_EQ(read_rectification(folder / "map.npz").width, r.width);
}

TEST(Polar, invalid_maps_are_refused_by_name) {
  std::mt19937_64 random(18);
  const test::TemporaryFolder folder;
  const Rectification r = make_rig({0, 0, 1}, 3, random).rectified();
  const auto refusal = [&](const Rectification& bad) -> std::string {
    write_rectification(folder / "bad.npz", bad);
    try {
      (void)read_rectification(folder / "bad.npz");
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  Rectification bad = r;
  bad.sides[1].rows.pop_back();
  EXPECT_NE(refusal(bad).find("'right'"), std::string::npos);
  bad = r;
  bad.sides[0].rows[5].x = std::numeric_limits<double>::infinity();
  EXPECT_NE(refusal(bad).find("not finite"), std::string::npos);
  bad = r;
  bad.sides[0].rows[5].dx = bad.sides[0].rows[5].dy = 0;
  EXPECT_NE(refusal(bad).find("row 5"), std::string::npos);
  bad = r;
  bad.overlap = r.height;
  EXPECT_NE(refusal(bad).find("bad.npz"), std::string::npos);
  bad = r;
  bad.width = 1 << 30;
  EXPECT_NE(refusal(bad).find("'canvas'"), std::string::npos);
  bad = r;
  bad.sides[1].input.width = 0;
  EXPECT_NE(refusal(bad).find("'right_photograph'"), std::string::npos);
}

}  // namespace
}  // namespace bifocal
