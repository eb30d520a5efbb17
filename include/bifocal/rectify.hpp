// SPDX-License-Identifier: BSD-3-Clause
// Rectification: resamples two images so that a scene point lies on the same row of both.
// Calibrated pairs with any lens, or uncalibrated pairs from F; planar (by homographies) or polar
// (along epipolar half lines, for any motion). docs/rectification.md.
//
//   const Rectification r = rectify(camera1, camera2, cam2_from_cam1);
//   if (!r.ok()) return to_string(r.outcome);
//   const auto maps = sampling_maps(r);
//   Remapper left(queue, maps[0]), right(queue, maps[1]);     // once per rig
//   left.run(queue, left_image, 1, left_rectified);           // for each image, on the device
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <bifocal/camera.hpp>
#include <bifocal/device.hpp>
#include <bifocal/fields.hpp>
#include <bifocal/geometry.hpp>
#include <bifocal/image.hpp>

namespace bifocal {

enum class RectifyOutcome {
  ok,
  epipole_near_image,  // motion along a viewing direction: a plane with parallel rows would stretch
                       // the image extremely
  too_wide,  // a corner, or any pixel of a lens, lies more than about 83 degrees off the rectified
             // axis, or a whole image more than RectifyOptions::max_angle_deg
  no_common_rows,
  no_geometry,     // F is not of rank 2
  no_orientation,  // polar: the matches do not determine which half lines correspond
};
[[nodiscard]] std::string_view to_string(RectifyOutcome outcome);

enum class RectificationKind { planar, polar };
[[nodiscard]] std::string_view to_string(RectificationKind kind);  // "planar" or "polar"

// Disparities [min, min + count) px to search.
struct DisparityRange {
  int min = 0, count = 0;

  [[nodiscard]] bool ok() const { return count > 0; }
};

// One row of a polar side: its column c lies at (x + c dx, y + c dy) of the photograph, px. The
// step (dx, dy) is at most 1 / scale px long.
struct PolarRow {
  double x = 0, y = 0, dx = 0, dy = 0;
};

// How one of the two images is resampled.
struct RectifiedSide {
  // Size of the input image, px, and its camera if the pair is planar and calibrated.
  Camera input;
  // The input's camera if a LensCamera with distortion was given; `input` is its pinhole() then.
  std::optional<LensCamera> lens{};

  // Planar. Rectified px ~ H undistorted px, where undistorted px equal input px without a lens.
  Mat3 H{};
  Mat3 R{};           // rectified camera from input camera; 0 if uncalibrated
  Intrinsics camera;  // of the rectified image; not valid() if uncalibrated

  // Polar.
  Vec2 epipole{};                // px of the photograph; at most 1e12 px away
  bool is_inward = false;        // columns run towards the epipole, otherwise away from it
  std::vector<PolarRow> rows{};  // one per row of the rectified image
};

// A rectified pair: side 0 is the left image, side 1 the right one. The left image is image 1, or
// image 2 if `is_swapped`. A scene point lies on one row of both; its disparity is x_left
// - x_right.
//
// Planar, calibrated: both rectified cameras share fx, fy and cy. Z = baseline fx / (d + doffs)
// with doffs = sides[1].camera.cx - sides[0].camera.cx; d + doffs > 0 for points in front of the
// cameras, and d may be negative. Planar, uncalibrated: the disparities have no metric meaning.
// Polar: disparities may have either sign. All are as upright as their rows allow.
struct Rectification {
  RectificationKind kind = RectificationKind::planar;
  int width = 0, height = 0;  // px, of both rectified images; 0 if the pair cannot be rectified
  bool is_swapped = false;    // image 2 is the left one
  // The left image has the right camera: disparities decrease as points come nearer, and with
  // cameras Z = -baseline fx / (d + doffs). rotate_by_180() makes it so.
  bool is_reversed = false;
  std::array<RectifiedSide, 2> sides{};
  RectifyOutcome outcome = RectifyOutcome::ok;  // the reason if width is 0

  // Polar.
  double scale = 1;  // smallest number of rectified px per photograph px; below 1 if max_scale
                     // does not allow 1
  bool is_cyclic = false;  // both epipoles lie in their images: the rows cover the full circle
  int overlap = 0;         // cyclic: number of rows at each end that repeat the opposite end

  // Calibrated: a reason to doubt that the cameras belong to images of their sizes
  // (intrinsics_doubt); empty without one. Not part of the file.
  std::string doubt{};

