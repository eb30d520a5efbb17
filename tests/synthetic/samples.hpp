// SPDX-License-Identifier: BSD-3-Clause
// Random minimal samples with their true model, for tests and timings of minimal solvers.
#pragma once

#include <array>
#include <bifocal/geometry.hpp>
#include <bifocal/solvers.hpp>
#include <cstdint>
#include <random>
#include <vector>

namespace bifocal::synthetic {

// The kinds of scenes that solver_scenes.def names.
enum class SceneKind {
  general,
  planar,        // all points on a slanted plane, which both cameras see from the same side
  upright,       // the cameras rotate about their y axes alone
  frontal,       // a plane parallel to both images: camera 2 moves along it without rotation
  zoomed,        // both cameras have a focal length f of 0.7 to 4, which scales coordinates
  distorted,     // both images have a radial distortion k of -0.4 to 0
  zoomed_depth,  // depths of both images as well, the second's with a scale and a shift
};
// A row of solver_scenes.def.
struct SolverScene {
  MinimalSolver solver;
  SceneKind kind;
  double missed_f64, missed_f32;  // per cent
};
[[nodiscard]] const SolverScene& solver_scene(MinimalSolver solver);

// Two cameras and their points. Camera 2 is rotated by at most 30 degrees and 0.5 to 1.5 units
// away. Points are 4 to 12 units deep, within 27 degrees of the axis of camera 1 and in front of
// camera 2. Coordinates are normalised, x = X / Z (times f); distorted coordinates satisfy (x, y, 1
// + k (x^2 + y^2)) ~ (f X, f Y, Z).
class Scene {
 public:
  Scene(SceneKind kind, std::mt19937_64& random);

  // Draws another point of the scene, in the frame of camera 1.
  [[nodiscard]] Vec3 point();
  [[nodiscard]] Vec3 in_camera2(const Vec3& X) const;
  [[nodiscard]] PointPair seen(const Vec3& X) const;
  // The true models. The matrices have the Frobenius norm 1.
  [[nodiscard]] const Pose& cam2_from_cam1() const { return pose_; }
  [[nodiscard]] Mat3 essential() const;
  [[nodiscard]] Mat3 fundamental() const;
  [[nodiscard]] double focal_length() const { return lens_.focal; }
  [[nodiscard]] double distortion() const { return lens_.distortion; }
  // Point X has the depth depth_scale() (d + depth_shift()) in the frame of camera 2.
  [[nodiscard]] double depth_scale() const { return depth_scale_; }
  [[nodiscard]] double depth_shift() const { return depth_shift_; }
  [[nodiscard]] Mat3 homography() const;  // scenes with a plane

 private:
  void draw_lens(SceneKind kind);

  bool has_plane_;
  std::mt19937_64& random_;
  Pose pose_;
  Vec3 plane_{};  // points X have plane_ . X = 1
  struct Lens {
    double focal = 1, distortion = 0;
    [[nodiscard]] std::array<double, 2> seen(const Vec3& X) const;
  };
  Lens lens_;
  double depth_scale_ = 1, depth_shift_ = 0;
};

// A batch of n samples, one scene each, in the layout of solve_minimal().
struct SampleBatch {
  MinimalSolver solver;
  int n = 0;
  std::vector<double> samples;
  std::vector<double> truth;  // [n][solution_rows]
};
// Makes samples from the solver's own kind of scene or from another kind; the same arguments give
// the same samples.
[[nodiscard]] SampleBatch make_samples(MinimalSolver solver, int n, std::uint64_t seed = 1);
[[nodiscard]] SampleBatch make_samples(MinimalSolver solver, SceneKind kind, int n,
                                       std::uint64_t seed = 1);

}  // namespace bifocal::synthetic
