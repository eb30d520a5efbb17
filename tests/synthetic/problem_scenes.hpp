// SPDX-License-Identifier: BSD-3-Clause
// Scenes of every problem of bifocal/problems.def with their truth; problem_scenes.def selects the
// kind of scene.
#pragma once

#include <bifocal/robust.hpp>
#include <random>
#include <vector>

#include "synthetic/two_view_scenes.hpp"

namespace bifocal::synthetic {

enum class ProblemSceneKind {
  plane,      // two views of a plane
  map,        // points of an image, mapped by a random model of the problem
  general,    // two views
  distorted,  // two views by a lens of the division model
  upright,    // two views whose y axes are the vertical
  camera,     // one view of known points
  depths,     // two views, with depths; with noise, depths have errors of a few per cent
};
[[nodiscard]] ProblemSceneKind scene_kind(ModelKind problem);

// Calls body with the problem's points, in the type that its estimates take.
template <class Body>
decltype(auto) with_points(ModelKind problem, const double* numbers, const Body& body) {
  const ProblemInfo info = problem_info(problem);
  if (info.takes_depths) return body(reinterpret_cast<const DepthPair*>(numbers));
  if (info.is_two_view) return body(reinterpret_cast<const PointPair*>(numbers));
  return body(reinterpret_cast<const ScenePoint*>(numbers));
}

struct ProblemScene {
  ModelKind problem;
  std::vector<double> numbers;       // all points, in the problem's layout
  std::vector<Intrinsics> cameras;   // number required by the problem
  std::vector<std::uint8_t> labels;  // 1: a true match
  std::vector<PointPair> clean;      // two views: noise-free pairs that no estimator sees
  Mat3 in_pixels{};                  // two views: the true H or F
  Mat3 result{};                     // the true matrix of the result, of length 1 (R: unscaled)
  double focal_length = 0;           // true value in px, if the scene has cameras
  double distortion = 0;             // lens, in the unit of the camera
  Pose pose;                         // if the problem has one; |t| = 1 between two views

  [[nodiscard]] int count() const { return static_cast<int>(labels.size()); }
  // Returns the pairs of two views, without depths.
  [[nodiscard]] std::vector<PointPair> pairs() const;
  [[nodiscard]] const ScenePoint* scene_points() const {
    return reinterpret_cast<const ScenePoint*>(numbers.data());
  }
};
// Makes a scene; `planar` and `upright` of the options follow the problem.
[[nodiscard]] ProblemScene make_problem_scene(ModelKind problem, SceneOptions options,
                                              std::mt19937_64& random);
[[nodiscard]] EstimateResult estimate_scene(const ProblemScene& scene,
                                            const RobustOptions& options);

// Simulates a network's depths for the points of a scene. Depths of each image have errors by a
// normally distributed factor about 1 and an arbitrary unit; depths of image 2 also have a shift.
// Wrong matches have arbitrary depths.
[[nodiscard]] std::vector<DepthPair> with_told_depths(const TwoViewScene& scene, double deviation,
                                                      std::mt19937_64& random);

// Error of an estimate: degrees if the problem has a pose (two views: the larger of rotation and
// direction), else the mean error of the clean pairs in px.
[[nodiscard]] double scene_error(const ProblemScene& scene, const Mat3& model, const Pose& pose);

}  // namespace bifocal::synthetic
