// SPDX-License-Identifier: BSD-3-Clause
// Models as problems of the bundle adjuster, and back.
#include <bifocal/camera.hpp>
#include <bifocal/colmap/bundle_adjust.hpp>
#include <bifocal/error.hpp>

#include <gtest/gtest.h>

#include "io/expect.hpp"
#include "sample_model.hpp"

namespace bifocal::test {
namespace {

using namespace colmap;

// Every frame has one image.
Model single_model() {
  Model m = sample_model();
  for (ModelFrame& frame : m.frames) frame.data.erase(frame.data.begin());
  m.frames[0].data.pop_back();
  for (const std::size_t image : {0U, 2U})
    m.frames.push_back({20 + m.images[image].id,
                        7,
                        m.images[image].cam_from_world,
                        {{{SensorType::camera, 1}, m.images[image].id}}});
  return m;
}

TEST(ModelProblem, HasTheCamerasOfTheModelAndOneObservationAnElementOfATrack) {
  const Model model = single_model();
  const AdjustProblem problem = adjust_problem(model, {});
  ASSERT_EQ(problem.cameras.size(), 2U);
  EXPECT_EQ(problem.cameras[0].model, "SIMPLE_RADIAL");
  EXPECT_EQ(problem.cameras[0].params, (std::vector<double>{500.25, 320.1, 240.7, -0.1}));
  EXPECT_EQ(problem.cameras[0].constant_params, (std::vector<bool>{false, true, true, false}));
  EXPECT_EQ(problem.images.size(), 4U);
  EXPECT_EQ(problem.images[1].camera, 1);
  EXPECT_EQ(problem.points.size(), 3U);
  ASSERT_EQ(problem.observations.size(), 4U + 3 + 2);
  EXPECT_EQ(problem.observations[2].image, 1);
  EXPECT_EQ(problem.observations[2].point, 1);
  EXPECT_EQ(problem.observations[2].x, model.images[1].observations[1].x);
  EXPECT_TRUE(problem.constant_points.empty());
}

TEST(ModelProblem, AnUnchangedProblemChangesNoNumber) {
  for (const bool refine : {true, false}) {
    Model model = single_model();
    const BundleAdjustOptions options{.refine_principal_point = refine};
    take_adjusted(model, adjust_problem(model, options), options);
    expect_equal(single_model(), model);
  }
}

TEST(ModelProblem, ListsAndFlagsKeepPartsConstant) {
  BundleAdjustOptions options{.refine_focal_length = false,
                              .refine_principal_point = true,
                              .refine_extra_params = false,
                              .constant_cameras = {4},
                              .constant_images = {12, 11},
                              .constant_points = {101}};
  AdjustProblem problem = adjust_problem(single_model(), options);
  EXPECT_EQ(problem.cameras[0].constant_params, (std::vector<bool>{true, false, false, true}));
  EXPECT_FALSE(problem.cameras[0].is_constant);
  EXPECT_TRUE(problem.cameras[1].is_constant);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(problem.images[i].is_constant, i == 1 || i == 2) << i;
  EXPECT_EQ(problem.constant_points, (std::vector<bool>{false, true, false}));
  options = {.refine_poses = false, .refine_points = false};
  problem = adjust_problem(sample_model(), options);  // images of a rig may be constant
  for (const AdjustImage& image : problem.images) EXPECT_TRUE(image.is_constant);
  EXPECT_EQ(problem.constant_points, (std::vector<bool>{true, true, true}));
}

TEST(ModelProblem, ShortTracksAreLeftOut) {
  const AdjustProblem problem = adjust_problem(single_model(), {.min_track_length = 3});
  EXPECT_EQ(problem.observations.size(), 4U + 3);
  EXPECT_EQ(problem.points.size(), 3U);
}

TEST(ModelProblem, ChangesReachCamerasImagesFramesAndPoints) {
  Model model = single_model();
  AdjustProblem problem = adjust_problem(model, {});
  problem.cameras[0].params = {510, 1, 2, 0.25};
  for (const std::size_t image : {1U, 2U}) problem.images[image].cam_from_world.t[0] += 3;
  problem.points[2][1] = 9;
  take_adjusted(model, problem, {});
  EXPECT_EQ(model.cameras[0].params, (std::vector<double>{510, 320.1, 240.7, 0.25}));
  EXPECT_EQ(model.cameras[1].params, single_model().cameras[1].params);
  EXPECT_EQ(model.points[2].xyz[1], 9);
  EXPECT_EQ(model.images[0], single_model().images[0]);
  EXPECT_EQ(model.images[2].cam_from_world.translation[0], 3.1);
  EXPECT_EQ(model.frames[0].rig_from_world.translation[0], 3);  // sensor_from_rig has -0.5
  EXPECT_EQ(model.frames[1], single_model().frames[1]);
  EXPECT_EQ(model.frames[2], single_model().frames[2]);
  EXPECT_EQ(model.frames[3].rig_from_world, model.images[2].cam_from_world);
  EXPECT_NO_THROW(check_model(model));
}

TEST(ModelProblem, ImagesOfOneFrameAreRefusedOrSeparated) {
  Model model = sample_model();
  expect_error([&] { (void)adjust_problem(model, {}); },
               "model: frame 1: images 10 and 11 are of one rig", ErrorCode::usage);
  const BundleAdjustOptions options{.separate_frames = true};
  take_adjusted(model, adjust_problem(model, options), options);
  EXPECT_FALSE(model.has_frames);
  EXPECT_TRUE(model.frames.empty());
  EXPECT_EQ(model.images, sample_model().images);
  model = single_model();
  model.rigs[0].sensors[1].sensor_from_rig.reset();
  expect_error([&] { (void)adjust_problem(model, {}); },
               "frame 1: the pose of image 11 in rig 7 is not known", ErrorCode::usage);
}

TEST(ModelProblem, WhatIsNotInTheModelIsRefused) {
  const auto expect = [](const BundleAdjustOptions& options, const std::string& part) {
    expect_error([&] { (void)adjust_problem(single_model(), options); }, part, ErrorCode::usage);
  };
  expect({.constant_cameras = {1, 3}}, "model: constant_cameras: camera 3 is not in the model");
  expect({.constant_images = {9}}, "constant_images: image 9 is not in the model");
  expect({.constant_points = {9}}, "constant_points: point 9 is not in the model");
  Model model = single_model();
  model.cameras[0].model = model_number("EQUIRECTANGULAR");
  model.cameras[0].params = {640, 480};
  expect_error([&] { (void)adjust_problem(model, {}); },
               "camera 1: cameras of the model EQUIRECTANGULAR can't be adjusted",
               ErrorCode::usage);
  // A camera without images is kept.
  model.images.clear(), model.points.clear(), model.frames.clear();
  EXPECT_TRUE(adjust_problem(model, {}).cameras.empty());
}

TEST(ModelProblem, ErrorsAreDistancesInPixels) {
  AdjustProblem problem;
  problem.cameras = {{"SIMPLE_FISHEYE", {100, 50, 60}}};
  problem.images = {{Pose{{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 1}}, 0}};
  problem.points = {{1, 0, 0}, {0, 0, -2}};
  problem.observations = {{0, 0, 50 + 25 * 3.14159265358979323846, 63}, {0, 1, 0, 0}};
  const std::vector<double> errors = reprojection_errors(problem);
  EXPECT_NEAR(errors[0], 3, 1e-9);
  EXPECT_TRUE(std::isnan(errors[1]));
}

}  // namespace
}  // namespace bifocal::test
