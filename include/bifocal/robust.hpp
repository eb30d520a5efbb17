// SPDX-License-Identifier: BSD-3-Clause
// Robust estimation of a homography, a fundamental or an essential matrix, or an absolute pose:
// from one pair's correspondences (estimate) or from those of any number of pairs in one call
// (estimate_batch), on the CPU or any device. One pair is fastest on the CPU, many are on a GPU.
//
//   EstimateResult H = estimate(ModelKind::homography, points, {.options = {.threshold = 3}});
//   RelativePoseResult pose = estimate_relative_pose(ModelKind::essential, points,
//                                                    {.cameras = std::array{camera1, camera2}});
//
// Minimal samples are drawn by a counter-based generator, so one seed gives one result whatever the
// number of threads and pairs; models are compared by the MSAC score sum_i max(0, 1 - e_i /
// threshold^2) of the squared error; the best are refined by Levenberg-Marquardt on the truncated
// error; sampling stops when a better sample is unlikely, or early when nothing tells of geometry.
// The last fit estimates the noise and weighs on its scale, so that a threshold set 2.5 times too
// tight or too loose costs little, and leaves outliers of high leverage out. docs/robust.md
// explains and measures it.
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
  // Fraction of correct matches that is worth looking for: a pair none of whose models is
  // believable is given up when that many would have shown. Sampling goes no further than where the
  // fewest inliers that are significant would be found. A smaller share that is found, as a
  // homography finds one plane of many, ends RANSAC after twice the samples that the fraction
  // takes. 0, of one pair: 0.1 (F and shared_focal: 0.15, radial_fundamental 0.3) of 1000 matches
  // and more, and of fewer what takes as long. 0, in batches: 0.2 (radial_fundamental 0.3), and of
  // n < 1000 matches sqrt(1000 / n) times as much, at most 0.3.
  double min_inlier_ratio = 0;
  std::uint64_t seed = 0;
  // Fundamental matrices (nothing else is changed): when at least half of the inliers of the best
  // one lie on a plane of the scene, look for a better one through this plane and two matches off
  // it, and believe only one that matches off the plane prove (else: degenerate_sample).
  //   O. Chum, T. Werner, J. Matas, Two-view geometry estimation unaffected by a dominant plane,
  //   CVPR 2005.
  bool dominant_plane = false;
  // Level of the significance test: a model is believed (Outcome::ok) if fewer models as well
  // supported are expected of outliers. Larger levels find more pairs of few matches and believe
  // more wrong models. 0: 0.01, of maps 0.001.
  double belief = 0;
};
constexpr const char* name_of(const RobustOptions&) { return "RobustOptions"; }
template <MaybeConst<RobustOptions> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [threshold, confidence, min_iterations, max_iterations, min_inlier_ratio, seed,
         dominant_plane, belief] = options;
  BIFOCAL_FIELD(threshold, "largest error of an inlier", Range::above(0).finite(), "px");
  BIFOCAL_FIELD(confidence,
                "probability of having drawn a sample without outliers, which ends the sampling",
                Range::above(0).below(1));
  BIFOCAL_FIELD(min_iterations, "samples to draw at least (at most max_iterations)",
                Range::at_least(1));
  BIFOCAL_FIELD(max_iterations, "most samples to draw", Range::at_least(1));
  BIFOCAL_FIELD(min_inlier_ratio,
                "fraction of correct matches worth looking for; 0: 0.1 of one pair (fundamental, "
                "shared_focal 0.15, radial_fundamental 0.3), 0.2 in batches",
                Range::within(0, 1));
  BIFOCAL_FIELD(seed, "seed of the sampling; the same one gives the same result");
  BIFOCAL_FIELD(
      dominant_plane,
      "fundamental matrix: look for matches off a plane that most of them lie on, and give none "
      "that they do not prove");
  BIFOCAL_FIELD(belief,
                "a model is believed if fewer models as well supported are expected of outliers; "
                "larger: more models of few matches, right and wrong; 0: 0.01, of maps 0.001",
                Range::at_least(0).finite());
}

