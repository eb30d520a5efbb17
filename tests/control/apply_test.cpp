// SPDX-License-Identifier: BSD-3-Clause
// Adjustment of models with control points.
#include <bifocal/control.hpp>
#include <bifocal/error.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "control/points.hpp"
#include "mapping/place/similarity.hpp"

namespace bifocal::test {
namespace {

// Bends the world to a bowl that is 2 m high 150 m away from its middle, and scales it.
colmap::Model bent(colmap::Model model) {
  const auto up = [](const Vec3& X) { return 2 * (X[0] * X[0] + X[1] * X[1]) / (150 * 150); };
  for (colmap::ModelPoint& point : model.points) point.xyz[2] += up(point.xyz);
  for (colmap::ModelImage& image : model.images) {
    const Pose pose = colmap::pose_of(image.cam_from_world);
    Vec3 centre = mapping::centre_of(pose);
    centre[2] += up(centre);
    image.cam_from_world = colmap::model_pose(mapping::pose_at(pose.R, centre));
  }
  model.cameras[0].params[0] *= 1.01;
  mapping::transform(model, {0.1, {0, 1, 0, -1, 0, 0, 0, 0, 1}, {3, 4, 5}});
  return model;
}

// Root mean square distance of camera centres from their true places, m.
double centre_error(const colmap::Model& model, const Flight& made) {
  double sum = 0;
  for (std::size_t i = 0; i < model.images.size(); ++i) {
    const Vec3 d =
        mapping::difference(mapping::centre_of(colmap::pose_of(model.images[i].cam_from_world)),
                            mapping::centre_of(made.images[i].cam_from_world));
    sum += dot(d, d);
  }
  return std::sqrt(sum / static_cast<double>(model.images.size()));
}

TEST(ControlAdjustment, ABentModelGetsTheTrueShape) {
  const Flight made = flight({.images = 60});
  colmap::Model model = bent(true_model(made));
  Queue queue(Device("cpu"));
  const ControlResult result =
      apply_control_points(queue, model, control_of(made), {}, kFlightOrigin);
  EXPECT_GT(result.before.check.total, 0.2);
  EXPECT_TRUE(result.adjustment.is_converged());
  EXPECT_NEAR(result.deviation_px, 0.4, 0.05);
  EXPECT_LT(result.after.check.horizontal, 0.05);
  EXPECT_LT(result.after.check.up, 0.08);
  EXPECT_LT(result.after.control.total, 0.06);
  EXPECT_LT(centre_error(model, made), 0.12);
  EXPECT_EQ(result.after.scale, 1);
  for (const double r : result.adjustment.prior_residuals.points) EXPECT_LT(r, 3.4);
  EXPECT_TRUE(result.after.doubts.empty()) << result.after.doubts.front();
}

TEST(ControlAdjustment, AWrongMarkHasNoInfluence) {
  const Flight made = flight({.images = 60});
  ControlPoints control = control_of(made);
  colmap::Model model = true_model(made), other = model;
  Queue queue(Device("cpu"));
  (void)apply_control_points(queue, model, control, {}, kFlightOrigin);
  control.marks[2].x += control.marks[2].x < 800 ? 20 : -20;
  const ControlResult result = apply_control_points(queue, other, control, {}, kFlightOrigin);
  EXPECT_FALSE(result.after.marks[2].agrees);
  EXPECT_NEAR(result.after.marks[2].error_px, 20, 2);
  EXPECT_EQ(result.after.doubts.size(), 1u);
  EXPECT_NEAR(centre_error(other, made), centre_error(model, made), 0.02);
}

TEST(ControlAdjustment, CheckPointsDoNotChangeTheModel) {
  const Flight made = flight({.images = 40});
  ControlPoints control = control_of(made);
  colmap::Model model = true_model(made), other = model;
  Queue queue(Device("cpu"));
  (void)apply_control_points(queue, model, control, {}, kFlightOrigin);
  for (ControlPoint& point : control.points)
    if (point.is_check) point.place.altitude_m += 3;
  const ControlResult result = apply_control_points(queue, other, control, {}, kFlightOrigin);
  EXPECT_NEAR(result.after.check.up, 3, 0.2);
  EXPECT_EQ(model.images, other.images);
}

TEST(ControlAdjustment, AnyNumberOfThreadsGivesTheSameBytes) {
  const Flight made = flight({.images = 40});
  const ControlPoints control = control_of(made);
  const colmap::Model start = bent(true_model(made));
  std::vector<colmap::Model> models;
  for (const int threads : {1, 2, 5}) {
    const ThreadLimit limit(threads);
    Queue queue(Device("cpu"));
    models.push_back(start);
    (void)apply_control_points(queue, models.back(), control, {}, kFlightOrigin);
  }
  for (const colmap::Model& model : models) {
    EXPECT_EQ(model.images, models[0].images);
    EXPECT_EQ(model.points, models[0].points);
    EXPECT_EQ(model.cameras[0].params, models[0].cameras[0].params);
  }
}

TEST(ControlAdjustment, AFailingCallLeavesTheModel) {
  const Flight made = flight({.images = 40});
  ControlPoints control = control_of(made);
  for (ControlPoint& point : control.points) point.is_check = true;
  colmap::Model model = true_model(made);
  const colmap::Model before = model;
  Queue queue(Device("cpu"));
  EXPECT_THROW((void)apply_control_points(queue, model, control, {}, kFlightOrigin), Error);
  EXPECT_EQ(model.images, before.images);
  EXPECT_EQ(model.points, before.points);
}

}  // namespace
}  // namespace bifocal::test
