// SPDX-License-Identifier: BSD-3-Clause
// Constants that fix the gauge in part: the start fixes the rest, and covariances belong to it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <random>

#include "adjust/reference.hpp"
#include "adjust/scenes.hpp"

namespace bifocal {
namespace {

using test::Constraint;
using Kept = std::vector<Constraint>;

Vec3 centre_in(const AdjustProblem& problem, std::size_t image) {
  const Pose& pose = problem.images[image].cam_from_world;
  const Vec3 c = times(transposed(pose.R), pose.t);
  return {-c[0], -c[1], -c[2]};
}
Vec3 difference(const Vec3& a, const Vec3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

// Numbers that the gauge of the start keeps.
Constraint centre_is_kept(std::size_t image, std::size_t k) {
  return [=](const AdjustProblem& p) { return centre_in(p, image)[k]; };
}
// The rotation of an image since `start` about an axis, near 0.
Constraint rotation_is_kept(const AdjustProblem& start, std::size_t image, const Vec3& axis) {
  const Mat3 before = transposed(start.images[image].cam_from_world.R);
  return [=](const AdjustProblem& p) {
    const Mat3 D = times(before, p.images[image].cam_from_world.R);
    return dot(axis, {D[7] - D[5], D[2] - D[6], D[3] - D[1]}) / 2;
  };
}
// The distance from a place of the image among [first, end) that is farthest from it.
Constraint distance_is_kept(const AdjustProblem& start, const Vec3& from, std::size_t first,
                            std::size_t end) {
  std::size_t farthest = first;
  const auto distance = [=](const AdjustProblem& p, std::size_t image) {
    return norm(difference(centre_in(p, image), from));
  };
  for (std::size_t i = first; i < end; ++i)
    if (distance(start, i) > distance(start, farthest)) farthest = i;
  return [=](const AdjustProblem& p) { return distance(p, farthest); };
}
void keep_rotation(const AdjustProblem& start, std::size_t image, Kept& kept) {
  for (const Vec3& axis : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}})
    kept.push_back(rotation_is_kept(start, image, axis));
}

// Replaces the pose of an image, and its observations.
void see_from(test::Scene& scene, std::size_t image, const Pose& pose) {
  scene.truth.images[image].cam_from_world = scene.start.images[image].cam_from_world = pose;
  const AdjustCamera& k = scene.truth.cameras[0];
  const LensCamera lens(k.model, k.params);
  for (std::size_t o = 0; o < scene.truth.observations.size(); ++o) {
    AdjustObservation& seen = scene.truth.observations[o];
    if (seen.image != static_cast<int>(image)) continue;
    const Vec3& X = scene.truth.points[static_cast<std::size_t>(seen.point)];
    const Vec2 px = test::projected(scene.truth, lens, seen.image, X);
    seen.x = px[0] + 0.3, seen.y = px[1] - 0.2;
    scene.start.observations[o] = seen;
  }
}
void move_point(test::Scene& scene, std::size_t point, const Vec3& place) {
  scene.truth.points[point] = place;
  for (std::size_t i = 0; i < scene.truth.images.size(); ++i)
    see_from(scene, i, scene.truth.images[i].cam_from_world);
}
void keep_points(AdjustProblem& problem, const std::vector<std::size_t>& points) {
  problem.constant_points.assign(problem.points.size(), false);
  for (const std::size_t p : points) problem.constant_points[p] = true;
}

constexpr std::size_t kViews = 6, kScenePoints = 25;

struct Kind {
  const char* name;
  AdjustFreedom freedom;
  // Makes a part of the start constant and returns the numbers that the gauge keeps.
  Kept (*change)(test::Scene& scene);

  friend void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }
};