// What is known of the matches beforehand: one number each, or none at all.
struct MatchPriors {
  // Finite and >= 0, in any unit: a match is drawn, scores and counts in the fits in proportion to
  // its weight (one of weight 2 as if it were given twice), in steps of 2^-24 of the largest. One
  // of weight 0 has no part in the model, nor in how far it is believed, but gets its inlier flag.
  // Weights that are all the same change nothing.
  std::span<const double> weights = {};
  // Any numbers (compared as floats; NaN is the lowest), the higher the likelier right, as the
  // negative ratio of descriptor distances: every second sample is drawn from the best matches,
  // ever more of them, so that fewer samples are needed where qualities tell right from wrong, and
  // at most twice as many where they do not.
  //   O. Chum, J. Matas, Matching with PROSAC, CVPR 2005.
  std::span<const double> qualities = {};
};

// The problems: problems.def lists them, src/robust/problems has a file for each.
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

struct ProblemInfo {
  std::string_view symbol;  // of the matrix: H, F, E, R
  int sample_size = 0;      // matches of a minimal sample
  int degrees_of_freedom = 0;
  int cameras = 0;          // that have to be known: 0, 1 (of the image of scene points, or of both
                            // images) or 2
  bool is_two_view = true;  // from PointPairs or DepthPairs, else from ScenePoints
  bool takes_depths = false;  // from DepthPairs
  bool has_pose = false;
  bool estimates_focal_length = false;  // Estimate::focal_length, of cameras without one
  bool estimates_distortion = false;    // Estimate::distortion
  bool triangulates = false;            // Python's Estimate has the scene points of its inliers
  bool is_built = true;                 // false: this build has no solver for its samples
};
[[nodiscard]] ProblemInfo problem_info(ModelKind kind);

enum class Outcome {
  ok,
  too_few_points,     // fewer finite correspondences (of a weight above 0) than the minimal sample
  no_model,           // no model scored more than outliers give by chance
  not_significant,    // the best model has no more inliers than chance may give (see below): it is
                      // there, with its inliers, for who knows better
  degenerate_sample,  // no sample had a model (all points equal, behind a camera, ...), or the
                      // inliers lie on a line in one of the images (RobustOptions::dominant_plane:
                      // or on a plane), to within the noise
  rotation_only,      // relative poses: a camera that rotated (or stood still) explains the matches
                      // as well: there is that rotation, with its inliers, t = 0 and no E
};
[[nodiscard]] std::string_view to_string(Outcome outcome);

// Robust estimation finds this of one pair, whatever the problem.
struct Estimate {
  Outcome outcome = Outcome::no_model;
  // This is H, F (px) or E (normalised points) with |model| = 1, or the rotation of a camera's
  // pose; it is zero unless ok or not_significant.
  Mat3 model{};
  // Problems that have one (ProblemInfo::has_pose) give cam2_from_cam1 with |t| = 1, rotation_only
  // with t = 0, or cam_from_world in world units.
  Pose pose;
  // Problems that estimate it give fx, px, of a camera whose fx / fy is kept; else it is 0. The
  // standard deviation contains independent noise alone, not the given principal point; infinity
  // if the matches leave f open, or f is from a rotation.
  double focal_length = 0, focal_deviation = 0;
  // radial_fundamental gives k of the division model with its deviation; else they are 0.
  double distortion = 0, distortion_deviation = 0;
  int inlier_count = 0;
  int iterations = 0;       // minimal samples drawn
  double score = 0;         // MSAC score (weights: scaled to a largest of 1), <= inlier_count
  double rms = 0;           // px, of the inliers' errors
  double noise = 0;         // px, estimated standard deviation of the true matches' coordinates
  double significance = 0;  // log10 of the number of such models expected of outliers