  [[nodiscard]] bool ok() const { return width > 0; }  // otherwise `outcome` says why not
};

struct RectifyOptions {
  double max_scale = 1.5;    // the focal length is reduced to keep it
  double max_angle_deg = 0;  // calibrated pairs; for wide lenses, whose rims would take most of the
                             // canvas. 0: pairs that reach beyond about 83 degrees are refused
};
constexpr const char* name_of(const RectifyOptions&) { return "RectifyOptions"; }
template <MaybeConst<RectifyOptions> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [max_scale, max_angle_deg] = options;
  BIFOCAL_FIELD(max_scale, "largest area of a rectified image, relative to the input image",
                Range::above(0).finite());
  BIFOCAL_FIELD(
      max_angle_deg,
      "angle off the rectified axis beyond which the image is left out; 0: pairs that reach beyond "
      "about 83 degrees are refused",
      Range::within(0, 83), "degrees");
}

// Rectifies a calibrated pair: rotates both cameras about their centres until their rows are
// parallel to the baseline. The cameras need the sizes of their images; pixels beyond the disc of a
// lens (Lens::radius) are left out.
//   A. Fusiello, E. Trucco, A. Verri, A compact algorithm for rectification of stereo pairs, MVA
//   12(1), 2000.
//
// The canvas has the rows that both images cover, and the columns of each image from its own left
// end. The length of the baseline does not matter. Returns width = 0 and the outcome if the
// baseline lies within 30 degrees of a viewing direction or of the mean of both (the epipole is in
// or near the image), if a corner lies more than about 83 degrees off the rectified axis, or if the
// images have no row in common. Throws Error(usage) if the baseline is zero or an argument is out
// of its range.
[[nodiscard]] Rectification rectify(const Camera& camera1, const Camera& camera2,
                                    const Pose& cam2_from_cam1, const RectifyOptions& options = {});
// Rectifies a pair of lenses of any model, fisheyes included, up to 80 degrees off the axis. Both
// cameras need the sizes of their images.
[[nodiscard]] Rectification rectify(const LensCamera& camera1, const LensCamera& camera2,
                                    const Pose& cam2_from_cam1, const RectifyOptions& options = {});

// Rectifies an uncalibrated pair without distortion from x2' F x1 = 0.
//   C. Loop, Z. Zhang, Computing rectifying homographies for stereo vision, CVPR 1999.
//
// Among the homographies that make epipolar lines equal rows, the chosen pair has the perspective
// part that distorts both images least. Each image keeps the aspect ratio and the right angle of
// its middle lines. F need not have rank 2 exactly; the function enforces it.
//
// matches: obey F, may be empty. They determine the left image: most of them lie in front of
// cameras with these rows and a field of view of 45 degrees. Wrong for 0, 2, 9 and 34 of 1000
// random rigs rotated by up to 3, 7, 14 and 23 degrees, and for none of 82 real pairs. Without
// matches image 1 is the left one.
//
// Returns width = 0 and the outcome if F is not of rank 2 (no_geometry), if an epipole is in an
// image or so near that the denominator of its homography would change by more than 1 : 4, or if no
// row is in common. Throws Error(usage) if F is not finite or zero, a size is not positive, or an
// option is out of its range.
[[nodiscard]] Rectification rectify_uncalibrated(const Mat3& F, std::span<const PointPair> matches,
                                                 int width1, int height1, int width2, int height2,
                                                 const RectifyOptions& options = {});

struct PolarOptions {
  double max_scale = 12;  // Rectification::scale is reduced to keep it
  int overlap = 32;
};
constexpr const char* name_of(const PolarOptions&) { return "PolarOptions"; }
template <MaybeConst<PolarOptions> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [max_scale, overlap] = options;
  BIFOCAL_FIELD(max_scale, "largest area of a rectified image, relative to the larger photograph",
                Range::above(0).finite());
  BIFOCAL_FIELD(overlap, "rows repeated at each end if the rows cover the full circle",
                Range::at_least(0), "rows");
}

// Rectifies a pair with any motion, also along the viewing direction, where no plane makes the
// epipolar lines parallel. A row of both images is a pair of corresponding half lines that begin at
// the epipoles, a column is a distance from the epipole.
//   M. Pollefeys, R. Koch, L. Van Gool, A simple and efficient rectification method for general
//   motion, ICCV 1999.
//
// F: x2' F x1 = 0, px. matches: obey F; their votes determine which half lines correspond (O. Chum,
// T. Werner, J. Matas, Epipolar geometry estimation via RANSAC benefits from the oriented epipolar
// constraint, ICPR 2004).
//
// Rows are dense enough for both images to keep their pixels, and cover the half lines that cross
// both images. After a zoom or a large step forward, matches lie farther apart along the rows of
// one image. Above a ratio of 1.2, the columns of the second image are stretched by it (at most 4)
// if this shortens the range of disparities to less than 0.8 of it; below 1 / 1.2, those of the
// first image. Needs 16 matches.
//
// Returns width = 0 and the outcome if F is not of rank 2 (no_geometry), if no half line crosses
// both images (no_common_rows), or if as many matches contradict an orientation as support it
// (no_orientation). Throws Error(usage) if F is not finite or zero, a size is not positive, or an
// option is out of its range.
[[nodiscard]] Rectification rectify_polar(const Mat3& F, std::span<const PointPair> matches,
                                          int width1, int height1, int width2, int height2,
                                          const PolarOptions& options = {});

