// SPDX-License-Identifier: BSD-3-Clause
// Single steps of two-view geometry for existing models: errors, least-squares refinement from a
// start, the poses in an essential matrix, the motions in a homography, and triangulation. All run
// on the calling thread in double precision.
//
// Points are in px, cameras are pinholes. Functions treat a model of monodepth_shared_focal like
// one of shared_focal, because they need no depths. They throw Error(usage) with the name of the
// argument for a matrix that is zero or not finite, an R that is no rotation (geometry.hpp), an
// invalid camera, and numbers of points, flags and cameras that do not match.
#pragma once

#include <bifocal/geometry.hpp>
#include <bifocal/robust.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace bifocal {

// Returns the errors that robust estimation uses: the Sampson distance (robust.hpp) of each point
// from a two-view model, in px; NaN for points that are not finite.
//
// model: any scale. cameras: their number is ProblemInfo::cameras of the kind; with cameras the
// model is E for normalised points.
[[nodiscard]] std::vector<double> residuals(ModelKind kind, const Mat3& model,
                                            std::span<const PointPair> points,
                                            std::span<const Intrinsics> cameras = {});
// Returns the reprojection error of each scene point, in px; NaN for points that are not finite or
// lie behind the camera.
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
  BIFOCAL_FIELD(threshold, "larger errors are truncated to this value (MSAC); 0: no truncation",
                Range::at_least(0), "px");
  BIFOCAL_FIELD(max_steps, "largest number of Levenberg-Marquardt steps; fewer on convergence");
}
struct Refined {
  Mat3 model{};    // like Estimate::model, |model| = 1; of an absolute pose its rotation
  Pose pose;       // absolute pose: cam_from_world (for relative poses call recover_pose)
  int count = 0;   // points in the fit: finite, flagged, and below the threshold at the end
  double rms = 0;  // px, root mean square of their errors
  int steps = 0;   // number of steps taken
  // Px, fx of shared_focal, NaN if the model has none; 0 for all other kinds.
  double focal_length = 0;
};

// Refines a model by non-linear least squares on the points whose flag is not 0 (without flags: all
// points). Finds the local minimum near `start` in the smallest number of parameters, so that F
// keeps rank 2 and E equal singular values. Affine maps and similarities may start at any
// homography; the nearest map of their kind at the mean of the points takes its place.
//   D. Marquardt, SIAM J. Appl. Math. 11(2), 1963; A. Bartoli, P. Sturm, PAMI 26(3), 2004.
// If the points do not determine all parameters, or are fewer than the parameters, only the
// determined parameters are improved. Returns the start with count = 0 without a point for the fit.
[[nodiscard]] Refined refine(ModelKind kind, const Mat3& start, std::span<const PointPair> points,
                             std::span<const Intrinsics> cameras = {},
                             std::span<const std::uint8_t> inliers = {},
                             const RefineOptions& options = {});
// Refines an absolute pose by non-linear least squares on the points whose flag is not 0 (without
// flags: all points).
[[nodiscard]] Refined refine(const Pose& start, std::span<const ScenePoint> points,
                             const Intrinsics& camera, std::span<const std::uint8_t> inliers = {},
                             const RefineOptions& options = {});

// The factors of U diag(1, 1, 0) V', the essential matrix nearest to E = U diag(S) V' of rank 2 or
// 3 (else an error). Its poses are (R[0], t), (R[0], -t), (R[1], t), (R[1], -t); E ~ [t]x R[0].
//   R. Hartley, A. Zisserman, Multiple View Geometry in Computer Vision, 2nd ed., 2003, 9.6.2.
struct EssentialPoses {
  Mat3 R[2];
  Vec3 t;  // |t| = 1
};
[[nodiscard]] EssentialPoses decompose_essential(const Mat3& E);

// A relative pose from an essential matrix.
struct RecoveredPose {
  Pose cam2_from_cam1;  // |t| = 1
  int in_front = 0;     // number of points in front of both cameras
  std::vector<std::uint8_t>
      are_there;  // 1 for each point in front of both cameras, else 0; 0 if the point's flag is 0
};
// Returns the pose among the four of E for which most points lie in front of both cameras.
[[nodiscard]] RecoveredPose recover_pose(const Mat3& E, std::span<const PointPair> points,
                                         const Intrinsics& camera1, const Intrinsics& camera2,
                                         std::span<const std::uint8_t> inliers = {});