Kept keep_nothing(test::Scene& scene) {
  const AdjustProblem& start = scene.start;
  Kept kept;
  keep_rotation(start, 0, kept);
  for (std::size_t k = 0; k < 3; ++k) kept.push_back(centre_is_kept(0, k));
  const Vec3 from = centre_in(start, 0);
  kept.push_back(distance_is_kept(start, from, 0, kViews));
  return kept;
}
Kept keep_image(test::Scene& scene) {
  scene.start.images[2].is_constant = true;
  return {distance_is_kept(scene.start, centre_in(scene.start, 2), 0, kViews)};
}
Kept keep_images_at_one_place(test::Scene& scene) {
  Pose pose = scene.truth.images[2].cam_from_world;
  const Mat3 Q = test::small_rotation({0.02, -0.03, 0.05});
  pose.R = times(Q, pose.R), pose.t = times(Q, pose.t);
  see_from(scene, 4, pose);
  scene.start.images[2] = scene.truth.images[2];
  scene.start.images[2].is_constant = scene.start.images[4].is_constant = true;
  return {distance_is_kept(scene.start, centre_in(scene.start, 2), 0, kViews)};
}
Kept keep_point(test::Scene& scene) {
  keep_points(scene.start, {7});
  Kept kept = {distance_is_kept(scene.start, scene.start.points[7], 0, kViews)};
  keep_rotation(scene.start, 0, kept);
  return kept;
}
Kept keep_two_points(test::Scene& scene) {
  keep_points(scene.start, {7, 9});
  const Vec3 axis = unit(difference(scene.start.points[9], scene.start.points[7]));
  return {rotation_is_kept(scene.start, 0, axis)};
}
Kept keep_points_on_a_line(test::Scene& scene) {
  const Vec3 a = scene.truth.points[7], b = scene.truth.points[9];
  move_point(scene, 3,
             {a[0] + 0.3 * (b[0] - a[0]), a[1] + 0.3 * (b[1] - a[1]), a[2] + 0.3 * (b[2] - a[2])});
  for (const std::size_t p : {3U, 7U, 9U}) scene.start.points[p] = scene.truth.points[p];
  keep_points(scene.start, {3, 7, 9});
  return {rotation_is_kept(scene.start, 0, unit(difference(b, a)))};
}
Kept keep_three_points(test::Scene& scene) {
  keep_points(scene.start, {3, 7, 9});
  return {};
}
Kept keep_image_and_point(test::Scene& scene) {
  scene.start.images[2].is_constant = true;
  keep_points(scene.start, {7});
  return {};
}
Kept keep_two_images(test::Scene& scene) {
  scene.start.images[0].is_constant = scene.start.images[2].is_constant = true;
  return {};
}

class PartialGauge : public testing::TestWithParam<Kind> {};
INSTANTIATE_TEST_SUITE_P(
    Kinds, PartialGauge,
    testing::Values(Kind{"Nothing", {3, 3, 1}, keep_nothing}, Kind{"Image", {0, 0, 1}, keep_image},
                    Kind{"ImagesAtOnePlace", {0, 0, 1}, keep_images_at_one_place},
                    Kind{"Point", {0, 3, 1}, keep_point},
                    Kind{"TwoPoints", {0, 1, 0}, keep_two_points},
                    Kind{"PointsOnALine", {0, 1, 0}, keep_points_on_a_line},
                    Kind{"ThreePoints", {}, keep_three_points},
                    Kind{"ImageAndPoint", {}, keep_image_and_point},
                    Kind{"TwoImages", {}, keep_two_images}),
    [](const auto& test) { return std::string(test.param.name); });

// The errors of all entries are below 1e-5 of the largest one.
template <class Matrices>
void expect_near(const Matrices& found, const Matrices& expected, const char* name) {
  ASSERT_EQ(found.size(), expected.size()) << name;
  for (std::size_t i = 0; i < found.size(); ++i) {
    double largest = 0;
    for (const double v : expected[i]) largest = std::max(largest, std::abs(v));
    for (std::size_t k = 0; k < found[i].size(); ++k)
      EXPECT_NEAR(found[i][k], expected[i][k], 1e-5 * largest + 1e-14)
          << name << " " << i << ", " << k;
  }
}
void expect_covariances(const AdjustResult& found, const AdjustResult& expected) {
  expect_near(found.pose_covariances, expected.pose_covariances, "image");
  expect_near(found.point_covariances, expected.point_covariances, "point");
  expect_near(found.camera_covariances, expected.camera_covariances, "camera");
}
void expect_freedom(const AdjustFreedom& found, const AdjustFreedom& expected) {
  EXPECT_EQ(found.position, expected.position);
  EXPECT_EQ(found.rotation, expected.rotation);
  EXPECT_EQ(found.scale, expected.scale);
}

