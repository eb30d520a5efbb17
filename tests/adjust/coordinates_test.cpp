// SPDX-License-Identifier: BSD-3-Clause
// The unit and the origin of the world do not change the result.
#include <gtest/gtest.h>

#include <bifocal/device.hpp>

#include <cmath>
#include <ostream>

#include "adjust/scenes.hpp"

namespace bifocal {
namespace {

// X -> scale X + shift.
struct Change {
  const char* name;
  double scale;
  Vec3 shift;

  friend void PrintTo(const Change& change, std::ostream* out) { *out << change.name; }
};

constexpr Vec3 kUtm = {448300, 5412600, 312}, kEcef = {4177800, 856200, 4728500};

AdjustProblem changed(AdjustProblem problem, const Change& change) {
  const auto moved = [&](const Vec3& X) {
    Vec3 out;
    for (std::size_t k = 0; k < 3; ++k) out[k] = change.scale * X[k] + change.shift[k];
    return out;
  };
  for (Vec3& X : problem.points) X = moved(X);
  for (AdjustImage& image : problem.images) {
    Pose& pose = image.cam_from_world;
    const Vec3 t = times(transposed(pose.R), pose.t);
    const Vec3 centre = moved({-t[0], -t[1], -t[2]});
    pose.t = times(pose.R, Vec3{-centre[0], -centre[1], -centre[2]});
  }
  return problem;
}

class Coordinates : public testing::TestWithParam<Change> {};
INSTANTIATE_TEST_SUITE_P(Changes, Coordinates,
                         testing::Values(Change{"Utm", 1, kUtm}, Change{"Ecef", 1, kEcef},
                                         Change{"UtmBlockOfKilometres", 1000, kUtm},
                                         Change{"EcefSceneOfAMetre", 0.1, kEcef},
                                         Change{"Millionth", 1e-6, {0, 0, 0}},
                                         Change{"TenThousandth", 1e-4, {3e-3, -2e-3, 1e-2}},
                                         Change{"TenThousand", 1e4, {-2e5, 7e5, 0}},
                                         Change{"Million", 1e6, {0, 0, 0}}),
                         [](const auto& test) { return std::string(test.param.name); });

// Images on an arc, as of a flight: the focal length converges slowly.
test::Scene flight() {
  return test::make_scene({.images = 12, .points = 150, .visible = 0.5, .disturbed = 2, .seed = 5});
}

TEST_P(Coordinates, GiveTheSameCostAndFocalLengthOnEveryDevice) {
  const test::Scene scene = flight();
  for (const DeviceInfo& device : list_devices()) {
    if (!device.has_double) continue;
    for (const AdjustSolver solver : {AdjustSolver::automatic, AdjustSolver::iterative}) {
      Queue queue{Device(device.id)};
      AdjustProblem at_origin = scene.start, problem = changed(scene.start, GetParam());
      const AdjustResult expected = adjust(queue, at_origin, {.solver = solver}),
                         found = adjust(queue, problem, {.solver = solver});
      EXPECT_NEAR(found.final_cost, expected.final_cost, 1e-6 * expected.final_cost) << device.id;
      EXPECT_NEAR(problem.cameras[0].params[0], at_origin.cameras[0].params[0], 1e-3);
      EXPECT_EQ(found.reason, expected.reason);
      // The coordinates of the result have about 2e-9 of the world's unit.
      const double rounding = 2e-9 / GetParam().scale * 800 / 8;
      const double tolerance =
          GetParam().shift == kUtm || GetParam().shift == kEcef ? 10 * rounding : 0;
      EXPECT_NEAR(adjust_cost(problem), found.final_cost,
                  (1e-9 + tolerance * tolerance) * found.final_cost);
    }
  }
}

TEST_P(Coordinates, OfAModelWithoutNoiseAreThoseOfTheTruth) {
  const test::Scene scene =
      test::make_scene({.images = 6, .points = 60, .noise = 0, .disturbed = 0.5});
  AdjustProblem problem = changed(scene.start, GetParam());
  problem.constant_points.assign(problem.points.size(), false);
  const AdjustProblem truth = changed(scene.truth, GetParam());
  for (std::size_t p = 0; p < 4; ++p)
    problem.constant_points[p] = true, problem.points[p] = truth.points[p];
  (void)adjust(problem, {.function_tolerance = 1e-15});
  for (std::size_t p = 0; p < problem.points.size(); ++p)
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_NEAR(problem.points[p][k], truth.points[p][k],
                  1e-6 * GetParam().scale + 5e-9 * (norm(GetParam().shift) > 1e5 ? 1 : 0));
}

TEST_P(Coordinates, ScaleCovariances) {
  AdjustProblem at_origin = test::make_scene({.images = 6, .points = 40}).start;
  AdjustProblem problem = changed(at_origin, GetParam());
  const AdjustOptions options = {.function_tolerance = 1e-13, .covariance = true};
  const AdjustResult expected = adjust(at_origin, options), found = adjust(problem, options);
  const double scale = GetParam().scale;
  EXPECT_EQ(found.redundancy, expected.redundancy);
  const auto expect_near = [](double a, double b) {
    EXPECT_NEAR(a, b, 1e-5 * std::abs(b) + 1e-25);
  };
  for (std::size_t i = 0; i < 6; ++i)
    for (const std::size_t k : {0U, 7U, 14U, 21U, 28U, 35U})
      expect_near(found.pose_covariances[i][k],
                  expected.pose_covariances[i][k] * (k < 21 ? 1 : scale * scale));
  for (std::size_t p = 0; p < 40; ++p)
    for (const std::size_t k : {0U, 4U, 8U})
      expect_near(found.point_covariances[p][k], expected.point_covariances[p][k] * scale * scale);
  expect_near(found.camera_covariances[0][0], expected.camera_covariances[0][0]);
}

// A power of two and a shift by few digits: the same bits.
TEST(AdjustCoordinates, OfAUnitThatIsAPowerOfTwoGiveTheSameBits) {
  const test::Scene scene = flight();
  for (const double scale : {0x1p-12, 0x1p20}) {
    AdjustProblem at_origin = scene.start, problem = scene.start;
    for (Vec3& X : problem.points)
      for (double& v : X) v *= scale;
    for (AdjustImage& image : problem.images)
      for (double& v : image.cam_from_world.t) v *= scale;
    EXPECT_EQ(adjust(problem).final_cost, adjust(at_origin).final_cost);
    EXPECT_EQ(problem.cameras[0].params, at_origin.cameras[0].params);
    for (std::size_t p = 0; p < problem.points.size(); ++p)
      EXPECT_EQ(problem.points[p][0], scale * at_origin.points[p][0]);
  }
}

// Rotations of few digits act from the scene's centre, not from the world's origin.
TEST(AdjustCoordinates, FarFromTheOriginNeedNoExactRotations) {
  AdjustProblem problem = changed(flight().start, {"", 1, kUtm});
  const double cost = adjust_cost(problem);
  for (AdjustImage& image : problem.images) {
    Pose& pose = image.cam_from_world;
    const Vec3 t = times(transposed(pose.R), pose.t);
    const Vec3 centre = {-t[0], -t[1], -t[2]};
    for (double& v : pose.R) v = static_cast<float>(v);
    const Vec3 moved = times(pose.R, centre);
    pose.t = {-moved[0], -moved[1], -moved[2]};
  }
  EXPECT_NEAR(adjust_cost(problem), cost, 1e-3 * cost);
}

// A panorama has no extent but that of its points.
TEST(AdjustCoordinates, OfImagesAtOnePlaceHaveTheExtentOfThePoints) {
  AdjustProblem problem = test::make_scene({.images = 5, .points = 40}).truth;
  const Pose pose = problem.images[0].cam_from_world;
  for (std::size_t i = 0; i < 5; ++i) {
    const Mat3 Q = test::small_rotation({0.01 * static_cast<double>(i), 0.02, 0});
    problem.images[i].cam_from_world = {times(Q, pose.R), times(Q, pose.t)};
  }
  const LensCamera lens(problem.cameras[0].model, problem.cameras[0].params);
  for (AdjustObservation& o : problem.observations) {
    const Vec2 px =
        test::projected(problem, lens, o.image, problem.points[static_cast<std::size_t>(o.point)]);
    o.x = px[0], o.y = px[1];
  }
  problem.constant_points.assign(40, true);
  for (std::size_t i = 1; i < 5; ++i) {
    Mat3& R = problem.images[i].cam_from_world.R;
    R = times(test::small_rotation({0, 0, 1e-3}), R);
  }
  for (const Change& change : {Change{"", 1, kUtm}, Change{"", 1e5, {0, 0, 0}}}) {
    AdjustProblem moved = changed(problem, change);
    const AdjustResult result = adjust(moved, {.function_tolerance = 1e-15});
    EXPECT_LT(result.final_cost, 1e-9 * result.initial_cost) << change.shift[0];
  }
}

}  // namespace
}  // namespace bifocal
