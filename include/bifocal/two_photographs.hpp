// SPDX-License-Identifier: BSD-3-Clause
// The main job: two photographs in, geometry out.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <bifocal/device.hpp>
#include <bifocal/features.hpp>
#include <bifocal/geometry.hpp>
#include <bifocal/image.hpp>
#include <bifocal/rectify.hpp>
#include <bifocal/repetition.hpp>
#include <bifocal/robust.hpp>
#include <bifocal/stereo.hpp>

namespace bifocal {

enum class ModelRequest { automatic, homography, fundamental, essential };
inline constexpr std::string_view kModelRequestWords[] = {"auto", "homography", "fundamental",
                                                          "essential"};

struct PairOptions {
  // automatic: essential when both cameras are known, else fundamental or, where the distortion of
  // one lens explains more, radial_fundamental; or homography.
  ModelRequest model = ModelRequest::automatic;
  std::optional<Intrinsics> camera1 = {}, camera2 = {};  // px
  // The cameras' focal lengths are known and their lens is not, as in EXIF: if both images are of
  // one camera, its distortion is estimated from the matches and removed.
  bool lens_is_unknown = false;
  // Standard deviations of the cameras, as fractions of the focal length and of the longer side
  // (each coordinate). 0: those of a chessboard calibration, 0.001; if lens_is_unknown, 0.04 and
  // 0.01; of an assumed principal point 0.01. PoseDeviation contains them.
  double focal_deviation = 0, principal_point_deviation = 0;
  SiftOptions sift = {};
  std::optional<SurfOptions> surf = {};  // features of SURF instead
  // Features are found only where the mask of a picture is not 0.
  ImageView<const std::uint8_t> mask1 = {}, mask2 = {};
  MatchOptions matching = {};
  // Matches of another matcher, px, instead of features: masks and the options of features and
  // matching are not used, and repeated structure is judged from the matches alone.
  std::optional<std::span<const PointPair>> matches = {};
  // The pair is matched again along its model (match_guided, up to twice the threshold from it) and
  // estimated again; what has more inliers stays.
  bool guided = false;
  // A pair that is refused, doubted or has fewer than 50 inliers is tried again: with
  // SiftOptions::affine_shape, and then by a guided round of the better one. The levels of
  // significance and of the doubt are divided by the number of tries, for the first one as well. A
  // try becomes the answer if it is believed more: an undoubted answer before a doubted one, a
  // doubted one before none, and among these the more significant one, however many inliers it has.
  // Of a guided round the matches count that were found without it.
  bool escalate = true;
  RobustOptions robust = {};
  Device device = {};  // of all stages
  bool dense = true;
  // Adds depth from slanted planes of the unrectified pair where the rectified one has none:
  // oblique surfaces, and what its search leaves out. Needs a pose.
  bool slanted = false;
  // The pictures are reduced until they have at most this, or three times this where polar
  // rectification repeats pixels.
  int max_dense_pixels = 2'000'000;
  // Ends of the dense search. Without them it covers the matches and is widened until less than 1 %
  // of the disparities found lie at its ends. Depths are in units of the baseline, 0: none;
  // disparities are px of the rectified pair and take precedence.
  double near_depth = 0, far_depth = 0;
  std::optional<int> min_disparity = {}, max_disparity = {};
  // Called at the start of each stage with its name and the fraction done, for progress.
  std::function<void(std::string_view stage, double fraction)> progress = {};
};
constexpr const char* name_of(const PairOptions&) { return "PairOptions"; }
template <MaybeConst<PairOptions> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [model, camera1, camera2, lens_is_unknown, focal_deviation, principal_point_deviation, sift,
         surf, mask1, mask2, matching, matches, guided, escalate, robust, device, dense, slanted,
         max_dense_pixels, near_depth, far_depth, min_disparity, max_disparity, progress] = options;
  BIFOCAL_FIELD(model,
                "model to estimate; auto: essential with both cameras, else fundamental (with the "
                "lens, where the "
                "matches tell one), or a homography",
                Range::one_of(kModelRequestWords));
  BIFOCAL_FIELD(camera1, "camera of the first picture");
  BIFOCAL_FIELD(camera2, "camera of the second picture");
  BIFOCAL_FIELD(
      lens_is_unknown,
      "the cameras tell the focal length alone: take away the distortion that the matches "
      "tell (done of EXIF's)");
  BIFOCAL_FIELD(focal_deviation,
                "standard deviation of the given focal lengths, as a fraction; 0: 0.001, of EXIF "
                "0.04",
                Range::within(0, 1));
  BIFOCAL_FIELD(principal_point_deviation,
                "standard deviation of the principal point, as a fraction of the longer side; 0: "
                "0.001 if given, 0.01 if assumed",
                Range::within(0, 1));
  BIFOCAL_FIELD(sift, "how features are found");
  BIFOCAL_FIELD(surf, "features of SURF instead");
  BIFOCAL_FIELD(mask1, "features of the first picture only where it is not black");
  BIFOCAL_FIELD(mask2, "the same for the second picture");
  BIFOCAL_FIELD(matching, "how features are matched");
  BIFOCAL_FIELD(matches, "matches of another matcher instead of features", {}, "px");
  BIFOCAL_FIELD(guided, "match again along the model that was found, and estimate again");
  BIFOCAL_FIELD(escalate,
                "try affine shapes and a guided round if the answer is refused, doubted or has "
                "fewer than 50 inliers");
  BIFOCAL_FIELD(robust, "how the model is estimated");
  BIFOCAL_FIELD(device, "where all stages run");
  BIFOCAL_FIELD(dense, "rectify, match densely and make depth, where the camera moved");
  BIFOCAL_FIELD(slanted, "add depth from slanted planes of the unrectified pair");
  BIFOCAL_FIELD(max_dense_pixels, "most pixels of the pictures that are matched densely",
                Range::at_least(1), "px");
  BIFOCAL_FIELD(near_depth, "depth of the nearest surface, in baselines; 0: from the matches",
                Range::at_least(0).finite());
  BIFOCAL_FIELD(far_depth, "depth of the farthest surface, in baselines; 0: from the matches",
                Range::at_least(0).finite());
  BIFOCAL_FIELD(min_disparity, "start of the dense search in the rectified pair", kDisparityStarts,
                "px");
  BIFOCAL_FIELD(max_disparity, "end of the dense search: disparities below this", kDisparityStarts,
                "px");
  BIFOCAL_FIELD(progress, "called at the start of each stage");
}