test::Scene small_scene() {
  return test::make_scene({.images = static_cast<int>(kViews),
                           .points = static_cast<int>(kScenePoints),
                           .visible = 0.9,
                           .disturbed = 0.3});
}

TEST_P(PartialGauge, TheStartFixesTheRestAndCovariancesBelongToIt) {
  test::Scene scene = small_scene();
  const Kept kept = GetParam().change(scene);
  for (const AdjustSolver solver : {AdjustSolver::dense, AdjustSolver::iterative}) {
    AdjustProblem problem = scene.start;
    const AdjustResult result =
        adjust(problem, {.function_tolerance = 1e-14, .solver = solver, .covariance = true});
    expect_freedom(result.freedom, GetParam().freedom);
    ASSERT_EQ(kept.size(), static_cast<std::size_t>(result.freedom.total()));
    for (const Constraint& number : kept) EXPECT_NEAR(number(problem), number(scene.start), 1e-9);
    EXPECT_NEAR(adjust_cost(problem), result.final_cost, 1e-9 * result.final_cost);
    expect_covariances(result, test::reference_covariances(problem, kept));
  }
}

// Squares of the errors of 100 adjustments and the reported variances agree.
TEST_P(PartialGauge, CovariancesAreThoseOfManyAdjustments) {
  test::Scene scene = small_scene();
  (void)GetParam().change(scene);
  // Exact observations of the constant values.
  AdjustProblem exact = scene.start;
  const LensCamera lens(exact.cameras[0].model, exact.cameras[0].params);
  for (AdjustObservation& o : exact.observations) {
    const Vec2 px =
        test::projected(exact, lens, o.image, exact.points[static_cast<std::size_t>(o.point)]);
    o.x = px[0], o.y = px[1];
  }
  AdjustProblem problem = exact;
  const AdjustResult result = adjust(problem, {.covariance = true});
  constexpr int kRuns = 100;
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal(0, 0.1);
  double point = 0, centre = 0;
  for (int run = 0; run < kRuns; ++run) {
    AdjustProblem noisy = exact;
    for (AdjustObservation& o : noisy.observations) o.x += normal(random), o.y += normal(random);
    (void)adjust(noisy);
    const Vec3 a = difference(noisy.points[11], exact.points[11]),
               b = difference(centre_in(noisy, 3), centre_in(exact, 3));
    point += dot(a, a) / 0.01 / kRuns, centre += dot(b, b) / 0.01 / kRuns;
  }
  const auto& X = result.point_covariances[11];
  const auto& pose = result.pose_covariances[3];
  // The mean of 100 squares, of one number, has a standard deviation of 14 per cent.
  EXPECT_NEAR(point / (X[0] + X[4] + X[8]), 1, 0.45);
  EXPECT_NEAR(centre / (pose[21] + pose[28] + pose[35]), 1, 0.45);
}

