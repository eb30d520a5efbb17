// SPDX-License-Identifier: BSD-3-Clause
// Robust estimation (RANSAC) of homographies, fundamental and essential matrices and absolute poses
// from correspondences. estimate() takes one pair, estimate_batch() any number of pairs in one
// call; both run on the CPU or any device. The CPU is fastest for one pair, a GPU for many.
//
//   EstimateResult H = estimate(ModelKind::homography, points, {.options = {.threshold = 3}});
//   RelativePoseResult pose = estimate_relative_pose(ModelKind::essential, points,
//                                                    {.cameras = std::array{camera1, camera2}});
//
// A counter-based generator draws the minimal samples, so one seed gives one result for any number
// of threads and pairs. Models are compared by the MSAC score sum_i max(0, 1 - e_i / threshold^2)
// of the squared errors e_i. The best models are refined by Levenberg-Marquardt on the truncated
// error. Sampling ends when a better sample is unlikely, or early if no model is better
// than chance.
//
// The last fit estimates the scale of the noise and weights the errors on that scale. A
// threshold 2.5 times too small or too large therefore costs little accuracy, and outliers of high
// leverage are excluded. docs/robust.md explains the method and has measurements.
//   P. Torr, A. Zisserman, MLESAC, CVIU 78(1), 2000;  O. Chum, J. Matas, J. Kittler, Locally
//   optimized RANSAC, DAGM 2003.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <bifocal/device.hpp>
#include <bifocal/fields.hpp>
#include <bifocal/geometry.hpp>

namespace bifocal {

struct RobustOptions {
  double threshold = 2.0;
  double confidence = 0.999;
  int min_iterations = 100;
  int max_iterations = 300000;
  // Fraction of correct matches that sampling has to be able to find. A pair is given up if none of
  // its models is accepted although this fraction would have produced one. Sampling also ends once
  // the smallest significant set of inliers would have been found. If the inliers found are a
  // smaller fraction, as when a homography fits one plane of many, RANSAC ends after twice the
  // samples needed for min_inlier_ratio.
  //
  // 0 selects a default. One pair: 0.1 (fundamental and shared_focal 0.15, radial_fundamental 0.3)
  // for at least 1000 matches; for fewer matches, the fraction that takes the same time. Batches:
  // 0.2 (radial_fundamental 0.3), multiplied by sqrt(1000 / n), but at most 0.3, for n <
  // 1000 matches.
  double min_inlier_ratio = 0;
  std::uint64_t seed = 0;
  // Handles a dominant plane; applies to fundamental matrices only. If at least half of the inliers
  // of the best matrix lie on a plane of the scene, sampling continues with this plane and two
  // matches off it. The matrix is accepted only if matches off the plane prove it, otherwise the
  // outcome is degenerate_sample.
  //   O. Chum, T. Werner, J. Matas, Two-view geometry estimation unaffected by a dominant plane,
  //   CVPR 2005.
  bool dominant_plane = false;
  // Level of the significance test: a model is accepted (Outcome::ok) if the expected number of
  // equally well supported models among outliers is smaller. Higher levels accept more pairs with
  // few matches, and more wrong models. 0: 0.01, for homography, similarity and affine 0.001.
  double belief = 0;
};
constexpr const char* name_of(const RobustOptions&) { return "RobustOptions"; }
template <MaybeConst<RobustOptions> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [threshold, confidence, min_iterations, max_iterations, min_inlier_ratio, seed,
         dominant_plane, belief] = options;
  BIFOCAL_FIELD(threshold, "largest error of an inlier", Range::above(0).finite(), "px");
  BIFOCAL_FIELD(confidence, "probability of an outlier-free sample at which sampling ends",
                Range::above(0).below(1));
  BIFOCAL_FIELD(min_iterations, "minimum number of samples (at most max_iterations)",
                Range::at_least(1));
  BIFOCAL_FIELD(max_iterations, "maximum number of samples", Range::at_least(1));
  BIFOCAL_FIELD(min_inlier_ratio,
                "fraction of correct matches that sampling must be able to find; 0: 0.1 for one "
                "pair (fundamental, shared_focal 0.15, radial_fundamental 0.3), 0.2 in batches",
                Range::within(0, 1));
  BIFOCAL_FIELD(seed, "seed of the sampling; equal seeds give equal results");
  BIFOCAL_FIELD(dominant_plane,
                "fundamental matrix: if most matches lie on a plane, search for matches off the "
                "plane, and reject the model unless they prove it");
  BIFOCAL_FIELD(belief,
                "level of significance: a model is accepted if the expected number of equally good "
                "models among outliers is smaller; a higher level accepts more models with few "
                "matches, correct and wrong; 0: 0.01, for homography, similarity and affine 0.001",
                Range::at_least(0).finite());
}

