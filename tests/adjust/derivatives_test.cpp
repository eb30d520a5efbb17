// SPDX-License-Identifier: BSD-3-Clause
// Projection and its derivatives, for every camera model.
#include <gtest/gtest.h>

#include <cmath>

#include "adjust/camera_record.hpp"
#include "adjust/scenes.hpp"

namespace bifocal {
namespace {

using namespace adjustment;

// px of a point of camera coordinates, and the intermediate results.
struct Image {
  LensLanes::camera_lane camera;
  LensLanes::lens_image image;
  double J[6], px[2];
};

Image image_of(const CameraModel& model, const std::vector<double>& params, const Vec3& X) {
  double record[CAMERA_SIZE];
  write_camera(model, params, record);
  Image out{.camera = camera_lane_of(record), .image = {}, .J = {}, .px = {}};
  LensLanes::lens_project(&out.camera, 1 << first_of(model), (1 << TERM_COUNT) - 1, X.data(),
                          &out.image, out.J);
  out.px[0] = out.camera.fx * out.image.x + out.camera.cx;
  out.px[1] = out.camera.fy * out.image.y + out.camera.cy;
  return out;
}

const Vec3 kPoints[] = {{0.3, -0.2, 1.5}, {-1, 0.8, 2}, {0, 0, 1}, {1e-9, 0, 1}, {0.02, 0.09, 1}};

class EveryModel : public testing::TestWithParam<std::string> {
 protected:
  const CameraModel& model() { return *scene::supported_model(GetParam()); }
  std::vector<double> params() { return test::typical_params(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Adjust, EveryModel, testing::ValuesIn(test::all_models()));

TEST_P(EveryModel, ProjectsAsLensCamera) {
  const LensCamera camera(GetParam(), params());
  for (const Vec3& X : kPoints) {
    const Image image = image_of(model(), params(), X);
    const Intrinsics& K = camera.pinhole();
    const Vec2 px = camera.distort({K.fx * X[0] / X[2] + K.cx, K.fy * X[1] / X[2] + K.cy});
    EXPECT_TRUE(image.image.is_seen);
    EXPECT_NEAR(image.px[0], px[0], 1e-9);
    EXPECT_NEAR(image.px[1], px[1], 1e-9);
  }
}

TEST_P(EveryModel, HasTheDerivativesOfDifferencesByThePoint) {
  constexpr double kStep = 1e-6;
  for (const Vec3& X : kPoints)
    for (std::size_t k = 0; k < 3; ++k) {
      Vec3 more = X, less = X;
      more[k] += kStep, less[k] -= kStep;
      const Image a = image_of(model(), params(), more), b = image_of(model(), params(), less);
      const Image at = image_of(model(), params(), X);
      for (std::size_t i = 0; i < 2; ++i)
        EXPECT_NEAR(at.J[3 * i + k], (a.px[i] - b.px[i]) / (2 * kStep), 1e-5)
            << "px " << i << " by " << k;
    }
}

TEST_P(EveryModel, HasTheDerivativesOfDifferencesByParameters) {
  for (const Vec3& X : kPoints)
    for (int p = 0; p < model().parameter_count(); ++p) {
      std::vector<double> more = params(), less = params();
      const auto at = static_cast<std::size_t>(p);
      const double step = 1e-6 * std::max(1.0, more[at]);
      more[at] += step, less[at] -= step;
      const Image a = image_of(model(), more, X), b = image_of(model(), less, X);
      const Image image = image_of(model(), params(), X);
      double derivative[2];
      LensLanes::camera_column(&image.camera, &image.image, column_of(model(), p), derivative);
      for (std::size_t i = 0; i < 2; ++i)
        EXPECT_NEAR(derivative[i], (a.px[i] - b.px[i]) / (2 * step),
                    1e-6 + 1e-7 * std::abs(derivative[i]))
            << "px " << i << " by parameter " << p;
    }
}

TEST_P(EveryModel, DoesNotSeeAPointBehind) {
  EXPECT_FALSE(image_of(model(), params(), {0.1, 0.1, -1}).image.is_seen);
  EXPECT_FALSE(image_of(model(), params(), {0.1, 0.1, 0}).image.is_seen);
}

TEST(AdjustDerivatives, FovWithoutDistortionIsAPinhole) {
  const CameraModel& fov = *scene::supported_model("FOV");
  for (const double w : {0.0, 1e-9, 1e-6, 0.99e-4, 1.01e-4}) {
    const Image image = image_of(fov, {800, 800, 0, 0, w}, {1, 0.5, 1});
    const double expected = 800 * (1 + w * w / 12 - w * w * 1.25 / 3);
    EXPECT_NEAR(image.px[0], expected, 1e-10) << w;
    double derivative[2];
    LensLanes::camera_column(&image.camera, &image.image, column_of(fov, 4), derivative);
    EXPECT_NEAR(derivative[0], 800 * (w / 6 - 2 * w * 1.25 / 3), 1e-6) << w;
  }
}

TEST(AdjustDerivatives, ArctangentIsExactToRounding) {
  for (double x = 1e-3; x < 100; x *= 1.01)
    EXPECT_NEAR(LensLanes::arctangent(x), std::atan(x), 4e-16 * std::atan(x) + 1e-18) << x;
  for (double q = 1e-12; q < 100; q *= 1.3) {
    double ratio[2];
    LensLanes::arctangent_ratio(q, ratio);
    const double r = std::sqrt(q);
    EXPECT_NEAR(ratio[0], std::atan(r) / r, 1e-15) << q;
    EXPECT_NEAR(ratio[1],
                q < 1e-4 ? -1.0 / 3 + 0.4 * q : (1 / (1 + q) - std::atan(r) / r) / (2 * q),
                q < 1e-4 ? 1e-8 : 1e-11)
        << q;
  }
}

}  // namespace
}  // namespace bifocal
