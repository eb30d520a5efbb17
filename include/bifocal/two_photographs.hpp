// SPDX-License-Identifier: BSD-3-Clause
// Estimation of the geometry of two photographs, from images to model, pose and depth in one call.
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
#include <bifocal/two_view.hpp>
#include <bifocal/robust.hpp>
#include <bifocal/stereo.hpp>

namespace bifocal {

// The kind of model to estimate; `automatic` chooses (PairOptions::kind).
enum class ModelRequest { automatic, homography, fundamental, essential };
inline constexpr std::string_view kModelRequestWords[] = {"auto", "homography", "fundamental",
                                                          "essential"};

struct PairOptions {
  // automatic: essential if both cameras are known; otherwise fundamental, or radial_fundamental if
  // the distortion of one common lens explains the matches better; or homography.
  ModelRequest kind = ModelRequest::automatic;
  std::optional<Intrinsics> camera1 = {}, camera2 = {};  // px
  // The focal lengths of the cameras are known but their distortion is not, as with EXIF. If both
  // images are from one camera, its distortion is estimated from the matches and removed.
  bool lens_is_unknown = false;
  // Standard deviations of the cameras: of the focal length as a fraction of itself, and of each
  // coordinate of the principal point as a fraction of the longer side. 0: values of a chessboard
  // calibration, 0.001; with lens_is_unknown 0.04 and 0.01; for an assumed principal point 0.01.
  // PoseDeviation includes them.
  double focal_deviation = 0, principal_point_deviation = 0;
  SiftOptions sift = {};
  std::optional<SurfOptions> surf = {};  // if set, SURF replaces `sift`
  MatchOptions matching = {};
  // Matches the pair again along its model (match_guided, with errors up to twice the threshold)
  // and estimates again. The result with more inliers is kept.
  bool guided = false;
  // Tries a pair again if it is rejected, doubted or has fewer than 50 inliers: first with
  // SiftOptions::affine_shape, then with a guided round of the better result. The levels of
  // significance and of the doubt are divided by the number of tries, also for the first one. The
  // best try is returned: an undoubted result is better than a doubted one, a doubted one is better
  // than none, and among equals the more significant one is better, independently of the number of
  // inliers. A guided round is judged by the matches that were found without the guide.
  bool escalate = true;
  RobustOptions robust = {};
  bool dense = true;
  // Images are reduced for dense matching until they have at most this number of pixels; three
  // times as many if a polar rectification repeats pixels.
  int max_dense_pixels = 2'000'000;
  // Limits of the dense search. Without them it covers the matches and is widened until less than 1
  // % of the disparities found lie at its ends. Depths are in units of the baseline, 0: no limit.
  // Disparities are in px of the rectified pair and take precedence.
  double near_depth = 0, far_depth = 0;
  std::optional<int> min_disparity = {}, max_disparity = {};
  // Called at the start of each stage with its name and the fraction done.
  std::function<void(std::string_view stage, double fraction)> progress = {};
};
constexpr const char* name_of(const PairOptions&) { return "PairOptions"; }
template <MaybeConst<PairOptions> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [kind, camera1, camera2, lens_is_unknown, focal_deviation, principal_point_deviation, sift,
         surf, matching, guided, escalate, robust, dense, max_dense_pixels, near_depth, far_depth,
         min_disparity, max_disparity, progress] = options;
  BIFOCAL_FIELD(kind,
                "model to estimate; auto: essential with both cameras, otherwise fundamental (with "
                "distortion if the matches determine it), or homography",
                Range::one_of(kModelRequestWords));
  BIFOCAL_FIELD(camera1, "camera of the first image");
  BIFOCAL_FIELD(camera2, "camera of the second image");
  BIFOCAL_FIELD(lens_is_unknown,
                "only the focal length of the cameras is known: estimate the distortion from the "
                "matches and remove it (default with EXIF)");
  BIFOCAL_FIELD(
      focal_deviation,
      "standard deviation of the given focal lengths, as a fraction; 0: 0.001, with EXIF 0.04",
      Range::within(0, 1));
  BIFOCAL_FIELD(principal_point_deviation,
                "standard deviation of the principal point, as a fraction of the longer side; 0: "
                "0.001 if given, 0.01 if assumed",
                Range::within(0, 1));
  BIFOCAL_FIELD(sift, "how features are found");
  BIFOCAL_FIELD(surf, "SURF features instead");
  BIFOCAL_FIELD(matching, "how features are matched");
  BIFOCAL_FIELD(guided, "match again along the estimated model, and estimate again");
  BIFOCAL_FIELD(escalate,
                "try affine shapes and guided matching if the result is rejected, doubted or has "
                "fewer than 50 inliers");
  BIFOCAL_FIELD(robust, "how the model is estimated");
  BIFOCAL_FIELD(dense, "rectify, match densely and compute depth if the camera moved");
  BIFOCAL_FIELD(max_dense_pixels, "largest number of pixels for dense matching", Range::at_least(1),
                "px");
  BIFOCAL_FIELD(near_depth, "depth of the nearest surface, in baselines; 0: from the matches",
                Range::at_least(0).finite());
  BIFOCAL_FIELD(far_depth, "depth of the farthest surface, in baselines; 0: from the matches",
                Range::at_least(0).finite());
  BIFOCAL_FIELD(min_disparity, "first disparity of the dense search in the rectified pair",
                kDisparityStarts, "px");
  BIFOCAL_FIELD(max_disparity, "end of the dense search: disparities below this", kDisparityStarts,
                "px");
  BIFOCAL_FIELD(progress, "called at the start of each stage");
}