// Tells where the cameras come from that depth is made with.
enum class CameraSource {
  given,      // PairOptions
  estimated,  // the focal length that both images share, from the matches, to 20 % or better
  assumed,  // a focal length of 1.2 times the longer side, or one that only one picture has: depth
            // is right up to a stretch that nobody knows
};
[[nodiscard]] const char* to_string(CameraSource source);

// Dense part of a pair whose camera moved. Its photographs are PairResult::undistorted if a lens
// was estimated. Image 1 is the left picture, and both are as upright as their rows allow. Where
// camera 2 lies on the left, disparities decrease as points come nearer
// (Rectification::is_reversed). The search range covers the disparities of the inliers with a
// margin and is widened if disparities lie at its ends, unless PairOptions determine it; of a
// reversed pair min_disparity and disparities span what was found. Pixels
// that see outside one of the photographs are unknown in `disparity.raw`, and in `filled` when they
// are outside the left one.
struct DensePair {
  Rectification rectification;
  RectificationChoice choice;  // the reason for its kind
  ImageU8 left, right;         // rectified images, RGB
  DisparityMap disparity;
  int min_disparity = 0, disparities = 0;
  Intrinsics camera1, camera2;  // px of the photographs, that the depth is made with
  CameraSource cameras = CameraSource::given;
  double focal_deviation = 0;  // px, as EstimatedCamera
  Pose cam2_from_cam1;         // |t| = 1, the unit of depth
  // Of the pixels of image 1, from `disparity.raw`. The deviation contains 0.5 px of disparity and
  // PairResult::pose_deviation; with assumed cameras the disparity alone.
  DepthMap depth;
  std::vector<CloudPoint> cloud;  // frame of camera 1, of at most max_dense_pixels pixels
};