// Rectifies a calibrated pair of pinholes with image sizes; |t| does not matter. The pose
// determines the half lines; the matches, which may be empty, determine the stretching only.
// Disparities grow as points come nearer; for upright images that may need image 2 on the left.
// Throws Error(usage) also if t is zero, the pose is not finite, or a camera is invalid or has
// a distortion.
[[nodiscard]] Rectification rectify_polar(const Camera& camera1, const Camera& camera2,
                                          const Pose& cam2_from_cam1,
                                          std::span<const PointPair> matches,
                                          const PolarOptions& options = {});

// Returns the unevenness of the scale: exp of the standard deviation of the logarithms of the
// largest and the smallest scale of each pixel, over a grid of pixels of both photographs. 1 if all
// pixels are scaled alike; infinity if the pair is not rectified.
[[nodiscard]] double stretch(const Rectification& rectification);

// Chooses between a planar and a polar rectification of a pair. A planar rectification keeps
// straight lines and has cameras. The polar one is chosen if it exists and the planar one does
// not, or has a stretch above 1.3 that is a tenth above the polar rectification's.
struct RectificationChoice {
  bool is_polar = false;
  double planar_stretch = 1, polar_stretch = 1;  // infinity: not rectified
  std::string reason;                            // in words, with these numbers
};
[[nodiscard]] RectificationChoice choose_rectification(const Rectification& planar,
                                                       const Rectification& polar);

// Rotates both rectified images by 180 degrees, which changes the sign of all disparities
// and `is_reversed`.
void rotate_by_180(Rectification& rectification);
// Makes image 1 the left one: exchanges the sides of a swapped pair and rotates both by 180
// degrees, so that disparities keep their sign.
void put_image1_left(Rectification& rectification);
// Moves the left rectified image to the right by whole px, px >= 0: disparities grow by px, and
// the canvas by as many columns.
void shift_left_image(Rectification& rectification, int px);

// Converts pixels of the photograph of side 0 (left) or 1 (right) to px of the rectified image. NaN
// beyond the disc of a lens, beyond the horizon of a homography, or if no polar row passes. Of the
// two places in repeated polar rows, returns the place farther from the border.
[[nodiscard]] std::vector<Vec2> rectified_points(const Rectification& rectification, int side,
                                                 std::span<const Vec2> photograph);
[[nodiscard]] Vec2 rectified_point(const Rectification& rectification, int side,
                                   const Vec2& photograph);

// Converts pixels of the rectified image of a side to px of the photograph; the inverse of
// rectified_points(). Interpolates linearly between polar rows. NaN beyond the disc of a lens,
// beyond the horizon of a homography, beyond the epipole, and above the first or below the last
// polar row, where rectified_points() returns rows up to half a pixel farther.
[[nodiscard]] std::vector<Vec2> photograph_points(const Rectification& rectification, int side,
                                                  std::span<const Vec2> rectified);
[[nodiscard]] Vec2 photograph_point(const Rectification& rectification, int side,
                                    const Vec2& rectified);

// |y_left - y_right| of matches between image 1 and image 2, px. Matches without a place in the
// rectified images are not counted. NaN if none is counted. A match across the seam of a cyclic
// rectification is taken on the nearest of its rows.
struct VerticalDisparity {
  double median = 0, percentile95 = 0;
  std::int64_t counted = 0;
};
[[nodiscard]] VerticalDisparity vertical_disparity(const Rectification& rectification,
                                                   std::span<const PointPair> matches);

// Range of the matches' disparities, widened at both ends by a fifth of its length and at least 8
// px, because sparse matches need not contain the nearest and the farthest surface. Leaves out
// matches among the outermost 1 % at each end if fewer than two neighbours support them: matches
// that obey the epipolar geometry may still be wrong along their line. count = 0 without matches.
[[nodiscard]] DisparityRange disparity_range(const Rectification& rectification,
                                             std::span<const PointPair> matches);

