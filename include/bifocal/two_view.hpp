// SPDX-License-Identifier: BSD-3-Clause
// The pieces of two-view geometry by themselves, for who has a model already: errors, a
// least-squares fit from a start, the pose in an essential matrix, the motions in a homography,
// scene points. All on the calling thread, in double.
//
// Points are px, cameras pinholes. A model of monodepth_shared_focal is one of shared_focal here:
// its depths are not asked for. Functions throw Error(usage) naming a matrix that is zero or not
// finite, a camera that is none, and numbers of points, flags and cameras that do not fit.
#pragma once

#include <bifocal/geometry.hpp>
#include <bifocal/robust.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

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
  Mat3 model{};             // as Estimate::model, |model| = 1; of an absolute pose its rotation
  Pose pose;                // of an absolute pose: cam_from_world. (Relative poses: recover_pose)
  int count = 0;            // points fitted to: finite, flagged, and below the threshold at the end
  double rms = 0;           // px, of their errors
  int steps = 0;            // taken
  double focal_length = 0;  // px, fx of shared_focal; NaN if the model has none; else 0
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

// Adds what estimate_relative_pose() says beyond estimate(): to `found`, of a problem with a pose,
// from these points and cameras, the scene points of its inliers. It is for an estimate of a batch,
// or of points that lie in the memory of a device. threshold, px, is that of the estimate; where it
// is given, the translation of an essential matrix is doubted as there. Throws Error(usage) when
// there are not as many flags as points, or cameras as the problem takes.
[[nodiscard]] RelativePoseResult with_scene_points(ModelKind kind, EstimateResult found,
                                                   std::span<const PointPair> points,
                                                   std::span<const Intrinsics> cameras,
                                                   double threshold = 0);

// The options by which estimate_batch() finds of a pair of so many matches what its own call finds:
// the two have other defaults for min_inlier_ratio.
[[nodiscard]] RobustOptions one_pair_options(ModelKind kind, std::size_t matches,
                                             const RobustOptions& options);

// The only pair of a batch as estimate() gives it, EstimateResult::not_finite apart.
[[nodiscard]] EstimateResult single_result(BatchEstimate batch);

// Scene points in the frame of camera 1, in the unit of t: the point pair is moved by the least
// squared distance until its rays meet (P. Lindstrom, Triangulation made easy, CVPR 2010; least in
// pixels when the focal lengths are equal). NaN for points that are not finite or whose rays meet
// behind a camera, or nowhere.
[[nodiscard]] std::vector<Vec3> triangulate(std::span<const PointPair> points,
                                            const Intrinsics& camera1, const Intrinsics& camera2,
                                            const Pose& cam2_from_cam1);

// A fitted model can be trusted as far as its covariance says, to first order, from the noise of
// the points that it was fitted to.
//   R. Hartley, A. Zisserman, Multiple View Geometry in Computer Vision, 2nd ed., 2003, 5.2.

// The covariance holds at the least-squares model of refine() (two_view.hpp), which estimators end
// with, too. With the constraints c(x, p) = 0 of a point x and a model p, A = dc/dx, B = dc/dp, and
// coordinates of independent noise s, it is in a chart of the model's d parameters is
//   s^2 (sum B' (A A')^-1 B)^-1,
// mapped to the numbers below by the chart's Jacobian. So matrices of 9 or 6 numbers have the rank
// d: none along what does not change the model (its scale, rank and singular values, the length of
// t). It holds where the model is linear over the noise and the points are all inliers: a threshold
// that cuts errors off makes `noise` too small, one that lets wrong ones in too large.
//
// Only independent noise is contained. Errors that neighbours have in common increase the variances
// by `correlation`. Errors of the cameras are not contained (PoseDeviation, two_photographs.hpp).
struct ModelCovariance {
  bool ok = false;     // else the points leave parameters open, or are too few to tell the noise
  int parameters = 0;  // d: 8 of H, 7 of F, 5 of E, 3 of an upright E, 4, 6, 6 of a pose, and 6 of
                       // an F with the focal length that both pictures share
  double noise = 0;    // px, s: as given, or sqrt(sum of squared errors / (points codimension - d))
  // Row-major [9][9], of the row-major numbers of the model scaled to |model| = 1 (of a pose: zeros
  // but for relative ones, whose model is E).
  std::array<double, 81> model{};
  // Row-major [6][6], of (w, t) of a pose: R is exp([w]x) R to first order, w in radians (X2
  // rotated about the axis w), t as it is. Zeros for models that are no pose.
  std::array<double, 36> pose{};
  // px^2, of the focal length fx that both pictures share, to first order: where matches on one
  // plane leave it open, which focal_deviation says, this does not show it.
  double focal_variance = 0;
  // Factor, at least 1, by which the variances grow because errors of neighbouring points are alike
  // or the model does not fit everywhere: the mean over the parameters of (variance of the sums of
  // gradients in 8 x 8 cells of image 1) / (variance with independent noise).
  //   K.-Y. Liang, S. L. Zeger, Longitudinal data analysis using generalized linear models,
  //   Biometrika 73(1), 1986.
  double correlation = 1;
};

// Returns the covariance of a model of two views, with cameras as its kind takes them. Points whose
// flag is 0, or that are not finite, are left out (no flags: all). noise: px, the standard
// deviation of every coordinate; 0: estimated. Throws Error(usage) naming a model that is none, a
// camera, a number of flags, and a noise below 0; for an upright E that is not [t]x R of a rotation
// about y.
[[nodiscard]] ModelCovariance covariance(ModelKind kind, const Mat3& model,
                                         std::span<const PointPair> points,
                                         std::span<const Intrinsics> cameras = {},
                                         std::span<const std::uint8_t> inliers = {},
                                         double noise = 0);
// Returns that of a relative pose, |t| = 1, and of its essential matrix.
[[nodiscard]] ModelCovariance covariance(const Pose& cam2_from_cam1,
                                         std::span<const PointPair> points,
                                         const Intrinsics& camera1, const Intrinsics& camera2,
                                         std::span<const std::uint8_t> inliers = {},
                                         double noise = 0);
// Returns that of an absolute pose. Points behind the camera are left out.
[[nodiscard]] ModelCovariance covariance(const Pose& cam_from_world,
                                         std::span<const ScenePoint> points,
                                         const Intrinsics& camera,
                                         std::span<const std::uint8_t> inliers = {},
                                         double noise = 0);

// Returns a reason to doubt a pose, in words: clearly more matches agree with one once the second
// image is mirrored, as a selfie or a scan may be. Empty without one, and for models without
// cameras, which fit mirrored matches as well. Estimates again unless nearly all matches are
// inliers; `found` is what estimate() gave for the same points and input.
[[nodiscard]] std::string mirror_doubt(ModelKind kind, std::span<const PointPair> points,
                                       const EstimateInput& input, const EstimateResult& found);

}  // namespace bifocal
