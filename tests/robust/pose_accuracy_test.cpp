// SPDX-License-Identifier: BSD-3-Clause
// Absolute poses of noisy scenes are near the fit to the correct matches alone, even if these are
// few or the threshold is too tight. Scenes without a pose give none.
#include <gtest/gtest.h>

#include <algorithm>
#include <bifocal/robust.hpp>

#include "synthetic/accuracy.hpp"
#include "synthetic/pose_scenes.hpp"
#include "synthetic/two_view_scenes.hpp"
#include "support/needs_problem.hpp"

namespace bifocal::test {
namespace {

using synthetic::make_pose_scene;
using synthetic::PoseScene;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Median rotation and position errors, and the errors of the fit to the correct matches.
struct Errors {
  double rotation, position, best_rotation, best_position;
};
Errors errors_of(int points, double inliers, double threshold) {
  std::mt19937_64 random(31);
  std::vector<double> e[4];
  for (int trial = 0; trial < 30; ++trial) {
    const PoseScene s = make_pose_scene(points, inliers, 1, random);
    std::vector<ScenePoint> right;
    for (size_t i = 0; i < s.points.size(); ++i) {
      if (s.labels[i]) right.push_back(s.points[i]);
    }
    const EstimateResult r =
        estimate(ModelKind::absolute_pose, s.points,
                 {.cameras = std::array{s.camera}, .options = {.threshold = threshold}});
    const EstimateResult best =
        estimate(ModelKind::absolute_pose, right,
                 {.cameras = std::array{s.camera}, .options = {.threshold = 10}});
    EXPECT_TRUE(r.ok() && best.ok());
    EXPECT_NEAR(r.noise, 1, 0.2);
    e[0].push_back(synthetic::rotation_error_deg(r.pose.R, s.truth.R));
    e[1].push_back(synthetic::position_error(r.pose, s.truth));
    e[2].push_back(synthetic::rotation_error_deg(best.pose.R, s.truth.R));
    e[3].push_back(synthetic::position_error(best.pose, s.truth));
  }
  return {median(e[0]), median(e[1]), median(e[2]), median(e[3])};
}

TEST(PoseAccuracy, is_near_the_fit_to_the_correct_matches) {
  SKIP_UNLESS_PROBLEM_IS_BUILT(ModelKind::absolute_pose);
  for (const double inliers : {0.8, 0.3}) {
    for (const double threshold : {1.0, 2.5, 6.25}) {
      const Errors e = errors_of(1000, inliers, threshold);
      std::printf("%.0f %%, %.2f px: %.4f deg %.5f, fit to the right matches %.4f deg %.5f\n",
                  100 * inliers, threshold, e.rotation, e.position, e.best_rotation,
                  e.best_position);
      EXPECT_LT(e.rotation, 1.2 * e.best_rotation);
      EXPECT_LT(e.position, 1.2 * e.best_position);
    }
  }
}

TEST(PoseAccuracy, wrong_matches_alone_have_no_pose) {
  SKIP_UNLESS_PROBLEM_IS_BUILT(ModelKind::absolute_pose);
  std::mt19937_64 random(32);
  for (const int points : {20, 200, 2000}) {
    for (int trial = 0; trial < 20; ++trial) {
      const PoseScene s = make_pose_scene(points, 0, 1, random);
      const EstimateResult r =
          estimate(ModelKind::absolute_pose, s.points,
                   {.cameras = std::array{s.camera}, .options = {.threshold = 2.5}});
      EXPECT_NE(r.outcome, Outcome::ok);
    }
  }
}

}  // namespace
}  // namespace bifocal::test