// Returns Q, row-major 4 x 4: for a pixel (x, y) of the left rectified image with disparity d,
// (X, Y, Z, W) = Q (x, y, d, 1) is the point (X, Y, Z) / W in the rectified left camera, in the
// unit of `baseline`. Throws Error(usage) for a polar or uncalibrated rectification.
[[nodiscard]] std::array<double, 16> reprojection_matrix(const Rectification& rectification,
                                                         double baseline);

// Writes a rectification as a file that NumPy reads (docs/formats.md), whole or not at all. Of a
// polar one, a rectified pixel (column, row) comes from
//   x, y, dx, dy = file["left"][row];  photograph = (x + column * dx, y + column * dy)
// Throws Error(usage) if width is 0.
void write_rectification(const std::filesystem::path& file, const Rectification& rectification);
// Reads a file of write_rectification(), or a `polar.npz` of an older version. Throws Error(input)
// naming the file and the array that is missing, has another shape, is not finite or contradicts
// another array.
[[nodiscard]] Rectification read_rectification(const std::filesystem::path& file);

// Source position of each pixel of an output image, in 1/256 px, rounded; -1 outside the input. The
// numbers are the same on every machine, except that a LensCamera and polar rows depend on the C
// library's trigonometric functions.
struct SamplingMap {
  int width = 0, height = 0;              // px, of the output
  int input_width = 0, input_height = 0;  // px
  std::vector<std::int32_t> x, y;         // [height][width]
};
// Returns the map of a homography. The centre of the input counts as in front: pixels across the
// horizon are outside. Throws Error(usage) if the matrix has no inverse or a size is not positive
// or too large: a side of the input above 2^22 px, an output above 2^31 - 256 px.
[[nodiscard]] SamplingMap sampling_map(const Mat3& output_from_input, int input_width,
                                       int input_height, int width, int height);
// Returns the map that removes the distortion of a lens: the output is the image of `pinhole`, a
// camera in the same place and direction. Throws Error(usage) if the size of the lens is unknown or
// a size is too large.
[[nodiscard]] SamplingMap sampling_map(const LensCamera& lens, const Intrinsics& pinhole, int width,
                                       int height);
// Returns the map of the left (side 0) or right (side 1) rectified image, lenses included. Throws
// Error(usage) if width is 0.
[[nodiscard]] SamplingMap sampling_map(const Rectification& rectification, int side);
// Returns both maps, left first.
[[nodiscard]] std::array<SamplingMap, 2> sampling_maps(const Rectification& rectification);

// Bilinear sampling through a map in a device's memory, in integers: the same pixels on every
// device. Pixels from outside the input are 0.
class Remapper {
 public:
  // Throws Error(usage) if the map is empty, its arrays do not fit its size, or a position is
  // outside the input.
  Remapper(Queue& queue, const SamplingMap& map);

  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }

  // Samples without allocation, asynchronously on a GPU. `input`
  // [input_height][input_width][channels], `output` [height][width][channels], optional `valid`
  // [height][width] (255 if the pixel is inside the input): rows without gaps, in memory of the
  // device of the constructor's queue. 1 to 4 channels. Throws Error(usage) if a Buffer is too
  // small.
  void run(Queue& queue, Memory<const std::uint8_t> input, int channels,
           Memory<std::uint8_t> output, Memory<std::uint8_t> valid = {}) const;
  void run(Queue& queue, Memory<const std::uint16_t> input, int channels,
           Memory<std::uint16_t> output, Memory<std::uint8_t> valid = {}) const;

  // Samples an image in host memory. Throws Error(usage) if its size differs from the map's input.
  [[nodiscard]] ImageU8 operator()(Queue& queue, ImageView<const std::uint8_t> image,
                                   ImageU8* valid = nullptr) const;
  [[nodiscard]] ImageU16 operator()(Queue& queue, ImageView<const std::uint16_t> image,
                                    ImageU8* valid = nullptr) const;

 private:
  int width_, height_, input_width_, input_height_;
  Buffer<std::int32_t> x_, y_;
};

// Samples one image through a homography, to the same numbers as Remapper with sampling_map().
// Pixels from outside the input are 0, and 0 in `valid` (otherwise 255). Throws as
// sampling_map() does.
[[nodiscard]] ImageU8 warp(Queue& queue, ImageView<const std::uint8_t> image,
                           const Mat3& output_from_input, int width, int height,
                           ImageU8* valid = nullptr);
[[nodiscard]] ImageU8 warp(ImageView<const std::uint8_t> image, const Mat3& output_from_input,
                           int width, int height, ImageU8* valid = nullptr);

}  // namespace bifocal