// Prior knowledge about the matches: one number for each match, or an empty span.
struct MatchPriors {
  // Weights, finite and >= 0, in any unit. The probability of being drawn, the score and the
  // influence on fits are proportional to the weight, in steps of 2^-24 of the largest; weight 2
  // counts like a match given twice. A match of weight 0 influences neither the model nor its
  // significance, but gets its inlier flag. Equal weights have no effect.
  std::span<const double> weights = {};
  // Qualities, where a higher number means that the match is more likely correct, such as the
  // negative ratio of descriptor distances. They are compared as floats; NaN is the lowest. Every
  // second sample is drawn from the best matches, a set that grows with time. Informative qualities
  // reduce the number of samples; uninformative qualities at most double it.
  //   O. Chum, J. Matas, Matching with PROSAC, CVPR 2005.
  std::span<const double> qualities = {};
};

// Problems of robust estimation. problems.def lists them; src/robust/problems has one file
// for each.
enum class ModelKind {
#define BIFOCAL_PROBLEM(name, ...) name,
#include <bifocal/problems.def>
#undef BIFOCAL_PROBLEM
};
inline constexpr ModelKind kModelKinds[] = {
#define BIFOCAL_PROBLEM(name, ...) ModelKind::name,
#include <bifocal/problems.def>
#undef BIFOCAL_PROBLEM
};
inline constexpr std::string_view kModelKindWords[] = {
#define BIFOCAL_PROBLEM(name, ...) #name,
#include <bifocal/problems.def>
#undef BIFOCAL_PROBLEM
};
[[nodiscard]] std::string_view to_string(ModelKind kind);

// Properties of a problem.
struct ProblemInfo {
  std::string_view symbol;  // symbol of the result's matrix: H, F, E, R
  int sample_size = 0;      // number of matches in a minimal sample
  int degrees_of_freedom = 0;
  int cameras = 0;  // number of known cameras required: 0, 1 (for scene points, or shared by both
                    // images) or 2
  bool is_two_view = true;    // takes PointPairs or DepthPairs, otherwise ScenePoints
  bool takes_depths = false;  // takes DepthPairs
  bool has_pose = false;
  bool estimates_focal_length = false;  // sets Estimate::focal_length; the cameras have none
  bool estimates_distortion = false;    // sets Estimate::distortion
  bool triangulates = false;            // Python: the Estimate has scene points of the inliers
  bool is_built = true;                 // false: this build lacks the minimal solver
};
[[nodiscard]] ProblemInfo problem_info(ModelKind kind);

// Result of robust estimation, or the reason why it found no model.
enum class Outcome {
  ok,
  too_few_points,     // fewer correspondences that are finite and have a weight above 0 than the
                      // minimal sample
  no_model,           // no model scored better than outliers do by chance
  not_significant,    // the best model has no more inliers than chance may give (see estimate());
                      // model and inliers are returned all the same
  degenerate_sample,  // no sample had a model (all points equal, behind a camera, ...), or the
                      // inliers lie, within the noise, on a line in one of the images; with
                      // RobustOptions::dominant_plane also on a plane
  rotation_only,  // relative poses: a rotation without translation (or a camera at rest) explains
                  // the matches equally well; returns that rotation with its inliers, t = 0 and
                  // no E
};
[[nodiscard]] std::string_view to_string(Outcome outcome);