// Two scenes that share a constant image, and no point.
TEST(AdjustGauges, PartsThatShareAConstantImageHaveTheirOwnScales) {
  test::Scene one = test::make_scene({.images = 4, .points = 20, .visible = 1, .disturbed = 0.2});
  test::Scene two =
      test::make_scene({.images = 4, .points = 20, .visible = 1, .disturbed = 0.2, .seed = 2});
  see_from(two, 0, one.truth.images[0].cam_from_world);
  AdjustProblem both = one.start;
  both.images[0].is_constant = true;
  both.cameras[0].is_constant = true;
  for (std::size_t i = 1; i < 4; ++i) both.images.push_back(two.start.images[i]);
  both.points.insert(both.points.end(), two.start.points.begin(), two.start.points.end());
  for (AdjustObservation o : two.start.observations) {
    o.image += o.image == 0 ? 0 : 3, o.point += 20;
    both.observations.push_back(o);
  }
  const Vec3 from = centre_in(both, 0);
  const Kept kept = {distance_is_kept(both, from, 1, 4), distance_is_kept(both, from, 4, 7)};
  AdjustProblem problem = both;
  const AdjustResult result = adjust(problem, {.function_tolerance = 1e-14, .covariance = true});
  expect_freedom(result.freedom, {0, 0, 2});
  for (const Constraint& number : kept) EXPECT_NEAR(number(problem), number(both), 1e-9);
  expect_covariances(result, test::reference_covariances(problem, kept));
}

TEST(AdjustGauges, TheFreeGaugeKeepsWhatIsConstant) {
  test::Scene scene = small_scene();
  (void)keep_image(scene);
  AdjustProblem problem = scene.start;
  const AdjustResult result = adjust(problem, {.gauge = AdjustGauge::free});
  expect_freedom(result.freedom, {0, 0, 1});
  EXPECT_EQ(problem.images[2].cam_from_world.R, scene.start.images[2].cam_from_world.R);
  EXPECT_EQ(problem.images[2].cam_from_world.t, scene.start.images[2].cam_from_world.t);
}

// Observations that do not determine a part of the problem.
AdjustResult adjusted_with_covariance(AdjustProblem problem) {
  return adjust(problem, {.covariance = true});
}
void expect_undetermined(const AdjustResult& result, int image, int camera) {
  EXPECT_EQ(result.undetermined_image, image);
  EXPECT_EQ(result.undetermined_camera, camera);
  EXPECT_TRUE(result.pose_covariances.empty());
  EXPECT_TRUE(result.point_covariances.empty());
  EXPECT_TRUE(result.camera_covariances.empty());
  EXPECT_TRUE(std::isfinite(result.final_cost));
}

TEST(AdjustGauges, AnImageOfTwoPointsIsUndetermined) {
  AdjustProblem problem = small_scene().start;
  std::erase_if(problem.observations,
                [](const AdjustObservation& o) { return o.image == 3 && o.point > 1; });
  expect_undetermined(adjusted_with_covariance(problem), 3, -1);
}

TEST(AdjustGauges, ACameraOfFourPointsIsUndetermined) {
  AdjustProblem problem = small_scene().start;
  problem.cameras.push_back(
      {.model = "FULL_OPENCV", .params = test::typical_params("FULL_OPENCV")});
  problem.images[3].camera = 1;
  std::erase_if(problem.observations,
                [](const AdjustObservation& o) { return o.image == 3 && o.point > 3; });
  expect_undetermined(adjusted_with_covariance(problem), -1, 1);
}

TEST(AdjustGauges, ARestThatSharesOnePointWithAConstantImageIsUndetermined) {
  AdjustProblem problem = small_scene().start;
  problem.images[0].is_constant = true;
  std::erase_if(problem.observations,
                [](const AdjustObservation& o) { return o.image == 0 && o.point > 0; });
  const AdjustResult result = adjusted_with_covariance(problem);
  EXPECT_TRUE(result.undetermined_image >= 0 || result.undetermined_camera >= 0);
  EXPECT_TRUE(result.pose_covariances.empty());
}

TEST(AdjustGauges, WellDeterminedScenesAreNotRefused) {
  for (const int images : {3, 40}) {
    AdjustProblem problem =
        test::make_scene({.images = images, .points = 8 * images, .visible = 6.0 / images}).start;
    const AdjustResult result = adjusted_with_covariance(problem);
    EXPECT_EQ(result.undetermined_image, -1);
    EXPECT_EQ(result.undetermined_camera, -1);
    EXPECT_EQ(result.pose_covariances.size(), static_cast<std::size_t>(images));
  }
}

}  // namespace
}  // namespace bifocal