// Masks and matches of a pair for estimate_pair(). The data must live until the call returns.
struct PairInput {
  // Masks, empty or of the images' sizes: features are detected only where the mask is not 0.
  ImageView<const std::uint8_t> mask1 = {}, mask2 = {};
  // Matches of another matcher in px, instead of features. Masks and the options of features and
  // matching are then ignored, and repeated structure is detected from the matches alone.
  // A match more than 1 px outside of its image is an error.
  std::optional<std::span<const PointPair>> matches = {};
};

// Origin of the cameras used for depth.
enum class CameraSource {
  given,      // from PairOptions
  estimated,  // a focal length common to both images, estimated from the matches to 20 % or better
  assumed,    // a focal length of 1.2 times the longer side, or one known for one image only; depth
              // has an unknown stretch
};
[[nodiscard]] std::string_view to_string(CameraSource source);

// Dense part of a pair whose camera moved. If a distortion was estimated, its photographs are in
// PairResult::undistorted. Image 1 is the left image; both are as upright as their rows allow. If
// camera 2 is on the left, disparities decrease as points come nearer (Rectification::is_reversed).
//
// The search range covers the disparities of the inliers with a margin and is widened if
// disparities lie at its ends, unless PairOptions determine it. For a reversed pair, min_disparity
// and disparities describe the range found. Pixels that would come from outside one of the
// photographs are unknown in `disparity.raw`; pixels from outside the left one are also unknown
// in `filled`.
struct DensePair {
  Rectification rectification;
  RectificationChoice choice;  // reason for planar or polar
  ImageU8 left, right;         // rectified images in RGB
  DisparityMap disparity;
  int min_disparity = 0, disparities = 0;
  Intrinsics camera1, camera2;  // px of the photographs; used for depth
  CameraSource cameras = CameraSource::given;
  double focal_deviation = 0;  // px, as in EstimatedCamera
  Pose cam2_from_cam1;         // |t| = 1 is the unit of depth
  // Depth of the pixels of image 1, from `disparity.raw`. Its deviation includes 0.5 px of
  // disparity and PairResult::pose_deviation; with assumed or doubted cameras the disparity only.
  DepthMap depth;
  bool has_deviation = true;      // false with assumed or doubted cameras
  std::vector<CloudPoint> cloud;  // in the frame of camera 1, from at most max_dense_pixels pixels
};

// Standard deviation of a pose. It includes noise and correlated errors of the matches, determined
// by a jackknife over regions of the images. It also includes the deviations of the cameras:
// deviations from PairOptions, of an assumed principal point and fx / fy, or of an estimated focal
// length. It does not cover wrong poses supported by repeated structure. With doubted cameras it is
// unknown.
struct PoseDeviation {
  // False if the matches do not determine the pose, if direction_deg exceeds 45, or with
  // PairResult::doubt; the other members then have no meaning.
  bool is_known = false;
  double rotation_deg = 0;   // root mean square rotation angle
  double direction_deg = 0;  // root mean square angle of t
  // Row-major [6][6] for (w, t), as in ModelCovariance::pose.
  std::array<double, 36> covariance{};
  // Geometries whose squared differences from the pose add up to the covariance (DepthOptions).
  std::vector<DeviatingGeometry> geometries;
};

// Camera parameters estimated from the matches, if both images have one size and no camera, or no
// distortion, was given.
struct EstimatedCamera {
  // Focal length near the image centre and its standard deviation, px. 0: not determined, because
  // two deviations exceed 40 % of f, or because less than 95 % of the inliers of F agree with it.
  // The usual guess, 1.2 times the longer side, is within 40 % for lenses of 28 to 65 mm on 35
  // mm film.
  double focal_length = 0, focal_deviation = 0;
  // Coefficient k of the division model x / (1 + k |x|^2) about the image centre, in units of half
  // the diagonal, and its standard deviation. Negative for barrel distortion. 0: no distortion is
  // detectable, or two deviations exceed it.
  double distortion = 0, distortion_deviation = 0;
  // Both deviations include noise and correlated errors of the matches, an assumed principal point
  // (PairOptions) and fx / fy (0.002). The deviation of the focal length includes an estimated
  // distortion's deviation, but no distortion too small to detect.
};