// Result of robust estimation for one pair, for any problem.
struct Estimate {
  Outcome outcome = Outcome::no_model;
  // H, F (px) or E (normalised points) with |model| = 1, or the rotation of an absolute pose. Zero
  // unless the outcome is ok or not_significant.
  Mat3 model{};
  // Pose, for problems with ProblemInfo::has_pose: cam2_from_cam1 with |t| = 1 (rotation_only: t =
  // 0), or cam_from_world in world units.
  Pose pose;
  // Estimated fx in px, with the given ratio fx / fy, and its standard deviation; 0 for problems
  // that do not estimate it. The deviation includes independent noise only, not errors of the given
  // principal point. It is infinite if the matches do not determine f, or if f comes from
  // a rotation.
  double focal_length = 0, focal_deviation = 0;
  // Coefficient k of the division model and its standard deviation, from radial_fundamental;
  // otherwise 0.
  double distortion = 0, distortion_deviation = 0;
  int num_inliers = 0;
  int iterations = 0;  // number of minimal samples drawn
  double score = 0;    // MSAC score, <= num_inliers (weights are scaled to a maximum of 1)
  double rms = 0;      // px, root mean square error of the inliers
  // Px, estimated standard deviation of the coordinates of correct matches: at most 1.5 thresholds;
  // about 0.4 thresholds if no more residuals than parameters are left to estimate it from.
  double noise = 0;
  double significance = 0;  // log10 of the expected number of such models among outliers

  [[nodiscard]] bool ok() const { return outcome == Outcome::ok; }
  // Whether the matches determine f. If not, the pose is unreliable too.
  [[nodiscard]] bool focal_is_known() const {
    return focal_length > 0 && focal_deviation < 0.25 * focal_length;
  }
};
struct EstimateResult : Estimate {
  std::vector<std::uint8_t> inliers = {};  // 1 or 0 for each correspondence
  // Indices of correspondences with NaN or infinity, which are excluded.
  std::vector<int> not_finite = {};
};

struct EstimateInput {
  // Pinhole cameras; their number is ProblemInfo::cameras. Points are undistorted.
  std::span<const Intrinsics> cameras = {};
  RobustOptions options = {};
  MatchPriors priors = {};
};

// Estimates a model from the correspondences of one pair, on the device of the queue. All functions
// of this file without a queue compute on the CPU.
//
// The outcome is ok if the expected number of equally well supported models among outliers is below
// RobustOptions::belief (an a contrario test). The expectation takes account of the number of
// samples drawn, at most those in which the smallest significant inlier set would be found. The
// sample itself is no evidence, so 4, 7 or 5 points alone give no model. Matches that share a
// point, or lie close together in both images, count once; matches that do not move and lie at the
// image border do not count. docs/robust.md gives the reasons, and the measured rates at which
// pairs without geometry are accepted.
//
// The error of a match in two views is its Sampson distance in px: how far, to first order, (x1,
// y1, x2, y2) must move to fit the model. For H between images of equal scale this is the transfer
// error |x2 - H x1| / sqrt(2). The error of a scene point is its reprojection error in px.
//
// Throws Error(usage) if an option is out of range, if the problem does not take these points or
// cameras, and for an invalid weight (with its index and value). Degenerate input is not thrown but
// reported as an Outcome.
[[nodiscard]] EstimateResult estimate(Queue& queue, ModelKind kind,
                                      std::span<const PointPair> points,
                                      const EstimateInput& input = {});
[[nodiscard]] EstimateResult estimate(Queue& queue, ModelKind kind,
                                      std::span<const ScenePoint> points,
                                      const EstimateInput& input = {});
[[nodiscard]] EstimateResult estimate(Queue& queue, ModelKind kind,
                                      std::span<const DepthPair> points,
                                      const EstimateInput& input = {});
[[nodiscard]] EstimateResult estimate(ModelKind kind, std::span<const PointPair> points,
                                      const EstimateInput& input = {});
[[nodiscard]] EstimateResult estimate(ModelKind kind, std::span<const ScenePoint> points,
                                      const EstimateInput& input = {});
[[nodiscard]] EstimateResult estimate(ModelKind kind, std::span<const DepthPair> points,
                                      const EstimateInput& input = {});