// A motion relative to the plane normal' X = 1 in the frame of camera 1: H ~ K2 (R + t normal')
// K1^-1. With |normal| = 1 the unit of t is the distance of the plane from camera 1.
struct PlaneMotion {
  Pose cam2_from_cam1;
  Vec3 normal{};
};
// Decomposes a homography (px) into the motions that cause it, by its singular values.
//   Y. Ma, S. Soatto, J. Kosecka, S. Sastry, An Invitation to 3-D Vision, 5.3.3.
// Returns four motions: (R, t, n) and (R, -t, -n) for each of two solutions. With points, returns
// only the motions whose plane lies in front of camera 1 for most of the points, usually two. If H
// is a rotation to 1e-9 the plane is undetermined: returns one motion with t = 0 and normal = 0.
[[nodiscard]] std::vector<PlaneMotion> decompose_homography(const Mat3& H,
                                                            const Intrinsics& camera1,
                                                            const Intrinsics& camera2,
                                                            std::span<const PointPair> points = {});

// Adds the scene points of the inliers to an existing estimate, as estimate_relative_pose() does;
// for estimates from a batch or from points in device memory.
//
// found: the estimate for these points and cameras, of a problem that has a pose. threshold: the
// estimate's threshold in px; if it is above 0, the translation of an essential matrix is tested
// for doubt as in estimate_relative_pose(). Throws Error(usage) unless the number of flags equals
// the number of points and the number of cameras fits the problem.
[[nodiscard]] RelativePoseResult with_scene_points(ModelKind kind, EstimateResult found,
                                                   std::span<const PointPair> points,
                                                   std::span<const Intrinsics> cameras,
                                                   double threshold = 0);

// Returns options with which estimate_batch() gives the same result for a pair as estimate() gives
// for that pair alone; the two functions have different defaults for min_inlier_ratio. matches:
// number of matches of the pair.
[[nodiscard]] RobustOptions one_pair_options(ModelKind kind, std::size_t matches,
                                             const RobustOptions& options);

// Returns the only pair of a batch as an EstimateResult; its list not_finite stays empty.
[[nodiscard]] EstimateResult single_result(BatchEstimate batch);

// Triangulates scene points in the frame of camera 1, in the unit of t. Moves each point pair by
// the least squared distance until its rays meet; the distance is measured in pixels if the focal
// lengths are equal (P. Lindstrom, Triangulation made easy, CVPR 2010). NaN for points that are not
// finite, and for rays that meet behind a camera or do not meet.
[[nodiscard]] std::vector<Vec3> triangulate(std::span<const PointPair> points,
                                            const Intrinsics& camera1, const Intrinsics& camera2,
                                            const Pose& cam2_from_cam1);

// Uncertainty of a fitted model, to first order, from the noise of the points in the fit.
//   R. Hartley, A. Zisserman, Multiple View Geometry in Computer Vision, 2nd ed., 2003, 5.2.

// The covariance of a least-squares model of refine() (two_view.hpp), with which estimators end,
// too. Let c(x, p) = 0 be the constraints between a point x and a model p, A = dc/dx, B = dc/dp,
// and s the standard deviation of independent noise in each coordinate. The covariance in a chart
// of the model's d parameters is
//   s^2 (sum B' (A A')^-1 B)^-1,
// mapped to the numbers below by the Jacobian of the chart. Matrices of 9 or 6 numbers therefore
// have rank d: their null space contains the changes that do not alter the model (scale, rank and
// singular values, the length of t). The result is valid if the model is linear over the noise and
// all points are inliers. A threshold that cuts off errors makes `noise` too small; a threshold
// that accepts outliers makes it too large.
//
// Only independent noise is included. Errors that neighbouring points have in common increase the
// variances by `correlation`. Errors of the cameras are not included
// (PoseDeviation, two_photographs.hpp).
struct ModelCovariance {
  // False if the points leave parameters open or are too few to estimate the noise.
  bool ok = false;
  int parameters = 0;  // d: 8 for H, 7 for F, 5 for E, 3 for an upright E, 4, 6, 6 for a pose, and
                       // 6 for F with a shared focal length
  // Px, s: the given value, or sqrt(sum of squared errors / (points codimension - d)).
  double noise = 0;
  // Row-major [9][9], for the row-major numbers of the model scaled to |model| = 1. For a relative
  // pose the model is its E; for an absolute pose all are 0.
  std::array<double, 81> model{};
  // Row-major [6][6], for (w, t) of a pose: R changes to exp([w]x) R to first order, with w in
  // radians (X2 is rotated about the axis w); t is not scaled. Zeros for models without a pose.
  std::array<double, 36> pose{};
  // px^2, variance to first order of the focal length fx that both images share. It does not show
  // that matches on one plane leave f open; focal_deviation does.
  double focal_variance = 0;
  // Factor, at least 1, by which variances grow because errors of neighbouring points are
  // correlated or the model does not fit everywhere. Mean over the parameters of (variance of the
  // sums of gradients in 8 x 8 cells of image 1) / (variance with independent noise).
  //   K.-Y. Liang, S. L. Zeger, Longitudinal data analysis using generalized linear models,
  //   Biometrika 73(1), 1986.
  double correlation = 1;
};

