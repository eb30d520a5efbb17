// SPDX-License-Identifier: BSD-3-Clause
// AdjustSession on every device, against plain code on the host.
#include "adjust/tracks/session.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "adjust/prior_scenes.hpp"
#include "adjust/scenes.hpp"
#include "support/devices.hpp"

namespace bifocal {
namespace {

using adjustment::AdjustSession;
using adjustment::TrackLimits;

constexpr TrackLimits kLimits = {.max_error = 3, .min_angle = 0.05};
constexpr int kImages = 110;  // above the size that a direct solver takes on any device

LensCamera lens_of(const AdjustProblem& problem, int image) {
  const AdjustCamera& camera = problem.cameras[static_cast<std::size_t>(
      problem.images[static_cast<std::size_t>(image)].camera)];
  return {camera.model, camera.params, 1000, 800};
}

std::vector<Vec3> rays_of(const AdjustProblem& problem) {
  std::vector<Vec3> rays;
  for (const AdjustObservation& o : problem.observations) {
    const LensCamera lens = lens_of(problem, o.image);
    const Vec2 px = lens.undistort({o.x, o.y});
    const Intrinsics& K = lens.pinhole();
    rays.push_back(unit({(px[0] - K.cx) / K.fx, (px[1] - K.cy) / K.fy, 1}));
  }
  return rays;
}

double error_of(const AdjustProblem& problem, const AdjustObservation& o, const Vec3& point) {
  const Vec2 px = test::projected(problem, lens_of(problem, o.image), o.image, point);
  return std::hypot(px[0] - o.x, px[1] - o.y);
}

struct State {
  std::vector<Vec3> points;
  std::vector<std::uint8_t> is_used;
};

State state_of(AdjustSession& session, const AdjustProblem& problem) {
  State state{std::vector<Vec3>(problem.points.size()),
              std::vector<std::uint8_t>(problem.observations.size())};
  session.download(state.points, state.is_used);
  return state;
}

// The largest angle of two used rays of each point, rad; below 0: fewer than two.
std::vector<double> angles_of(const AdjustProblem& problem, const State& state) {
  std::vector<std::vector<Vec3>> directions(problem.points.size());
  for (std::size_t i = 0; i < problem.observations.size(); ++i) {
    if (state.is_used[i] == 0) continue;
    const AdjustObservation& o = problem.observations[i];
    const Pose& pose = problem.images[static_cast<std::size_t>(o.image)].cam_from_world;
    const Vec3 c = times(transposed(pose.R), pose.t);
    const auto p = static_cast<std::size_t>(o.point);
    const Vec3& X = state.points[p];
    directions[p].push_back(unit({X[0] + c[0], X[1] + c[1], X[2] + c[2]}));
  }
  std::vector<double> angles;
  for (const std::vector<Vec3>& own : directions) {
    double angle = -1;
    for (std::size_t i = 0; i < own.size(); ++i)
      for (std::size_t j = i + 1; j < own.size(); ++j)
        angle = std::max(angle, std::atan2(norm(cross(own[i], own[j])), dot(own[i], own[j])));
    angles.push_back(angle);
  }
  return angles;
}

test::Scene scene() {
  return test::make_scene({.images = kImages, .points = 900, .cameras = 3, .outliers = 0.1});
}

TEST(AdjustSession, TriangulatesPointsNearTheTruthWithoutOutliers) {
  const test::Scene given = scene();
  const AdjustProblem& truth = given.truth;
  test::for_each_device([&](Queue& queue, const std::string& id) {
    AdjustSession session(queue, truth);
    const std::int64_t used = session.triangulate(rays_of(truth), kLimits);
    const State state = state_of(session, truth);
    EXPECT_EQ(used, std::ranges::count(state.is_used, std::uint8_t{1})) << id;
    std::int64_t wrong = 0, good = 0, found = 0;
    for (std::size_t i = 0; i < state.is_used.size(); ++i) {
      const AdjustObservation& o = truth.observations[i];
      const double error = error_of(truth, o, truth.points[static_cast<std::size_t>(o.point)]);
      if (error > 2 * kLimits.max_error) wrong += state.is_used[i];
      if (error < 0.5 * kLimits.max_error) ++good, found += state.is_used[i];
    }
    EXPECT_LT(wrong, 0.001 * static_cast<double>(good)) << id;
    EXPECT_GT(found, 0.99 * static_cast<double>(good)) << id;
    std::vector<double> distances;
    for (std::size_t p = 0; p < truth.points.size(); ++p) {
      const Vec3 &a = state.points[p], &b = truth.points[p];
      distances.push_back(norm({a[0] - b[0], a[1] - b[1], a[2] - b[2]}));
    }
    std::ranges::sort(distances);
    EXPECT_LT(distances[distances.size() / 2], 0.005) << id;
  });
}

TEST(AdjustSession, FilterKeepsWhatTheLimitsAllow) {
  const test::Scene given = scene();
  const AdjustProblem& truth = given.truth;
  test::for_each_device([&](Queue& queue, const std::string& id) {
    AdjustSession session(queue, truth);
    const std::int64_t used = session.filter(kLimits);
    const State state = state_of(session, truth);
    EXPECT_EQ(used, std::ranges::count(state.is_used, std::uint8_t{1})) << id;
    // By plain code: first the errors, then the points.
    State expected{truth.points, {}};
    for (const AdjustObservation& o : truth.observations)
      expected.is_used.push_back(
          error_of(truth, o, truth.points[static_cast<std::size_t>(o.point)]) <= kLimits.max_error);
    const std::vector<double> angles = angles_of(truth, expected);
    std::int64_t dropped = 0;
    for (std::size_t i = 0; i < expected.is_used.size(); ++i) {
      const auto p = static_cast<std::size_t>(truth.observations[i].point);
      const bool is_used = expected.is_used[i] != 0 && angles[p] >= kLimits.min_angle;
      EXPECT_EQ(is_used, state.is_used[i] != 0) << id << " observation " << i;
      dropped += is_used ? 0 : 1;
    }
    EXPECT_GT(dropped, 100) << id;
  });
}

TEST(AdjustSession, EqualsAnAdjustmentOfTheUsedObservations) {
  const test::Scene given = scene();
  const AdjustOptions options = {.loss = AdjustLoss::soft_l1,
                                 .function_tolerance = 1e-9,
                                 .solver = AdjustSolver::iterative,
                                 .cg_tolerance = 1e-4};
  const TrackLimits wide = {.max_error = 60, .min_angle = 0.05};
  test::for_each_device([&](Queue& queue, const std::string& id) {
    AdjustSession session(queue, given.start);
    session.filter(wide);
    const State before = state_of(session, given.start);
    const AdjustResult result = session.adjust(options);
    AdjustProblem same = given.start;
    same.observations.clear();
    for (std::size_t i = 0; i < before.is_used.size(); ++i)
      if (before.is_used[i] != 0) same.observations.push_back(given.start.observations[i]);
    const AdjustResult expected = adjust(queue, same, options);
    EXPECT_NEAR(result.initial_cost / expected.initial_cost, 1, 1e-12) << id;
    EXPECT_NEAR(result.final_cost / expected.final_cost, 1, 1e-6) << id;
    // The device has the poses and points of the result.
    const State after = state_of(session, given.start);
    AdjustProblem adjusted = session.problem();
    adjusted.points = after.points, adjusted.observations = same.observations;
    EXPECT_NEAR(adjust_cost(adjusted, options) / result.final_cost, 1, 1e-9) << id;
  });
}

// Priors that the caller sets between two calls.
TEST(AdjustSession, TakesPriors) {
  test::Scene given =
      test::make_scene({.images = kImages, .points = 900, .cameras = 3, .disturbed = 0.3});
  std::mt19937_64 random(3);
  const AdjustPriors priors = test::priors_of(given.truth, test::kAllPriors, random);
  const AdjustOptions options = {.function_tolerance = 1e-12,
                                 .solver = AdjustSolver::iterative,
                                 .cg_tolerance = 1e-4,
                                 .deviation_px = 0.5};
  given.start.priors = priors;
  AdjustProblem same = given.start;
  const AdjustResult expected = adjust(same, options);
  given.start.priors = {};
  test::for_each_device([&](Queue& queue, const std::string& id) {
    AdjustSession session(queue, given.start);
    session.problem().priors = priors;
    const AdjustResult result = session.adjust(options);
    EXPECT_NEAR(result.final_cost / expected.final_cost, 1, 1e-6) << id;
    EXPECT_NEAR(result.prior_cost / expected.prior_cost, 1, 1e-3) << id;
    EXPECT_EQ(result.prior_residuals.points.size(), priors.points.size()) << id;
    session.problem().priors.positions[0].image = kImages;
    EXPECT_THROW((void)session.adjust(options), Error) << id;
  });
}

TEST(AdjustSession, HasTheSameBytesInEveryRunAndForAnyNumberOfThreads) {
  const test::Scene given = scene();
  const auto run = [&](int threads) {
    const ThreadLimit limit(threads);
    Queue queue;
    AdjustSession session(queue, given.start);
    session.triangulate(rays_of(given.start), {.max_error = 60, .min_angle = 0.05});
    session.adjust({.loss = AdjustLoss::soft_l1, .solver = AdjustSolver::iterative});
    session.filter(kLimits);
    return state_of(session, given.start).points;
  };
  const std::vector<Vec3> first = run(1);
  EXPECT_EQ(first, run(1));
  EXPECT_EQ(first, run(2));
}

TEST(AdjustSession, TakesProblemsWithoutUsableObservations) {
  AdjustProblem problem = scene().start;
  for (AdjustObservation& o : problem.observations) o.x = std::nan("");
  Queue queue;
  AdjustSession session(queue, problem);
  EXPECT_EQ(0, session.filter(kLimits));
  EXPECT_EQ(AdjustReason::nothing_to_adjust, session.adjust({}).reason);
  AdjustProblem bad = scene().start;
  bad.images[3].camera = 7;
  EXPECT_THROW(AdjustSession(queue, bad), Error);
}

}  // namespace
}  // namespace bifocal