// Named forms of estimate() for frequent problems. RobustOptions::threshold is the largest error of
// an inlier, px.
[[nodiscard]] inline EstimateResult estimate_homography(std::span<const PointPair> points,
                                                        const RobustOptions& options = {}) {
  return estimate(ModelKind::homography, points, {.options = options});
}
[[nodiscard]] inline EstimateResult estimate_fundamental(std::span<const PointPair> points,
                                                         const RobustOptions& options = {}) {
  return estimate(ModelKind::fundamental, points, {.options = options});
}
// Estimates the pose of a camera from points of the scene: d (x, y, 1) = K (R X + t).
[[nodiscard]] inline EstimateResult estimate_absolute_pose(std::span<const ScenePoint> points,
                                                           const Intrinsics& camera,
                                                           const RobustOptions& options = {}) {
  return estimate(ModelKind::absolute_pose, points, {.cameras = {&camera, 1}, .options = options});
}

// Problems that estimate an unknown of the camera:
//
// shared_focal: F and the unknown focal length f of two images from one camera, or from two equal
// cameras, with a known principal point. Only the ratio of the given focal lengths matters (1, 1
// for square pixels). Six matches per sample:
//   Z. Kukelova, J. Kileel, B. Sturmfels, T. Pajdla, A clever elimination strategy for efficient
//   minimal solvers, CVPR 2017.
// Two views do not determine f if their optical axes are parallel (a camera that moved without
// rotating, or rotated about its axis only) or meet at equal distances from both cameras (P. Sturm,
// On focal length calibration from two views, CVPR 2001), or if all matches lie on one plane. Near
// these cases f is inaccurate. focal_deviation reports it; F and the inliers remain correct.
//
// monodepth_shared_focal: shared_focal for matches with monocular depth predictions from a network.
// Three matches per sample:
//   Y. Ding, V. Kocur, V. Vavra, Z. B. Haladova, J. Yang, T. Sattler, Z. Kukelova, RePoseD:
//   Efficient relative pose estimation with known depth information, ICCV 2025.
// Depths are scene depths times a factor for each image, in the second image plus a constant;
// errors of some per cent do not matter. Depths are used only to solve samples: errors, inliers,
// the fit and focal_deviation are the same as for shared_focal. A match whose depth is not finite
// or not above 0 (sky, a hole) is treated like a match of weight 0: it does not influence the
// model, but gets its inlier flag.
//
// radial_fundamental: F and the distortion k of two images from one uncalibrated lens, in the
// division model
//   x_ideal = x / (1 + k |x|^2), x = ((px - cx) / fx, (py - cy) / fy).
// Nine matches per sample:
//   A. W. Fitzgibbon, Simultaneous linear estimation of multiple view geometry and lens distortion,
//   CVPR 2001.
// The camera's (cx, cy) is the centre of distortion, usually the image centre; (fx, fy) is the unit
// of k in px. In units of half the diagonal k = -0.3 is typical of a wide angle. Barrel distortion
// has k < 0. F is for undistorted points; errors (threshold, rms, noise) are measured between the
// given, distorted points. A point with 1 + k |x|^2 <= 0 is an outlier.
//
// camera_pose_focal: absolute_pose for a camera with unknown focal length, known principal point
// and square pixels (or a known ratio fx / fy). Four points per sample:
//   C. Wu, P3.5P: pose estimation with unknown focal length, CVPR 2015.
// Points on a plane parallel to the image do not determine f; focal_deviation reports it.

// A relative pose with the scene points of its inliers.
struct RelativePoseResult : EstimateResult {
  int in_front = 0;  // number of inliers in front of both cameras; rotation_only: 0
  std::vector<Vec3> triangulated = {};  // for each correspondence, in the frame of camera 1, in
                                        // units of |t|; NaN for outliers and points behind a camera
  double median_parallax_deg = 0;       // median angle between the two rays of an inlier
};
// Estimates a relative pose and the scene points of its inliers. Calls estimate() for a two-view
// problem that has a pose. For essential, also reports rotation_only if focal lengths up to 15 %
// off would turn a pure rotation into the estimated translation. Throws like estimate(), and
// Error(usage) for problems of other kinds.
[[nodiscard]] RelativePoseResult estimate_relative_pose(Queue& queue, ModelKind kind,
                                                        std::span<const PointPair> points,
                                                        const EstimateInput& input = {});