  [[nodiscard]] bool ok() const { return outcome == Outcome::ok; }
  // Whether the matches determine f. Without that the pose is not reliable either.
  [[nodiscard]] bool focal_is_known() const {
    return focal_length > 0 && focal_deviation < 0.25 * focal_length;
  }
};
struct EstimateResult : Estimate {
  std::vector<std::uint8_t> inliers = {};  // 1 or 0 for each correspondence
  std::vector<int> not_finite = {};        // correspondences with NaN or infinity, excluded
};

struct EstimateInput {
  // One pinhole for each camera that the problem takes (ProblemInfo::cameras); points are
  // undistorted.
  std::span<const Intrinsics> cameras = {};
  RobustOptions options = {};
  MatchPriors priors = {};
  Queue* queue = nullptr;  // of the device that works; null: the CPU
};

// This estimates one pair. A model is believed (ok) when fewer models as well supported are
// expected of outliers than RobustOptions::belief, given the number of samples that were drawn, at
// most those in which the fewest significant inliers would be found (an a contrario test; the
// sample itself proves nothing, so that 4, 7 or 5 points alone have no model; matches that share a
// point, or lie close together in both images, count once, and those that do not move at the border
// not at all). docs/robust.md has the reasons, and how often pairs without geometry were accepted
// in measurements.
//
// Error: of two views the Sampson distance, px: how far the point (x1, y1, x2, y2) has to move, to
// first order, until it fits the model. For H between images of one scale this is the transfer
// error |x2 - H x1| / sqrt(2). Of scene points it is the reprojection distance, px.
//
// Throws Error(usage) on an option out of range, on points and cameras that the problem does not
// take, and on a weight that is none (naming its index and value); degenerate input is an Outcome.
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

// Four problems estimate an unknown of the camera:
//
// shared_focal: F and the unknown focal length f of two images by one camera (or by two alike) with
// a known principal point. Only the ratio of the given focal lengths counts (1, 1 for square
// pixels). Six matches a sample:
//   Z. Kukelova, J. Kileel, B. Sturmfels, T. Pajdla, A clever elimination strategy for efficient
//   minimal solvers, CVPR 2017.
// Two views do not determine f if their optical axes are parallel (a camera that moved without
// rotating, or rotated about its axis alone) or meet at equal distances from both cameras (P.
// Sturm, On focal length calibration from two views, CVPR 2001), or if all matches lie on one
// plane, and badly near that. focal_deviation reports it; F and the inliers are correct all the
// same.
//
// monodepth_shared_focal: shared_focal of matches with depths that a network estimated from each
// image alone. Three matches a sample:
//   Y. Ding, V. Kocur, V. Vavra, Z. B. Haladova, J. Yang, T. Sattler, Z. Kukelova, RePoseD:
//   Efficient relative pose estimation with known depth information, ICCV 2025.
// Depths are scene depths times a factor for each image, in the second image also plus a constant;
// an error of some per cent does not matter. Depths serve to solve samples and for nothing else:
// errors, inliers, the fit and focal_deviation equal those of shared_focal. A match with a depth
// that is not finite and above 0 (sky, a hole) has no part in the model, like a match of weight 0,
// but gets its inlier flag.
//
// radial_fundamental: F and the distortion k of two images by one uncalibrated lens, in the
// division model
//   x_ideal = x / (1 + k |x|^2), x = ((px - cx) / fx, (py - cy) / fy).
// Nine matches a sample:
//   A. W. Fitzgibbon, Simultaneous linear estimation of multiple view geometry and lens distortion,
//   CVPR 2001.
// The camera holds the centre of distortion (cx, cy), usually the image centre, and the unit of k
// in px (fx, fy): in half diagonals k = -0.3 is a wide angle. Barrel distortion has k < 0. F is for
// undistorted points; errors (threshold, rms, noise) are those of the given, distorted points. A
// point at which 1 + k |x|^2 is not above 0 is no inlier.
//
// camera_pose_focal: absolute_pose of a camera with unknown focal length, with square pixels (or a
// known ratio fx / fy) and a known principal point. Four points a sample:
//   C. Wu, P3.5P: pose estimation with unknown focal length, CVPR 2015.
// Points on a plane parallel to the image do not determine f; focal_deviation reports it.