// Standard deviation of a pose. It contains noise and correlated errors of the matches, by a
// jackknife over regions of the images, and the deviations of the cameras: given by PairOptions, of
// an assumed principal point and fx / fy, or of an estimated focal length. It does not contain
// wrong poses that repeated structure supports.
struct PoseDeviation {
  // false: the matches leave the pose open, or direction_deg exceeds 45; the rest is no statement.
  bool is_known = false;
  double rotation_deg = 0;   // root mean square angle
  double direction_deg = 0;  // of t, likewise
  // Row-major [6][6] of (w, t), as ModelCovariance::pose.
  std::array<double, 36> covariance{};
  // The covariance is the sum of their squared differences from the pose (DepthOptions).
  std::vector<DeviatingGeometry> geometries;
};

// What the matches determine of the camera of both images, where none was given, or not its
// lens, and they have one size.
struct EstimatedCamera {
  // px near the middle of a photograph. 0: not determined, because two deviations exceed 40 % of
  // it (the usual guess, 1.2 times the longer side, is within 40 % of the lenses of 28 to 65 mm of
  // 35 mm film), or less than 95 % of the inliers of F agree with it.
  double focal_length = 0, focal_deviation = 0;
  // This is k of the division model x / (1 + k |x|^2) about the middle, in the unit of half the
  // diagonal: below 0 for a barrel. 0: no distortion shows, or two deviations exceed it.
  double distortion = 0, distortion_deviation = 0;
  // Both deviations contain noise and correlated errors of the matches, an assumed principal point
  // (PairOptions) and fx / fy (0.002). The focal length's deviation contains the deviation of an
  // estimated distortion, but no distortion that is too small to show.
};

// The pair as a pinhole sees it, if a lens was estimated. The principal point is the image centre.
struct UndistortedPair {
  ImageU8 image1, image2;         // whole, up to twice as wide and high as the photographs
  ImageU8 inside;                 // of both: 255 where the photographs have a pixel, else 0
  std::vector<PointPair> points;  // of PairResult::matches, px of these
  Mat3 F{};                       // px of these
  double scale = 1;               // px near the middle, by px of the photographs
};

struct StageTime {
  std::string stage;
  double ms;
};

// One try of estimate_pair (PairOptions::escalate).
struct PairTry {
  std::string name;  // "as asked", "affine shapes" or "guided matching"
  Outcome outcome = Outcome::no_model;
  bool is_doubted = false;
  int inliers = 0;  // 0 if it was refused
  double ms = 0;
  bool is_taken = false;  // the answer is of this try
};

struct PairResult {
  Outcome outcome = Outcome::no_model;
  ModelKind kind = ModelKind::fundamental;
  std::string reason;     // why this model, or why none
  std::string doubt;      // empty, or why the given cameras are hardly those of the pictures
  Repetition repetition;  // whether repeated structure explains E or F as well; outcome stays ok
  std::vector<Keypoint> keypoints1, keypoints2;
  std::vector<Match> matches;     // one between two places, whatever their orientations
  std::vector<PointPair> points;  // of the matches, px
  EstimateResult model;           // of `kind`
  EstimatedCamera estimated_camera;
  std::optional<UndistortedPair> undistorted;  // if estimated_camera.distortion is not 0
  // Present with an essential matrix, or if the focal length was estimated. t = 0: the
  // camera only turned.
  std::optional<Pose> cam2_from_cam1;
  PoseDeviation pose_deviation;  // with a pose, t = 0 excepted
  int in_front = 0;              // with a pose: inliers in front of both cameras
  // With a pose; below about a pixel t has no certain direction, and `reason` says so.
  double median_parallax_deg = 0;
  std::vector<Vec3> triangulated;  // with a pose
  std::optional<DensePair> dense;
  std::string dense_reason;    // why there is no dense part, empty otherwise
  std::vector<PairTry> tries;  // one, or more if the pair was escalated
  std::vector<StageTime> timings;
};

// Pictures with 1 to 4 channels. Throws Error(usage) on an option out of range, also when
// `essential` is asked for without cameras; a pair without geometry is an outcome.
[[nodiscard]] PairResult estimate_pair(ImageView<const std::uint8_t> image1,
                                       ImageView<const std::uint8_t> image2,
                                       const PairOptions& options = {});

}  // namespace bifocal