[[nodiscard]] RelativePoseResult estimate_relative_pose(Queue& queue, ModelKind kind,
                                                        std::span<const DepthPair> points,
                                                        const EstimateInput& input = {});
[[nodiscard]] RelativePoseResult estimate_relative_pose(ModelKind kind,
                                                        std::span<const PointPair> points,
                                                        const EstimateInput& input = {});
[[nodiscard]] RelativePoseResult estimate_relative_pose(ModelKind kind,
                                                        std::span<const DepthPair> points,
                                                        const EstimateInput& input = {});

// Returns K2^-T E K1^-1, the fundamental matrix F with x2' F x1 = 0 in px.
[[nodiscard]] Mat3 fundamental_from_essential(const Mat3& E, const Intrinsics& camera1,
                                              const Intrinsics& camera2);
// Returns K2' F K1. It is an essential matrix as far as the intrinsics fit F.
[[nodiscard]] Mat3 essential_from_fundamental(const Mat3& F, const Intrinsics& camera1,
                                              const Intrinsics& camera2);

// Input of estimate_batch(): many pairs for one call.
struct BatchInput {
  std::span<const std::int64_t> offsets;  // pair k has the points [offsets[k], offsets[k + 1])
  // Cameras of the pairs: one for all pairs, or one for each. Only cameras1 is used if the problem
  // takes one camera.
  std::span<const Intrinsics> cameras1 = {}, cameras2 = {};
  // Weights and qualities as in MatchPriors, one for each point or null, each in host or device
  // memory. In device memory, weights that are not finite and above 0 count as 0.
  Memory<const double> weights = {}, qualities = {};
  RobustOptions options = {};
};
struct BatchEstimate {
  std::vector<Estimate> pairs;
  std::vector<std::uint8_t> inliers;  // 1 or 0 for each point, from offsets.front() on
};
// Estimates a model for each pair, on any device. Each result equals the result of estimate() with
// the same min_inlier_ratio, independently of the rest of the batch: bit for bit on a CPU, from the
// same samples on other devices.
//
// points: points of all pairs, in host or device memory. Returns when all results are available.
// Throws Error(usage) with the first invalid argument, and Error(device).
[[nodiscard]] BatchEstimate estimate_batch(Queue& queue, ModelKind kind,
                                           const Memory<const PointPair>& points,
                                           const BatchInput& input);
[[nodiscard]] BatchEstimate estimate_batch(Queue& queue, ModelKind kind,
                                           const Memory<const ScenePoint>& points,
                                           const BatchInput& input);
[[nodiscard]] BatchEstimate estimate_batch(Queue& queue, ModelKind kind,
                                           const Memory<const DepthPair>& points,
                                           const BatchInput& input);

// Choice between a homography and an epipolar model.
struct ModelChoice {
  ModelKind kind = ModelKind::fundamental;
  std::string_view rule;  // "planar", "rotation", "same_image", "general", "no_model",
                          // "no_homography", "no_epipolar_model"
  std::string reason;
};
// Chooses the model that explains the pair: the homography (a plane, or a camera that only rotated)
// unless enough matches off it prove depth.
//
// homography, epipolar: estimates at the given threshold, in px. cameras: for models on rays.
// Matches off the homography prove depth if their errors from it point along their epipolar lines;
// the errors of outliers and inaccurate matches point in any direction. They must pass the same
// significance test as inliers and be at least 3 % of the epipolar inliers. All errors are
// symmetric in the images, so the order of the images does not matter. `reason` explains the choice
// in words, with these numbers.
[[nodiscard]] ModelChoice choose_model(std::span<const PointPair> points,
                                       const EstimateResult& homography,
                                       const EstimateResult& epipolar, ModelKind epipolar_kind,
                                       double threshold, std::span<const Intrinsics> cameras = {});

}  // namespace bifocal
