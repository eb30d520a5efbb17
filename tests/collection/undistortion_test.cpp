// SPDX-License-Identifier: BSD-3-Clause
// The lens camera of every COLMAP model inverts its distortion formula, which this file spells
// out plainly.
#include <bifocal/colmap/verify.hpp>
#include <bifocal/error.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <random>

#include "io/expect.hpp"

namespace bifocal::test {
namespace {

using colmap::ModelCamera, colmap::lens_camera_of;
using Params = std::vector<double>;
using Distort = std::function<Vec2(double x, double y, const Params& k)>;

struct LensModel {
  const char* name;
  std::size_t focal_lengths;
  Params lens;
  Distort distort;
};

Vec2 times(double x, double y, double s) { return {s * x, s * y}; }

Vec2 radial(double x, double y, const Params& k) {
  const double q = x * x + y * y;
  return times(x, y, 1 + k[0] * q + (k.size() > 1 ? k[1] * q * q : 0));
}
Vec2 decentred(double x, double y, const Params& k) {
  const double q = x * x + y * y;
  double s = 1 + k[0] * q + k[1] * q * q;
  if (k.size() > 4) s = (s + k[4] * q * q * q) / (1 + k[5] * q + k[6] * q * q + k[7] * q * q * q);
  return {s * x + 2 * k[2] * x * y + k[3] * (q + 2 * x * x),
          s * y + 2 * k[3] * x * y + k[2] * (q + 2 * y * y)};
}
Vec2 fisheye(double x, double y, const Params& k) {
  const double r = std::hypot(x, y), angle = std::atan(r);
  double s = 1, power = 1;
  for (const double c : k) s += c * (power *= angle * angle);
  return times(x, y, r > 0 ? s * angle / r : 1);
}
Vec2 thin_prism(double x, double y, const Params& k) {
  const Vec2 p = fisheye(x, y, {});
  const double u = p[0], v = p[1], q = u * u + v * v;
  const double s = 1 + k[0] * q + k[1] * q * q + k[4] * std::pow(q, 3) + k[5] * std::pow(q, 4);
  return {s * u + 2 * k[2] * u * v + k[3] * (q + 2 * u * u) + k[6] * q,
          s * v + 2 * k[3] * u * v + k[2] * (q + 2 * v * v) + k[7] * q};
}
Vec2 fov(double x, double y, const Params& k) {
  const double r = std::hypot(x, y);
  return times(x, y, std::atan(2 * r * std::tan(k[0] / 2)) / k[0] / r);
}
Vec2 division(double x, double y, const Params& k) {  // r = rd / (1 + k rd^2)
  const double r = std::hypot(x, y);
  return times(x, y, (1 - std::sqrt(1 - 4 * k[0] * r * r)) / (2 * k[0] * r) / r);
}
Vec2 eucm(double x, double y, const Params& k) {
  const double q = x * x + y * y;
  return times(x, y, 1 / (k[0] * std::sqrt(k[1] * q + 1) + 1 - k[0]));
}

const LensModel kModels[] = {
    {"SIMPLE_PINHOLE",
     1,
     {},
     [](double x, double y, const Params&) {
       return Vec2{x, y};
     }},
    {"PINHOLE",
     2,
     {},
     [](double x, double y, const Params&) {
       return Vec2{x, y};
     }},
    {"SIMPLE_RADIAL", 1, {-0.1}, radial},
    {"RADIAL", 1, {-0.1, 0.03}, radial},
    {"OPENCV", 2, {-0.1, 0.03, 0.002, -0.003}, decentred},
    {"FULL_OPENCV", 2, {0.2, 0.03, 0.002, -0.003, 0.01, 0.3, 0.02, 0.001}, decentred},
    {"OPENCV_FISHEYE", 2, {0.02, -0.01, 0.003, 0.001}, fisheye},
    {"SIMPLE_RADIAL_FISHEYE", 1, {-0.03}, fisheye},
    {"RADIAL_FISHEYE", 1, {-0.03, 0.01}, fisheye},
    {"SIMPLE_FISHEYE", 1, {}, fisheye},
    {"FISHEYE", 2, {}, fisheye},
    {"THIN_PRISM_FISHEYE", 2, {0.02, -0.01, 0.002, 0.003, 0.001, -5e-4, 0.004, 0.002}, thin_prism},
    {"FOV", 2, {0.9}, fov},
    {"SIMPLE_DIVISION", 1, {-0.2}, division},
    {"DIVISION", 2, {-0.2}, division},
    {"EUCM", 2, {0.6, 1.1}, eucm}};

ModelCamera camera_of(const LensModel& m) {
  ModelCamera c{3, colmap::model_number(m.name), 640, 480, {300}, true};
  if (m.focal_lengths == 2) c.params.push_back(310);
  c.params.insert(c.params.end(), {321, 239});
  c.params.insert(c.params.end(), m.lens.begin(), m.lens.end());
  return c;
}

TEST(ColmapLens, RecoversTheRays) {
  for (const LensModel& m : kModels) {
    SCOPED_TRACE(m.name);
    const ModelCamera camera = camera_of(m);
    const LensCamera lens = lens_camera_of(camera);
    const Intrinsics& k = lens.pinhole();
    const double fx = 300, fy = m.focal_lengths == 2 ? 310 : 300;
    std::mt19937 random(1);
    std::uniform_real_distribution<double> ray(-0.9, 0.9);
    for (int i = 0; i < 500; ++i) {
      const double x = ray(random), y = ray(random);
      const Vec2 d = m.distort(x, y, m.lens);
      const Vec2 out = lens.undistort({fx * d[0] + 321, fy * d[1] + 239});
      ASSERT_NEAR((out[0] - k.cx) / k.fx, x, 1e-9);
      ASSERT_NEAR((out[1] - k.cy) / k.fy, y, 1e-9);
    }
    EXPECT_NEAR(k.fx / k.fy, fx / fy, 1e-12);
    const bool straight = std::string_view(m.name).ends_with("PINHOLE");
    EXPECT_EQ(lens.has_lens(), !straight);
    EXPECT_EQ(lens.is_fisheye(), std::string_view(m.name).find("FISHEYE") != std::string::npos);
  }
}

// Areas halfway to the corner keep about their size, so that a threshold in px keeps its meaning.
TEST(ColmapLens, KeepsTheScaleOfThePicture) {
  for (const LensModel& m : kModels) {
    SCOPED_TRACE(m.name);
    const LensCamera lens = lens_camera_of(camera_of(m));
    const double x = 321 + 160, y = 239 + 120;
    const Vec2 a = lens.undistort({x, y}), b = lens.undistort({x + 1, y}),
               c = lens.undistort({x, y + 1});
    const double area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    EXPECT_NEAR(area, 1, 0.15);
  }
}

TEST(ColmapLens, HasNoPointWithoutARay) {
  // The lens folds over at r = 1 / sqrt(3 * 0.5).
  const LensCamera folding = lens_camera_of(
      ModelCamera{1, colmap::model_number("SIMPLE_RADIAL"), 640, 480, {300, 320, 240, -0.5}, true});
  EXPECT_TRUE(std::isnan(folding.undistort({320 + 300 * 0.6, 240})[0]));
  EXPECT_FALSE(std::isnan(folding.undistort({320 + 300 * 0.5, 240})[0]));
  const LensCamera wide = lens_camera_of(
      ModelCamera{1, colmap::model_number("FISHEYE"), 640, 480, {200, 200, 320, 240}, true});
  const double limit = 200 * 80 * std::numbers::pi / 180;
  EXPECT_FALSE(std::isnan(wide.undistort({320 + limit - 1, 240})[0]));
  EXPECT_TRUE(std::isnan(wide.undistort({320 + limit + 1, 240})[0]));
  EXPECT_TRUE(std::isnan(wide.undistort({NAN, 3})[0]));
}

TEST(ColmapLens, RefusesModelsByName) {
  const auto refuse = [](int model, Params params, const char* message) {
    expect_error(
        [&] {
          (void)lens_camera_of(ModelCamera{7, model, 640, 480, params, true});
        },
        message, ErrorCode::usage);
  };
  refuse(17, {640, 480}, "camera 7: model EQUIRECTANGULAR, which is not supported");
  refuse(11, Params(16, 1.0), "camera 7: model RAD_TAN_THIN_PRISM_FISHEYE");
  refuse(99, {}, "camera 7: model number 99");
  refuse(1, {1, 2, 3}, "camera 7: 3 params, PINHOLE has 4");
  refuse(1, {1, NAN, 3, 4}, "params[1] = nan");
  refuse(1, {1, -2, 3, 4}, "focal lengths 1 -2");
}

}  // namespace
}  // namespace bifocal::test
