// SPDX-License-Identifier: BSD-3-Clause
// Properties of every kind of rectification: points in both directions, rotation and shift, files.
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>
#include <bifocal/rectify.hpp>
#include <bifocal/robust.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "support/data.hpp"
#include "support/paths.hpp"
#include "synthetic/random.hpp"

namespace bifocal {
namespace {

constexpr int kWidth = 320, kHeight = 240;
constexpr Intrinsics kPinhole{300, 300, 159.5, 119.5};
constexpr Mat3 kIdentity = {1, 0, 0, 0, 1, 0, 0, 0, 1};
const Pose kAside{synthetic::rotation_about({0.2, 1, 0.1}, 0.1), {-1, 0.1, 0.05}};
const Pose kOther{synthetic::rotation_about({0.2, 1, 0.1}, 0.1), {1, 0.1, 0.05}};
const Pose kAhead{kIdentity, {0.05, 0.02, -1}};

struct Named {
  std::string name;
  Rectification r;
};

std::vector<PointPair> matches_of(const Pose& pose) {
  std::mt19937_64 random(3);
  std::vector<PointPair> all;
  while (all.size() < 100) {
    const double x = synthetic::uniform(random, 0, kWidth - 1),
                 y = synthetic::uniform(random, 0, kHeight - 1),
                 z = synthetic::uniform(random, 4, 12);
    Vec3 p = times(
        pose.R, Vec3{(x - kPinhole.cx) / kPinhole.fx * z, (y - kPinhole.cy) / kPinhole.fy * z, z});
    for (std::size_t i = 0; i < 3; ++i) p[i] += pose.t[i];
    all.push_back(
        {x, y, kPinhole.fx * p[0] / p[2] + kPinhole.cx, kPinhole.fy * p[1] / p[2] + kPinhole.cy});
  }
  return all;
}

std::vector<Named> rectifications() {
  const Camera pinhole{kPinhole, {}, kWidth, kHeight};
  Camera bent = pinhole;
  bent.distortion = {.k1 = -0.2, .k2 = 0.03, .p1 = 1e-3};
  const LensCamera fisheye("OPENCV_FISHEYE",
                           std::vector<double>{150, 150, 160, 120, 0.03, -0.01, 0.002, 0}, kWidth,
                           kHeight);
  const Mat3 E = times(cross_matrix(kOther.t), kOther.R);
  const Mat3 F = fundamental_from_essential(E, kPinhole, kPinhole);
  return {{"pinholes", rectify(pinhole, pinhole, kAside)},
          {"swapped", rectify(pinhole, pinhole, kOther)},
          {"lenses", rectify(bent, pinhole, kAside)},
          {"fisheye and lens", rectify(fisheye, LensCamera(bent), kAside, {.max_angle_deg = 60})},
          {"uncalibrated", rectify_uncalibrated(F, {}, kWidth, kHeight, kWidth, kHeight)},
          {"polar", rectify_polar(pinhole, pinhole, kAhead, matches_of(kAhead))}};
}

void expect_equal(const Rectification& a, const Rectification& b) {
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.width, b.width);
  EXPECT_EQ(a.height, b.height);
  EXPECT_EQ(a.is_swapped, b.is_swapped);
  EXPECT_EQ(a.scale, b.scale);
  EXPECT_EQ(a.is_cyclic, b.is_cyclic);
  EXPECT_EQ(a.overlap, b.overlap);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(a.sides[k].H, b.sides[k].H);
    EXPECT_EQ(a.sides[k].R, b.sides[k].R);
    EXPECT_EQ(a.sides[k].input.distortion, b.sides[k].input.distortion);
    EXPECT_EQ(a.sides[k].epipole, b.sides[k].epipole);
    EXPECT_EQ(a.sides[k].is_inward, b.sides[k].is_inward);
    const SamplingMap one = sampling_map(a, int(k)), two = sampling_map(b, int(k));
    EXPECT_EQ(one.x, two.x);
    EXPECT_EQ(one.y, two.y);
  }
}

