// SPDX-License-Identifier: BSD-3-Clause
// The pieces of two-view geometry by themselves, for who has a model already: errors, a
// least-squares fit from a start, the pose in an essential matrix, the motions in a homography,
// scene points. All on the calling thread, in double.
//
// Points are px, cameras pinholes. Functions throw Error(usage) naming a matrix that is zero or not
// finite, a camera that is none, and numbers of points, flags and cameras that do not fit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <bifocal/geometry.hpp>
#include <bifocal/robust.hpp>

namespace bifocal {

// Errors as robust estimation has them, px, one a point; NaN for points that are not finite: the
// Sampson distance (robust.hpp) of a model of two views, with as many cameras as the kind takes
// (ProblemInfo::cameras; the model is then E of normalised points). The scale of the model does not
// matter.
[[nodiscard]] std::vector<double> residuals(ModelKind kind, const Mat3& model,
                                            std::span<const PointPair> points,
                                            std::span<const Intrinsics> cameras = {});
// The reprojection distance, NaN also for points behind the camera.
[[nodiscard]] std::vector<double> residuals(const Pose& cam_from_world,
                                            std::span<const ScenePoint> points,
                                            const Intrinsics& camera);

struct RefineOptions {
  double threshold = 0;
  int max_steps = 50;
};
constexpr const char* name_of(const RefineOptions&) { return "RefineOptions"; }
template <MaybeConst<RefineOptions> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [threshold, max_steps] = options;
  BIFOCAL_FIELD(threshold, "a larger error counts as this one (MSAC); 0: all count in full",
                Range::at_least(0), "px");
  BIFOCAL_FIELD(max_steps,
                "most steps of Levenberg-Marquardt, which ends earlier when it has converged");
}
struct Refined {
  Mat3 model{};    // as RobustResult::model, |model| = 1; of an absolute pose its rotation
  Pose pose;       // of an absolute pose: cam_from_world. (Relative poses: recover_pose)
  int count = 0;   // points fitted to: finite, flagged, and below the threshold at the end
  double rms = 0;  // px, of their errors
  int steps = 0;   // taken
};

// The model nearby with the least sum of squared errors over the points whose flag is not 0 (no
// flags: all), in the smallest number of parameters: F has rank 2, E equal singular values.
//   D. Marquardt, SIAM J. Appl. Math. 11(2), 1963; A. Bartoli, P. Sturm, PAMI 26(3), 2004.
// With fewer points than parameters, or where they leave some open, what can be improved is. The
// start when there is no point to fit to (count = 0).
[[nodiscard]] Refined refine(ModelKind kind, const Mat3& start, std::span<const PointPair> points,
                             std::span<const Intrinsics> cameras = {},
                             std::span<const std::uint8_t> inliers = {},
                             const RefineOptions& options = {});
[[nodiscard]] Refined refine(const Pose& start, std::span<const ScenePoint> points,
                             const Intrinsics& camera, std::span<const std::uint8_t> inliers = {},
                             const RefineOptions& options = {});

// The four poses of an essential matrix are (R[0], t), (R[0], -t), (R[1], t) and (R[1], -t).
//   B. Horn, Recovering baseline and orientation from essential matrix, 1990.
struct EssentialPoses {
  Mat3 R[2];
  Vec3 t;  // |t| = 1
};
[[nodiscard]] EssentialPoses decompose_essential(const Mat3& E);

// The one of them that has most points in front of both cameras.
struct RecoveredPose {
  Pose cam2_from_cam1;                  // |t| = 1
  int in_front = 0;                     // points in front of both cameras
  std::vector<std::uint8_t> are_there;  // 1 or 0 for each point; 0 where its flag is
};
[[nodiscard]] RecoveredPose recover_pose(const Mat3& E, std::span<const PointPair> points,
                                         const Intrinsics& camera1, const Intrinsics& camera2,
                                         std::span<const std::uint8_t> inliers = {});

// A motion before the plane normal' X = 1 in the frame of camera 1: H ~ K2 (R + t normal') K1^-1.
// The unit of t is the plane's distance from camera 1, |normal| = 1 then.
struct PlaneMotion {
  Pose cam2_from_cam1;
  Vec3 normal{};
};
// The motions that H (px) stands for, by its singular values:
//   Y. Ma, S. Soatto, J. Kosecka, S. Sastry, An Invitation to 3-D Vision, 5.3.3.
// Four, (R, t, n) and (R, -t, -n) of each of two; with points those whose plane lies in front of
// camera 1 where most of the points are, which leaves two as a rule. One, with t = 0 and normal =
// 0, when H is a rotation to 1e-9: there is no plane then.
[[nodiscard]] std::vector<PlaneMotion> decompose_homography(const Mat3& H,
                                                            const Intrinsics& camera1,
                                                            const Intrinsics& camera2,
                                                            std::span<const PointPair> points = {});

// Adds what estimate_essential() says beyond estimate(): to `found`, of ModelKind::essential from
// these points, the scene points of its inliers. It is for an estimate of a batch, or of points
// that lie in the memory of a device. threshold, px, is that of the estimate; where it is given, a
// translation is doubted that a focal length up to 15 % off would make of a turn (rotation_only).
// Throws Error(usage) when there are not as many flags as points.
[[nodiscard]] RelativePoseResult with_scene_points(const PoseResult& found,
                                                   std::span<const PointPair> points,
                                                   const Intrinsics& camera1,
                                                   const Intrinsics& camera2, double threshold = 0);

// The options by which estimate_batch() finds of a pair of so many matches what its own call finds:
// the two have other defaults for min_inlier_ratio.
[[nodiscard]] RobustOptions one_pair_options(ModelKind kind, std::size_t matches,
                                             const RobustOptions& options);

// The only pair of a batch as estimate() gives it, RobustResult::not_finite apart.
[[nodiscard]] PoseResult single_result(BatchEstimate batch);

// Scene points in the frame of camera 1, in the unit of t: the point pair is moved by the least
// squared distance until its rays meet (P. Lindstrom, Triangulation made easy, CVPR 2010; least in
// pixels when the focal lengths are equal). NaN for points that are not finite or whose rays meet
// behind a camera, or nowhere.
[[nodiscard]] std::vector<Vec3> triangulate(std::span<const PointPair> points,
                                            const Intrinsics& camera1, const Intrinsics& camera2,
                                            const Pose& cam2_from_cam1);

}  // namespace bifocal
