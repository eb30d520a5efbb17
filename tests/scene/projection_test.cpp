// SPDX-License-Identifier: BSD-3-Clause
// Projection and its derivatives, for every camera model.
#include <gtest/gtest.h>

#include <cmath>

#include "scene/projection.hpp"
#include "support/lens_cameras.hpp"

namespace bifocal {
namespace {

using namespace scene;

const Vec3 kPoints[] = {{0.3, -0.2, 1.5}, {-1, 0.8, 2}, {0, 0, 1}, {1e-9, 0, 1}, {0.02, 0.09, 1}};

class EveryProjection : public testing::TestWithParam<std::string> {
 protected:
  const CameraModel& model() { return *supported_model(GetParam()); }
  std::vector<double> params() { return test::camera_params(GetParam(), 800, 499.5, 399.5); }
  Projection camera() { return {model(), params()}; }
};
INSTANTIATE_TEST_SUITE_P(Projection, EveryProjection, testing::ValuesIn(test::all_models()),
                         [](const auto& test) { return test.param; });

TEST_P(EveryProjection, EqualsLensCamera) {
  const LensCamera camera(GetParam(), params());
  for (const Vec3& X : kPoints) {
    const Vec2 own = Projection(model(), params()).px_of(X);
    const Intrinsics& K = camera.pinhole();
    const Vec2 px = camera.distort({K.fx * X[0] / X[2] + K.cx, K.fy * X[1] / X[2] + K.cy});
    EXPECT_NEAR(own[0], px[0], 1e-9);
    EXPECT_NEAR(own[1], px[1], 1e-9);
  }
}

TEST_P(EveryProjection, HasTheDerivativesOfDifferencesByThePoint) {
  constexpr double kStep = 1e-6;
  for (const Vec3& X : kPoints)
    for (std::size_t k = 0; k < 3; ++k) {
      Vec3 more = X, less = X;
      more[k] += kStep, less[k] -= kStep;
      const Vec2 a = camera().px_of(more), b = camera().px_of(less);
      for (std::size_t i = 0; i < 2; ++i)
        EXPECT_NEAR(camera().by_point(X)[3 * i + k], (a[i] - b[i]) / (2 * kStep), 1e-5)
            << "px " << i << " by " << k;
    }
}

TEST_P(EveryProjection, HasTheDerivativesOfDifferencesByParameters) {
  for (const Vec3& X : kPoints)
    for (int p = 0; p < model().parameter_count(); ++p) {
      std::vector<double> more = params(), less = params();
      const auto at = static_cast<std::size_t>(p);
      const double step = 1e-6 * std::max(1.0, more[at]);
      more[at] += step, less[at] -= step;
      const Vec2 a = Projection(model(), more).px_of(X), b = Projection(model(), less).px_of(X);
      const Vec2 derivative = camera().by_column(X, model().column(p));
      for (std::size_t i = 0; i < 2; ++i)
        EXPECT_NEAR(derivative[i], (a[i] - b[i]) / (2 * step),
                    1e-6 + 1e-7 * std::abs(derivative[i]))
            << "px " << i << " by parameter " << p;
    }
}

TEST_P(EveryProjection, DoesNotSeeAPointBehind) {
  EXPECT_TRUE(std::isnan(camera().px_of({0.1, 0.1, -1})[0]));
  EXPECT_TRUE(std::isnan(camera().px_of({0.1, 0.1, 0})[1]));
}

TEST(Projection, ByFovWithoutDistortionIsAPinhole) {
  const CameraModel& fov = *supported_model("FOV");
  const Vec3 X = {1, 0.5, 1};
  for (const double w : {0.0, 1e-9, 1e-6, 0.99e-4, 1.01e-4}) {
    const double params[] = {800, 800, 0, 0, w};
    const Projection camera(fov, params);
    EXPECT_NEAR(camera.px_of(X)[0], 800 * (1 + w * w / 12 - w * w * 1.25 / 3), 1e-10) << w;
    EXPECT_NEAR(camera.by_column(X, fov.column(4))[0], 800 * (w / 6 - 2 * w * 1.25 / 3), 1e-6) << w;
  }
}

TEST(Projection, HasTheDerivativeOfTheArctangentForSmallAndLargeRadii) {
  for (double q = 1e-12; q < 100; q *= 1.3) {
    const double r = std::sqrt(q), ratio = std::atan(r) / r;
    EXPECT_NEAR(LensLanes::arctangent_slope(q, ratio),
                q < 1e-4 ? -1.0 / 3 + 0.4 * q : (1 / (1 + q) - ratio) / (2 * q),
                q < 1e-4 ? 1e-8 : 1e-11)
        << q;
  }
}

}  // namespace
}  // namespace bifocal