TEST(Rectification, maps_and_points_agree_both_ways) {
  for (const auto& [name, r] : rectifications()) {
    ASSERT_GT(r.width, 0) << name;
    for (const int side : {0, 1}) {
      const SamplingMap map = sampling_map(r, side);
      std::vector<Vec2> rectified;
      for (int y = 1; y < r.height - 1; y += 7)
        for (int x = 1; x < r.width - 1; x += 7) rectified.push_back({double(x), double(y)});
      const std::vector<Vec2> photograph = photograph_points(r, side, rectified),
                              back = rectified_points(r, side, photograph);
      int inside = 0;
      for (std::size_t i = 0; i < rectified.size(); ++i) {
        const auto [x, y] = rectified[i];
        const auto at = static_cast<std::size_t>(y) * static_cast<std::size_t>(r.width) +
                        static_cast<std::size_t>(x);
        if (map.x[at] < 0) continue;
        ++inside;
        EXPECT_NEAR(photograph[i][0], map.x[at] / 256.0, 1.0 / 256) << name;
        EXPECT_NEAR(photograph[i][1], map.y[at] / 256.0, 1.0 / 256) << name;
        // In the overlap of a full circle a point has two rows and may return to the second one.
        if (r.kind == RectificationKind::planar || std::abs(back[i][1] - y) < 1) {
          EXPECT_NEAR(back[i][0], x, 1e-6) << name;
          EXPECT_NEAR(back[i][1], y, 1e-6) << name;
        }
        EXPECT_EQ(photograph_point(r, side, rectified[i]), photograph[i]);
      }
      EXPECT_GT(inside, 300) << name;
    }
  }
  const Rectification r = rectifications()[0].r;
  EXPECT_THROW((void)rectified_point(r, 2, {0, 0}), Error);
  EXPECT_THROW((void)photograph_point(r, -1, {0, 0}), Error);
}

TEST(Rectification, rotation_changes_the_sign_of_disparities_and_a_shift_adds_to_them) {
  const std::vector<PointPair> aside = matches_of(kAside), other = matches_of(kOther),
                               ahead = matches_of(kAhead);
  for (const auto& [name, r] : rectifications()) {
    if (name.find("lens") != std::string::npos) continue;
    const auto& matches = name == "polar" ? ahead : name == "pinholes" ? aside : other;
    const auto disparities = [&](const Rectification& of) {
      std::vector<double> all;
      for (const PointPair& m : matches) {
        const Vec2 one = {m.x1, m.y1}, two = {m.x2, m.y2};
        all.push_back(rectified_point(of, 0, of.is_swapped ? two : one)[0] -
                      rectified_point(of, 1, of.is_swapped ? one : two)[0]);
      }
      return all;
    };
    Rectification rotated = r, shifted = r, ordered = r;
    rotate_by_180(rotated);
    shift_left_image(shifted, 5);
    put_image1_left(ordered);
    EXPECT_FALSE(ordered.is_swapped);
    EXPECT_EQ(shifted.width, r.width + 5);
    const auto before = disparities(r), negated = disparities(rotated),
               moved = disparities(shifted), same = disparities(ordered);
    int counted = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (!std::isfinite(before[i])) continue;
      ++counted;
      EXPECT_NEAR(negated[i], -before[i], 1e-6) << name;
      EXPECT_NEAR(moved[i], before[i] + 5, 1e-6) << name;
      EXPECT_NEAR(same[i], before[i], 1e-6) << name;
    }
    EXPECT_GT(counted, 50) << name;
    EXPECT_LT(vertical_disparity(rotated, matches).percentile95, 0.01) << name;
    EXPECT_LT(vertical_disparity(ordered, matches).percentile95, 0.01) << name;
  }
}

TEST(Rectification, a_file_keeps_every_kind) {
  const test::TemporaryFolder folder;
  for (const auto& [name, r] : rectifications()) {
    SCOPED_TRACE(name);
    write_rectification(folder / "r.npz", r);
    const Rectification back = read_rectification(folder / "r.npz");
    expect_equal(back, r);
    if (r.sides[0].camera.valid()) {
      EXPECT_EQ(reprojection_matrix(back, 2), reprojection_matrix(r, 2));
    }
    Rectification arranged = r;
    rotate_by_180(arranged);
    shift_left_image(arranged, 7);
    write_rectification(folder / "arranged.npz", arranged);
    expect_equal(read_rectification(folder / "arranged.npz"), arranged);
  }
  EXPECT_THROW(write_rectification(folder / "r.npz", Rectification{}), Error);
}

// polar_0.1.npz is the file `polar.npz` of `bifocal rectify` at 0e3b1f70.
TEST(Rectification, a_polar_file_of_an_older_version_is_read) {
  const auto file = std::filesystem::path(test::kSourceFolder) / "tests/rectify/polar_0.1.npz";
  const NpzFile npz(file);
  const auto numbers = [&](const char* array) {
    return std::get<std::vector<double>>(npz.read(array).values);
  };
  const Rectification r = read_rectification(file);
  EXPECT_EQ(r.kind, RectificationKind::polar);
  EXPECT_EQ(r.width, numbers("canvas")[0]);
  EXPECT_EQ(r.height, numbers("canvas")[1]);
  EXPECT_EQ(r.overlap, numbers("canvas")[4]);
  EXPECT_FALSE(r.is_swapped);
  const std::vector<double> rows = numbers("right");
  for (int row = 0; row < r.height; row += 9) {
    const double* at = &rows[static_cast<std::size_t>(4 * row)];
    const Vec2 px = photograph_point(r, 1, {20, double(row)});
    if (std::isnan(px[0])) continue;  // beyond the epipole
    EXPECT_NEAR(px[0], at[0] + 20 * at[2], 1e-9);
    EXPECT_NEAR(px[1], at[1] + 20 * at[3], 1e-9);
  }
  const test::TemporaryFolder folder;
  write_rectification(folder / "new.npz", r);
  expect_equal(read_rectification(folder / "new.npz"), r);
}