// This is a relative pose with the scene points of its inliers.
struct RelativePoseResult : EstimateResult {
  int in_front = 0;                     // inliers in front of both cameras; rotation_only: 0
  std::vector<Vec3> triangulated = {};  // one a correspondence, frame of camera 1, unit of |t|; NaN
                                        // for outliers and behind a camera
  double median_parallax_deg = 0;       // angle between the rays of the inliers
};
// Calls estimate() for a problem of two views that has a pose, and adds scene points. A translation
// of essential is doubted that focal lengths up to 15 % off would make of a rotation
// (rotation_only). Throws as estimate(), and Error(usage) for other problems.
[[nodiscard]] RelativePoseResult estimate_relative_pose(ModelKind kind,
                                                        std::span<const PointPair> points,
                                                        const EstimateInput& input = {});
[[nodiscard]] RelativePoseResult estimate_relative_pose(ModelKind kind,
                                                        std::span<const DepthPair> points,
                                                        const EstimateInput& input = {});

// Returns F with x2' F x1 = 0 in px: K2^-T E K1^-1.
[[nodiscard]] Mat3 fundamental_from_essential(const Mat3& E, const Intrinsics& camera1,
                                              const Intrinsics& camera2);

// Many pairs in one call, on any device: the same estimate for each as its own call would give with
// the same min_inlier_ratio (on a CPU to the bit, elsewhere from the same samples), whatever the
// others are.
struct BatchInput {
  std::span<const std::int64_t> offsets;  // pair k has the points [offsets[k], offsets[k + 1])
  // There is one for all pairs or one each: cameras1 alone where the problem takes one camera.
  std::span<const Intrinsics> cameras1 = {}, cameras2 = {};
  // These are as in MatchPriors, one a point or null, each in the host's memory or the device's. In
  // a device's memory a weight that is not finite and above 0 counts as 0.
  Memory<const double> weights = {}, qualities = {};
  RobustOptions options = {};
};
struct BatchEstimate {
  std::vector<Estimate> pairs;
  std::vector<std::uint8_t> inliers;  // 1 or 0 for each point, from offsets.front() on
};
// The points of all pairs lie in the host's memory or the device's. Waits until all is done. Throws
// Error(usage) naming the first argument that does not fit, and Error(device).
[[nodiscard]] BatchEstimate estimate_batch(Queue& queue, ModelKind kind,
                                           const Memory<const PointPair>& points,
                                           const BatchInput& input);
[[nodiscard]] BatchEstimate estimate_batch(Queue& queue, ModelKind kind,
                                           const Memory<const ScenePoint>& points,
                                           const BatchInput& input);
[[nodiscard]] BatchEstimate estimate_batch(Queue& queue, ModelKind kind,
                                           const Memory<const DepthPair>& points,
                                           const BatchInput& input);

// Which model explains the pair, of a homography and an epipolar matrix (with its cameras, if it is
// of rays) that were found at this threshold: a plane (or a camera that only rotated) unless enough
// matches off the homography prove depth. Their errors from it point along their epipolar lines,
// where those of wrong and of bad matches point anywhere; they are significant as inliers are, and
// at least 5 % of the epipolar inliers. `reason` says it in words with numbers.
struct ModelChoice {
  ModelKind kind = ModelKind::fundamental;
  std::string_view rule;  // "planar", "rotation", "same_image", "general", "no_model",
                          // "no_homography", "no_epipolar_model"
  std::string reason;
};
[[nodiscard]] ModelChoice choose_model(std::span<const PointPair> points,
                                       const EstimateResult& homography,
                                       const EstimateResult& epipolar, ModelKind epipolar_kind,
                                       double threshold, std::span<const Intrinsics> cameras = {});

}  // namespace bifocal
