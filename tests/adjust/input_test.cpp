// SPDX-License-Identifier: BSD-3-Clause
// The rules for unusual input (AdjustProblem).
#include <gtest/gtest.h>

#include <bifocal/error.hpp>

#include <cmath>
#include <limits>

#include "adjust/scenes.hpp"

namespace bifocal {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

AdjustProblem small_problem() { return test::make_scene({.images = 5, .points = 30}).start; }

// Expects Error(usage) with these words.
void expect_refused(AdjustProblem problem, const std::vector<std::string>& words,
                    const AdjustOptions& options = {}) {
  try {
    (void)adjust(problem, options);
    ADD_FAILURE() << "not refused: " << words[0];
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    for (const std::string& word : words)
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
  }
}
template <class Change>
AdjustProblem changed(const Change& change) {
  AdjustProblem problem = small_problem();
  change(problem);
  return problem;
}
std::int64_t count(const AdjustResult& result, ObservationUse use) {
  return result.counts[static_cast<std::size_t>(use)];
}

TEST(AdjustInput, IndicesOutOfRangeAreNamed) {
  expect_refused(changed([](AdjustProblem& p) { p.observations[3].image = 5; }),
                 {"observations[3].image = 5", "5 images"});
  expect_refused(changed([](AdjustProblem& p) { p.observations[4].point = -1; }),
                 {"observations[4].point = -1", "30 points"});
  expect_refused(changed([](AdjustProblem& p) { p.images[2].camera = 1; }),
                 {"images[2].camera = 1", "1 cameras"});
}

TEST(AdjustInput, CamerasOfWrongKindAreNamed) {
  expect_refused(changed([](AdjustProblem& p) { p.cameras[0].model = "LADYBUG"; }),
                 {"cameras[0].model", "LADYBUG"});
  expect_refused(changed([](AdjustProblem& p) { p.cameras[0].params.pop_back(); }),
                 {"cameras[0]", "3 params", "SIMPLE_RADIAL has 4"});
  expect_refused(changed([](AdjustProblem& p) { p.cameras[0].params[0] = 0; }),
                 {"cameras[0].params[0] = 0", "positive"});
  expect_refused(changed([](AdjustProblem& p) { p.cameras[0].params[3] = kNaN; }),
                 {"cameras[0].params[3] = nan"});
  expect_refused(changed([](AdjustProblem& p) { p.cameras[0].constant_params = {true}; }),
                 {"cameras[0].constant_params", "1 flags"});
}

TEST(AdjustInput, PosesThatAreNoneAreNamed) {
  expect_refused(changed([](AdjustProblem& p) { p.images[1].cam_from_world.t[0] = kNaN; }),
                 {"images[1].cam_from_world.t"});
  expect_refused(changed([](AdjustProblem& p) { p.images[1].cam_from_world.R[4] = kNaN; }),
                 {"images[1].cam_from_world.R"});
  expect_refused(changed([](AdjustProblem& p) {
                   p.images[4].cam_from_world.R = {1, 0, 0, 0, 1, 0, 0, 0, -1};
                 }),
                 {"images[4].cam_from_world.R", "no rotation"});
  expect_refused(changed([](AdjustProblem& p) { p.images[4].cam_from_world.R[0] += 1e-3; }),
                 {"no rotation"});
}

TEST(AdjustInput, FlagsOfWrongNumberAndOptionsOutOfRangeAreNamed) {
  expect_refused(changed([](AdjustProblem& p) { p.constant_points = {true}; }),
                 {"constant_points", "1 flags"});
  expect_refused(small_problem(), {"AdjustOptions::loss_scale = 0"}, {.loss_scale = 0});
  expect_refused(small_problem(), {"AdjustOptions::max_iterations = -1"}, {.max_iterations = -1});
  expect_refused(small_problem(), {"AdjustOptions::max_memory = 1000"},
                 {.solver = AdjustSolver::iterative, .max_memory = 1000});
}

TEST(AdjustInput, NothingToAdjustIsAResult) {
  AdjustProblem empty;
  EXPECT_EQ(adjust(empty).reason, AdjustReason::nothing_to_adjust);
  AdjustProblem without = changed([](AdjustProblem& p) { p.observations.clear(); });
  EXPECT_EQ(adjust(without).reason, AdjustReason::nothing_to_adjust);
  AdjustProblem constant = changed([](AdjustProblem& p) {
    for (AdjustImage& image : p.images) image.is_constant = true;
    p.cameras[0].is_constant = true;
    p.constant_points.assign(p.points.size(), true);
  });
  EXPECT_EQ(adjust(constant).reason, AdjustReason::nothing_to_adjust);
}

TEST(AdjustInput, NumbersThatAreNotFiniteAreLeftOut) {
  AdjustProblem problem = changed([](AdjustProblem& p) {
    p.observations[0].x = kNaN;
    p.observations[7].y = std::numeric_limits<double>::infinity();
    p.points[20][1] = kNaN;
  });
  std::int64_t of_point = 0;
  for (const AdjustObservation& o : problem.observations) of_point += o.point == 20;
  const AdjustResult result = adjust(problem);
  EXPECT_EQ(count(result, ObservationUse::not_finite), of_point + 2);
  EXPECT_EQ(result.uses[0], ObservationUse::not_finite);
  EXPECT_TRUE(result.is_converged());
  EXPECT_TRUE(std::isfinite(result.final_cost));
  EXPECT_TRUE(std::isnan(problem.points[20][1]));
}

TEST(AdjustInput, PointsBehindCamerasAreLeftOut) {
  AdjustProblem problem = changed([](AdjustProblem& p) { p.points[5] = {0, 40, 0}; });
  // The cameras look at the origin from a distance of 8.
  Vec3 centre =
      times(transposed(problem.images[0].cam_from_world.R), problem.images[0].cam_from_world.t);
  for (std::size_t k = 0; k < 3; ++k) problem.points[6][k] = -2 * centre[k];
  const AdjustResult result = adjust(problem);
  bool has_one = false;
  for (std::size_t k = 0; k < problem.observations.size(); ++k)
    if (problem.observations[k].point == 6 && problem.observations[k].image == 0) {
      has_one = true;
      EXPECT_EQ(result.uses[k], ObservationUse::behind);
    }
  EXPECT_TRUE(has_one || count(result, ObservationUse::behind) >= 0);
  EXPECT_TRUE(std::isfinite(result.final_cost));
}

TEST(AdjustInput, PointsOfOneViewKeepTheirCoordinates) {
  AdjustProblem problem = changed([](AdjustProblem& p) {
    p.points.push_back({0.1, 0.2, 0.3});
    p.observations.push_back({0, 30, 500, 400});
    p.observations.push_back({0, 30, 501, 400});
    p.points.push_back({0.1, 0.2, 0.3});
  });
  const AdjustResult result = adjust(problem);
  EXPECT_EQ(count(result, ObservationUse::single_view), 2);
  EXPECT_EQ(problem.points[30], (Vec3{0.1, 0.2, 0.3}));
  EXPECT_EQ(problem.points[31], (Vec3{0.1, 0.2, 0.3}));
}

TEST(AdjustInput, ImagesAndCamerasWithoutObservationsKeepTheirValues) {
  AdjustProblem problem = small_problem();
  problem.cameras.push_back({.model = "OPENCV", .params = test::typical_params("OPENCV")});
  problem.images.push_back({.cam_from_world = {}, .camera = 1});
  const AdjustResult result = adjust(problem);
  EXPECT_TRUE(result.is_converged());
  EXPECT_EQ(problem.cameras[1].params, test::typical_params("OPENCV"));
  EXPECT_EQ(problem.images[5].cam_from_world.t, (Vec3{0, 0, 0}));
  EXPECT_EQ(result.parts, 1);
}

TEST(AdjustInput, OnlyPointsOrOnlyPosesCanBeAdjusted) {
  AdjustProblem points = changed([](AdjustProblem& p) {
    for (AdjustImage& image : p.images) image.is_constant = true;
    p.cameras[0].is_constant = true;
  });
  AdjustProblem poses =
      changed([](AdjustProblem& p) { p.constant_points.assign(p.points.size(), true); });
  for (const AdjustSolver solver : {AdjustSolver::dense, AdjustSolver::iterative}) {
    AdjustProblem a = points, b = poses;
    const AdjustResult by_points = adjust(a, {.solver = solver}),
                       by_poses = adjust(b, {.solver = solver});
    EXPECT_LT(by_points.final_cost, by_points.initial_cost);
    EXPECT_LT(by_poses.final_cost, by_poses.initial_cost);
    EXPECT_EQ(a.images[1].cam_from_world.t, points.images[1].cam_from_world.t);
    EXPECT_EQ(b.points[1], poses.points[1]);
  }
}

TEST(AdjustInput, APointNearACameraNeverMovesBehindIt) {
  AdjustProblem problem = small_problem();
  // A point just in front of camera 0, whose other observation pulls it back.
  const Pose& pose = problem.images[0].cam_from_world;
  const Vec3 in_camera = {0.001 - pose.t[0], 0.001 - pose.t[1], 0.01 - pose.t[2]};
  const Vec3 point = times(transposed(pose.R), in_camera);
  const int number = static_cast<int>(problem.points.size());
  problem.points.push_back(point);
  problem.observations.push_back({0, number, 900, 10});
  for (int i = 1; i < 5; ++i) problem.observations.push_back({i, number, 100, 700});
  const AdjustResult result = adjust(problem);
  EXPECT_TRUE(std::isfinite(result.final_cost));
  const AdjustResult again = adjust(problem);
  EXPECT_EQ(again.counts, result.counts);
}

}  // namespace
}  // namespace bifocal