TEST(Rectification, a_damaged_planar_file_is_refused_by_name) {
  const test::TemporaryFolder folder;
  const auto all = rectifications();
  const auto refusal = [&](const Rectification& bad) -> std::string {
    write_rectification(folder / "bad.npz", bad);
    try {
      (void)read_rectification(folder / "bad.npz");
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  Rectification bad = all[0].r;
  bad.sides[0].H = {};
  EXPECT_NE(refusal(bad).find("'left_H'"), std::string::npos);
  bad = all[0].r;
  bad.sides[1].R[4] = std::nan("");
  EXPECT_NE(refusal(bad).find("'right_R'"), std::string::npos);
  bad = all[0].r;
  bad.sides[1].input.height = 0;
  EXPECT_NE(refusal(bad).find("'right_input'"), std::string::npos);
  bad = all[2].r;
  bad.sides[0].camera = {};
  EXPECT_NE(refusal(bad).find("a lens without a camera"), std::string::npos);
  bad = all[0].r;
  bad.overlap = 2;
  EXPECT_NE(refusal(bad).find("'canvas'"), std::string::npos);
}

// Intrinsics of 640 x 480 px with images of half that size, for each kind of rectification.
TEST(Rectification, cameras_of_another_size_are_doubted) {
  const Camera whole{{600, 600, 419, 239.5}, {}, 320, 240},
      fits{{300, 300, 165, 118}, {}, 320, 240}, narrow{{1e6, 1e6, 160, 120}, {}, 320, 240};
  const Pose aside{{1, 0, 0, 0, 1, 0, 0, 0, 1}, {-0.2, 0, 0}};
  EXPECT_EQ(rectify(fits, fits, aside).doubt, "");
  const std::string doubt = rectify(fits, whole, aside).doubt;
  EXPECT_NE(doubt.find("camera 2: the principal point (419, 239.5) is far from the centre of 320 x "
                       "240 px"),
            std::string::npos)
      << doubt;
  EXPECT_EQ(rectify(LensCamera(fits), LensCamera(whole), aside).doubt, doubt);
  EXPECT_EQ(rectify_polar(fits, whole, aside, {}).doubt, doubt);
  EXPECT_NE(rectify(narrow, fits, aside).doubt.find("camera 1: a focal length of 1e+06 px"),
            std::string::npos);
  EXPECT_EQ(intrinsics_doubt(whole.intrinsics, 0, 0), "");
  EXPECT_NE(intrinsics_doubt({1, 1, 320, 240}, 640, 480).find("a field of view of 180"),
            std::string::npos);
}

// A pair in both orders and a forward motion: the images stay upright, and near points have the
// larger disparity.
TEST(Rectification, calibrated_pairs_are_upright) {
  const Camera camera{{500, 500, 319.5, 239.5}, {}, 640, 480};
  for (const Vec3& t : {Vec3{-1, 0, 0.05}, Vec3{1, 0.1, 0}, Vec3{0.4, 0, -1}, Vec3{-0.4, 0, 1},
                        Vec3{-0.4, 0, -1}}) {
    const Pose pose{{1, 0, 0, 0, 1, 0, 0, 0, 1}, t};
    for (const Rectification& r :
         {rectify(camera, camera, pose), rectify_polar(camera, camera, pose, {})}) {
      if (r.width == 0) continue;
      SCOPED_TRACE(to_string(r.kind));
      EXPECT_FALSE(r.is_reversed);
      double up = 0, nearer = 0;
      for (double x = 40; x < 600; x += 40) {
        for (double y = 40; y < 440; y += 40) {
          const auto seen = [&](double depth) {  // px of the second image
            const Vec3 p = {depth * (x - 319.5) / 500 + t[0], depth * (y - 239.5) / 500 + t[1],
                            depth + t[2]};
            return Vec2{500 * p[0] / p[2] + 319.5, 500 * p[1] / p[2] + 239.5};
          };
          const auto disparity = [&](double depth) {
            const Vec2 one = {x, y}, two = seen(depth);
            return rectified_point(r, 0, r.is_swapped ? two : one)[0] -
                   rectified_point(r, 1, r.is_swapped ? one : two)[0];
          };
          for (const int side : {0, 1}) {
            const Vec2 at = rectified_point(r, side, {x, y}),
                       above = rectified_point(r, side, {x, y - 2});
            const double n = std::hypot(above[0] - at[0], above[1] - at[1]);
            if (n > 0) up -= (above[1] - at[1]) / n;
          }
          const double change = disparity(20) - disparity(40);
          if (std::isfinite(change)) nearer += change > 0 ? 1 : -1;
        }
      }
      EXPECT_GT(up, 0);
      EXPECT_GT(nearer, 0);
    }
  }
}

}  // namespace
}  // namespace bifocal