// Returns the covariance of a two-view model.
//
// cameras: as the kind takes them. inliers: points with flag 0 are left out, as are points that are
// not finite; empty: all points. noise: standard deviation of each coordinate in px; 0: estimated
// from the errors. Throws Error(usage) for an invalid model, camera, number of flags or a negative
// noise, and for an upright E that is not [t]x R with R a rotation about y.
[[nodiscard]] ModelCovariance covariance(ModelKind kind, const Mat3& model,
                                         std::span<const PointPair> points,
                                         std::span<const Intrinsics> cameras = {},
                                         std::span<const std::uint8_t> inliers = {},
                                         double noise = 0);
// Returns the covariance of a relative pose with |t| = 1, and of its essential matrix.
[[nodiscard]] ModelCovariance covariance(const Pose& cam2_from_cam1,
                                         std::span<const PointPair> points,
                                         const Intrinsics& camera1, const Intrinsics& camera2,
                                         std::span<const std::uint8_t> inliers = {},
                                         double noise = 0);
// Returns the covariance of an absolute pose. Leaves out points behind the camera.
[[nodiscard]] ModelCovariance covariance(const Pose& cam_from_world,
                                         std::span<const ScenePoint> points,
                                         const Intrinsics& camera,
                                         std::span<const std::uint8_t> inliers = {},
                                         double noise = 0);

// Returns a reason to doubt a pose: clearly more matches are inliers of a pose estimated with the
// second image mirrored, as a selfie or a scan may be. Empty without such a reason, and for models
// without cameras, which fit mirrored matches equally well.
//
// found: the result of estimate() for the same points and input. Estimates again unless nearly all
// matches are inliers.
[[nodiscard]] std::string mirror_doubt(Queue& queue, ModelKind kind,
                                       std::span<const PointPair> points,
                                       const EstimateInput& input, const EstimateResult& found);

// Result of a test of an epipolar model (F, E and relative poses) against a structured alternative.
// The significance test of estimate() assumes uniformly distributed outliers, but similar windows,
// columns or tiles give outliers that support each other. The rival is the best model of the
// outliers. Without repetition it has few inliers beyond its own sample; with repetition nearly the
// number of the model.
//   C. Zach, A. Irschara, H. Bischof, What can missing correspondences tell us about 3D structure
//   and motion?, CVPR 2008.
//   N. Jiang, P. Tan, L.-F. Cheong, Seeing double without confusion: structure-from-motion in
//   highly ambiguous scenes, CVPR 2012.
struct Repetition {
  bool is_doubted = false;
  std::string reason;     // reason of the doubt, with numbers; empty without doubt
  int rival_inliers = 0;  // 0: no rival, or too few outliers
  // Inliers of the rival divided by inliers of the model, both minus a minimal sample.
  double rival_ratio = 0;
  // Measured on images by estimate_pair(); 0 from other functions.
  double twin_distance = 0;  // median descriptor distance of the inliers' features to the most
                             // similar feature elsewhere in their own image
  double unique_ratio = 1;  // share of the inliers that are clearly more similar than that feature;
                            // doubted if it is smaller than expected for views with so many matches
  double evidence = 0;  // support of the model by unique inliers against structured outliers; below
                        // 0.5 (plus log10 of the tries of PairOptions::escalate) it is doubted
};

// Tests an epipolar model by the matches alone: it is doubted if rival_ratio exceeds 0.3.
//
// found: the result of estimate() for the same points and input. Models that are not ok, and models
// of other problems, are not doubted. Homographies have no test, because a scene with two planes
// has two correct homographies. Samples the outliers, on the queue, by default on the CPU. A model
// of few inliers may take longer to test than to estimate. Throws like estimate().
[[nodiscard]] Repetition find_repetition(Queue& queue, ModelKind kind,
                                         std::span<const PointPair> points,
                                         const EstimateResult& found,
                                         const EstimateInput& input = {});
[[nodiscard]] Repetition find_repetition(ModelKind kind, std::span<const PointPair> points,
                                         const EstimateResult& found,
                                         const EstimateInput& input = {});

// Tests the epipolar models of a batch as find_repetition() does. Returns one result per pair, on a
// CPU the same as for the pair alone.
//
// points, input: arguments of estimate_batch(), in host memory. found: its result. The outliers of
// pairs whose tests need similar numbers of samples are estimated in one batch on the queue.
// Throws Error(usage) if the sizes do not fit or the problem takes other points, and
// Error(device).
[[nodiscard]] std::vector<Repetition> find_repetition_batch(Queue& queue, ModelKind kind,
                                                            const Memory<const PointPair>& points,
                                                            const BatchInput& input,
                                                            const BatchEstimate& found);

}  // namespace bifocal