// The pair without distortion, if one was estimated. Its cameras are pinholes with the principal
// point at the image centre.
struct UndistortedPair {
  ImageU8 image1, image2;         // complete, up to twice as wide and high as the photographs
  ImageU8 inside;                 // for both images: 255 where the photographs have a pixel, else 0
  std::vector<PointPair> points;  // PairResult::matches in px of image1 and image2
  Mat3 F{};                       // for px of image1 and image2
  double scale = 1;               // size of a photograph's px near the centre, in px of image1
};

// Duration of one stage.
struct StageTime {
  std::string stage;
  double ms;
};

// One try of estimate_pair() (PairOptions::escalate).
struct PairTry {
  std::string name;  // "as asked", "affine shapes" or "guided matching"
  Outcome outcome = Outcome::no_model;
  bool is_doubted = false;
  int inliers = 0;  // 0 if it was rejected
  double ms = 0;
  bool is_taken = false;  // the result is from this try
};

// Result of estimate_pair().
struct PairResult {
  Outcome outcome = Outcome::no_model;
  ModelKind kind = ModelKind::fundamental;
  std::string reason;  // reason for the choice of the model, or for its absence
  std::string doubt;  // why the given cameras probably do not belong to the images; otherwise empty
  Repetition repetition;  // whether repeated structure explains the model equally well; the outcome
                          // remains ok
  std::vector<Keypoint> keypoints1, keypoints2;
  std::vector<Match>
      matches;  // one for each pair of positions, whatever the orientations of features
  std::vector<PointPair> points;  // positions of the matches, px
  EstimateResult estimate;        // of the model `kind`
  EstimatedCamera estimated_camera;
  std::optional<UndistortedPair> undistorted;  // if estimated_camera.distortion is not 0
  // Present with an essential matrix, or if the focal length was estimated. t = 0 if the camera
  // only rotated.
  std::optional<Pose> cam2_from_cam1;
  PoseDeviation pose_deviation;  // with a pose, except for t = 0
  int in_front = 0;              // with a pose: number of inliers in front of both cameras
  // With a pose. Below about one pixel the direction of t is uncertain, and `reason` says so.
  double median_parallax_deg = 0;
  std::vector<Vec3> triangulated;  // with a pose
  std::optional<DensePair> dense;
  std::string dense_reason;    // reason for the absence of a dense part; otherwise empty
  std::vector<PairTry> tries;  // one, or more if the pair was escalated
  std::vector<StageTime> timings;

  // Returns whether the cameras or, because of repeated structure, the model is doubted.
  [[nodiscard]] bool is_doubted() const { return !doubt.empty() || repetition.is_doubted; }
};

// Estimates the geometry of a pair of images on the device of the queue, by default on the CPU.
// The images have 1 to 4 channels of 8 or 16 bits: features,
// matches, model, and, depending on the options, rectification and depth. Features are those of
// to_grey_8(); two images of 16 bits are matched densely in 16 bits; images of the result have 8
// (to_8_bits). A pair without geometry is an outcome, not an error. Throws Error(usage) if an
// option is out of range, and for `essential` without cameras.
[[nodiscard]] PairResult estimate_pair(Queue& queue, const AnyImageView& image1,
                                       const AnyImageView& image2, const PairOptions& options = {},
                                       const PairInput& input = {});
[[nodiscard]] PairResult estimate_pair(const AnyImageView& image1, const AnyImageView& image2,
                                       const PairOptions& options = {},
                                       const PairInput& input = {});

// Result of check_rectified_pair().
struct RectifiedPairCheck {
  std::int64_t matches = 0;         // inliers of a fundamental matrix
  double row_offset = 0;            // px: median of |y2 - y1| of these; NaN without matches
  bool is_rectified = false;        // at most 1.5 px
  DisparityRange range;             // as disparity_range() of the matches; count 0 if not rectified
  std::vector<double> disparities;  // px, of the matches inside `range`; empty if not rectified
};

// Matches the features of two images and tests whether corresponding points lie in the same rows.
// The images have 1 to 4 channels and one size. The range of disparities is a start for dense
// matching (SgmOptions). Throws Error(usage) if the sizes differ.
[[nodiscard]] RectifiedPairCheck check_rectified_pair(Queue& queue,
                                                      ImageView<const std::uint8_t> left,
                                                      ImageView<const std::uint8_t> right);
[[nodiscard]] RectifiedPairCheck check_rectified_pair(ImageView<const std::uint8_t> left,
                                                      ImageView<const std::uint8_t> right);

// Returns a reason to doubt a search of [min_disparity, min_disparity + disparities) px: at least a
// tenth of the disparities of the matches, and at least five, lie outside. The text ends with the
// range of the matches. Empty without a reason.
[[nodiscard]] std::string search_doubt(const RectifiedPairCheck& check, int min_disparity,
                                       int disparities);

}  // namespace bifocal
