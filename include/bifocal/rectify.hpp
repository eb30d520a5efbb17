// SPDX-License-Identifier: BSD-3-Clause
// Rectification: two pictures resampled so that a scene point lies on the same row of both. Of a
// calibrated pair, lenses included, or of an uncalibrated one from F; planar, and polar for any
// motion. docs/rectification.md.
//
//   const Rectification r = rectify(camera1, camera2, cam2_from_cam1);
//   const auto maps = sampling_maps(r);
//   Remapper left(queue, maps[0]), right(queue, maps[1]);     // once a rig
//   left.run(queue, left_picture, 1, left_rectified);         // every frame, on the device
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <bifocal/camera.hpp>
#include <bifocal/device.hpp>
#include <bifocal/fields.hpp>
#include <bifocal/geometry.hpp>
#include <bifocal/image.hpp>

namespace bifocal {

enum class RectifyOutcome {
  ok,
  epipole_near_image,  // motion along a viewing direction: rows can't be made parallel to it
                       // without extreme stretching
  too_wide,            // a corner turns further than 83 degrees from the rectified axis, or all of
                       // a picture further than RectifyOptions::max_angle_deg
  no_common_rows,
  no_geometry,     // F is not of rank 2
  no_orientation,  // polar: matches don't tell which half lines belong together
};
[[nodiscard]] const char* to_string(RectifyOutcome outcome);

// Disparities [min, min + count) px to search.
struct DisparityRange {
  int min = 0, count = 0;
};

// Index 1 is the left picture: image 1, or image 2 when `swapped`. Pixels of the rectified pictures
// are H times those of a pinhole at the place of the input's camera: with a lens, px of the input
// go through undistort() first (rectified_point does both).
//
// Calibrated: Z = baseline fx / (d + doffs) with doffs = camera2.cx - camera1.cx, d + doffs > 0 for
// a point in front, and d itself may be negative. Uncalibrated: camera1 and camera2 are not valid.
struct Rectification {
  Mat3 H1{}, H2{};              // rectified px ~ H input px
  Mat3 R1{};                    // rectified left camera from left camera
  Intrinsics camera1, camera2;  // of the rectified images; differ in cx only
  int width = 0, height = 0;    // px, of both rectified images; 0 when they can't be rectified
  bool swapped = false;         // camera 2 is the left one
  Mat3 R2{};                    // rectified right camera from right camera
  Camera input1, input2;        // of the left and of the right picture as given
  RectifyOutcome outcome = RectifyOutcome::ok;  // why width is 0
  // These are there where a LensCamera with a lens was given; input1 and input2 are then its
  // pinhole().
  std::optional<LensCamera> lens1{}, lens2{};
};
struct RectifyOptions {
  double max_scale = 1.5;  // the focal length is reduced to keep it
  // Calibrated pairs: what lies further off the rectified axis is left out, which else is a reason
  // to refuse them from 83 degrees on. For wide lenses, whose rims would take most of the canvas.
  double max_angle_deg = 0;
};
constexpr const char* name_of(const RectifyOptions&) { return "RectifyOptions"; }
template <MaybeConst<RectifyOptions> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [max_scale, max_angle_deg] = options;
  BIFOCAL_FIELD(max_scale, "most area of a rectified picture, times the input's",
                Range::above(0).finite());
  BIFOCAL_FIELD(max_angle_deg,
                "angle off the rectified axis beyond which nothing is seen; 0: nothing is left out",
                Range::within(0, 83), "degrees");
}

// Turns both cameras about their centres until their rows are parallel to the baseline:
//   A. Fusiello, E. Trucco, A. Verri, A compact algorithm for rectification of stereo pairs, MVA
//   12(1), 2000.
// The rectified cameras share fx = fy and cy; the canvas has the rows that both pictures have, and
// each picture's columns from its own left end. The length of the baseline does not matter. Throws
// Error(usage) when it is zero or an argument is not finite or not positive where it has to be.
// Returns width = 0 and the outcome when the baseline lies within 30 degrees of a viewing direction
// (the epipole is in or near the image), when the views differ so much that a corner turns further
// than 83 degrees from the rectified axis, and when the pictures have no row in common.
[[nodiscard]] Rectification rectify(const Intrinsics& camera1, const Intrinsics& camera2,
                                    const Pose& cam2_from_cam1, int width1, int height1, int width2,
                                    int height2, const RectifyOptions& options = {});
// This takes cameras with lenses, which hold the sizes of their pictures. Pixels beyond the disc of
// a lens (Lens::radius) are left out.
[[nodiscard]] Rectification rectify(const Camera& camera1, const Camera& camera2,
                                    const Pose& cam2_from_cam1, const RectifyOptions& options = {});
// This takes lenses of any model that were made with the sizes of their pictures: fisheyes too, as
// far as a pinhole sees (80 degrees off the axis).
[[nodiscard]] Rectification rectify(const LensCamera& camera1, const LensCamera& camera2,
                                    const Pose& cam2_from_cam1, const RectifyOptions& options = {});

// Rectifies by x2' F x1 = 0 alone, with pictures taken as free of distortion:
//   C. Loop, Z. Zhang, Computing rectifying homographies for stereo vision, CVPR 1999.
// It takes that pair of homographies which make F's lines equal rows whose perspective part
// distorts both pictures least; each picture then keeps the aspect and the right angle of its
// middle lines. Rows are equal as exactly as F is; F is made one of rank 2 first. Image 1 counts as
// the left one. The canvas is that of the calibrated case, at the pictures' own scale. The width is
// 0, and the outcome tells why, when an epipole is in a picture, or so near that its scale would
// change across it by more than 1 : 4, or when no row is in common. Throws Error(usage) when F is
// not finite or zero, or a size is not positive.
[[nodiscard]] Rectification rectify_uncalibrated(const Mat3& F, int width1, int height1, int width2,
                                                 int height2, const RectifyOptions& options = {});

// The same with the matches that F was found from: they tell which picture is the left one, by
// whether most lie in front of cameras of 45 degrees across with these rows. Wrong for 0, 2, 9 and
// 34 of 1000 random rigs turned by up to 3, 7, 14 and 23 degrees, and for none of 82 real pairs.
[[nodiscard]] Rectification rectify_uncalibrated(const Mat3& F, std::span<const PointPair> matches,
                                                 int width1, int height1, int width2, int height2,
                                                 const RectifyOptions& options = {});

// A pixel of the left (side 0) or right (1) input picture comes to lie here; NaN beyond the disc of
// its lens or the horizon of its homography.
[[nodiscard]] Vec2 rectified_point(const Rectification& rectification, int side, const Vec2& px);

// |y_left - y_right| of matches between image 1 and image 2, px; matches that have no place in the
// rectified pictures are not counted. NaN when none is.
struct VerticalDisparity {
  double median = 0, percentile95 = 0;
  std::int64_t counted = 0;
};
[[nodiscard]] VerticalDisparity vertical_disparity(const Rectification& rectification,
                                                   std::span<const PointPair> matches);

// Covers the middle 98 % of the matches' disparities in the rectified pictures (a match that obeys
// the epipolar geometry may still be wrong along its line), widened at both ends by a fifth of
// their span and at least 8 px, because sparse matches needn't hold the nearest and the farthest
// surface. count = 0 without matches.
[[nodiscard]] DisparityRange disparity_range(const Rectification& rectification,
                                             std::span<const PointPair> matches);

// Row-major 4 x 4: (X, Y, Z, W) = Q (x, y, d, 1) of a pixel of the left rectified picture and its
// disparity is the point (X, Y, Z) / W in the rectified left camera, in the unit of `baseline`.
// Throws Error(usage) for an uncalibrated rectification.
[[nodiscard]] std::array<double, 16> reprojection_matrix(const Rectification& rectification,
                                                         double baseline);

// A map says for every pixel of an output where it comes from in an input: positions are in 1/256
// px, rounded, and -1 outside. They are the same numbers on every machine, but for a LensCamera's,
// which depend on the C library's tan and atan.
struct SamplingMap {
  int width = 0, height = 0;              // px, of the output
  int input_width = 0, input_height = 0;  // px
  std::vector<std::int32_t> x, y;         // [height][width]
};
// Through a homography. The input's centre counts as in front: pixels across the homography's
// horizon are outside. Throws Error(usage) when the matrix has no inverse or a size is not positive
// or too large: an input's side beyond 2^22 px, an output beyond 2^31 - 256 px.
[[nodiscard]] SamplingMap sampling_map(const Mat3& output_from_input, int input_width,
                                       int input_height, int width, int height);
// Makes the maps of both rectified pictures, left first, lenses included. Throws Error(usage) where
// width is 0.
[[nodiscard]] std::array<SamplingMap, 2> sampling_maps(const Rectification& rectification);
// Makes that of the left (side 0) or the right one (1).
[[nodiscard]] SamplingMap sampling_map(const Rectification& rectification, int side);

// Bilinear sampling through a map that lies in a device's memory. All in whole numbers: the same
// pixels on every device. Outside the input: 0.
class Remapper {
 public:
  // Throws Error(usage) when the map is empty, its arrays don't fit its size, or a position is
  // outside the input.
  Remapper(Queue& queue, const SamplingMap& map);

  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }

  // Asynchronous, without allocation. `input` [input_height][input_width][channels], `output`
  // [height][width][channels], `valid` [height][width], when given 255 where there is a pixel: rows
  // without gaps, in memory that the queue's device can use; the queue is one of the constructor's
  // device. 1 to 4 channels. Throws Error(usage) when a Buffer is too small.
  void run(Queue& queue, Memory<const std::uint8_t> input, int channels,
           Memory<std::uint8_t> output, Memory<std::uint8_t> valid = {}) const;
  void run(Queue& queue, Memory<const std::uint16_t> input, int channels,
           Memory<std::uint16_t> output, Memory<std::uint8_t> valid = {}) const;

  // A picture of the host's: up, sampled, down. Throws Error(usage) when it has another size than
  // the map's input.
  [[nodiscard]] ImageU8 operator()(Queue& queue, ImageView<const std::uint8_t> image,
                                   ImageU8* valid = nullptr) const;
  [[nodiscard]] ImageU16 operator()(Queue& queue, ImageView<const std::uint16_t> image,
                                    ImageU8* valid = nullptr) const;

 private:
  int width_, height_, input_width_, input_height_;
  Buffer<std::int32_t> x_, y_;
};

// One picture through a homography, by the same numbers: source positions rounded to 1/256 px.
// Pixels from outside the input are 0, and 0 in `valid` when given (else 255). Errors as of
// sampling_map(). On the queue's device, whatever it is, or on the CPU.
[[nodiscard]] ImageU8 warp(Queue& queue, ImageView<const std::uint8_t> image,
                           const Mat3& output_from_input, int width, int height,
                           ImageU8* valid = nullptr);
[[nodiscard]] ImageU8 warp(ImageView<const std::uint8_t> image, const Mat3& output_from_input,
                           int width, int height, ImageU8* valid = nullptr);

// Polar rectification: for any motion, also along the viewing direction, where no plane makes the
// epipolar lines parallel. A row of both pictures is a pair of corresponding half
// lines that begin at the epipoles, a column is a distance from the epipole.
//   M. Pollefeys, R. Koch, L. Van Gool, A simple and efficient rectification method for general
//   motion, ICCV 1999.
//
//   const PolarRectification r = rectify_polar(F, inliers, width1, height1, width2, height2);
//   if (r.width == 0) return to_string(r.outcome);
//   Remapper left(queue, sampling_map(r, 0)), right(queue, sampling_map(r, 1));
//   const Vec2 px = photograph_point(r, 0, {120, 45});        // of the rectified pixel (120, 45)
//   write_polar("map.npz", r);

// Column c of a row lies at (x + c dx, y + c dy) of the photograph, px. The step (dx, dy) is at
// most 1 / scale px long.
struct PolarRow {
  double x = 0, y = 0, dx = 0, dy = 0;
};

// This says how one picture is resampled.
struct PolarSide {
  int photograph_width = 0, photograph_height = 0;  // px
  Vec2 epipole{};              // px of the photograph; one at infinity is moved to 1e12 px
  bool to_epipole = false;     // columns count towards the epipole, else away from it
  std::vector<PolarRow> rows;  // one a row of the rectified picture
};

// Side 0 is image 1, side 1 is image 2: pictures are never swapped. A scene point lies on the same
// row of both, and its disparity x0 - x1 may be of either sign.
struct PolarRectification {
  int width = 0, height = 0;  // px, of both rectified pictures; 0 when they can't be rectified
  double scale = 1;           // rectified px a px of the photographs, at least, everywhere: below 1
                              // where max_scale does not allow more
  bool is_cyclic = false;     // both epipoles are in their pictures: the rows go all the way round
  int overlap = 0;            // rows: the first ones repeat the end of the turn, the last ones its
                              // beginning, so that a matcher sees across the seam
  std::array<PolarSide, 2> sides;
  RectifyOutcome outcome = RectifyOutcome::ok;  // why width is 0
};

struct PolarOptions {
  double max_scale = 12;  // PolarRectification::scale is reduced to keep it
  int overlap = 32;
};
constexpr const char* name_of(const PolarOptions&) { return "PolarOptions"; }
template <MaybeConst<PolarOptions> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [max_scale, overlap] = options;
  BIFOCAL_FIELD(max_scale, "most area of a rectified picture, times the larger photograph's",
                Range::above(0).finite());
  BIFOCAL_FIELD(overlap, "rows that are repeated, where the turn is a whole one and has as many",
                Range::at_least(0), "rows");
}

// Rectifies a pair of which x2' F x1 = 0 is known, px, and matches that obey it, since these tell
// which half lines belong together (O. Chum, T. Werner, J. Matas, Epipolar geometry estimation via
// RANSAC benefits from the oriented epipolar constraint, ICPR 2004). Rows are as close as it takes
// for both pictures to keep their pixels. Only half lines that cross both pictures are there. Where
// the matches of one picture lie more than 1.2 times as far apart along the rows as those of the
// other, as after a zoom or a large step forward, the columns of the latter are stretched by the
// ratio (at most 4), if that leaves shorter disparities. Outcomes beside ok: no_geometry when F is
// not of rank 2; no_common_rows when no half line crosses both pictures; no_orientation when as
// many matches contradict an orientation as support it, or there is none. Throws Error(usage) when
// F is not finite or zero, a size is not positive, or an option is out of its range.
[[nodiscard]] PolarRectification rectify_polar(const Mat3& F, std::span<const PointPair> matches,
                                               int width1, int height1, int width2, int height2,
                                               const PolarOptions& options = {});

// Does the same for a calibrated pair; |t| does not matter. The pose tells the half lines, the
// matches (none are needed) only the stretching. Rows run so that disparities grow as points come
// nearer. Throws Error(usage) also when t is zero, or a camera or the pose is not finite.
[[nodiscard]] PolarRectification rectify_polar(const Intrinsics& camera1, const Intrinsics& camera2,
                                               const Pose& cam2_from_cam1,
                                               std::span<const PointPair> matches, int width1,
                                               int height1, int width2, int height2,
                                               const PolarOptions& options = {});

// Takes a place in the rectified picture of side 0 or 1 to the photograph, px; between two
// rows on a straight line between theirs. Beyond the first and last row, and beyond the epipole:
// NaN.
[[nodiscard]] Vec2 photograph_point(const PolarRectification& rectification, int side,
                                    const Vec2& rectified);

// The inverse: where a place in a photograph comes to lie. Of the two places of a row that is
// repeated, the one that is not near the border. NaN where no row passes.
[[nodiscard]] Vec2 rectified_point(const PolarRectification& rectification, int side,
                                   const Vec2& px);
// Does so for many points: what is needed to search the rows is made once.
[[nodiscard]] std::vector<Vec2> rectified_points(const PolarRectification& rectification, int side,
                                                 std::span<const Vec2> px);

// These are as those of planar rectifications. A match across the seam of a cyclic
// rectification is taken on the nearest of its rows.
[[nodiscard]] VerticalDisparity vertical_disparity(const PolarRectification& rectification,
                                                   std::span<const PointPair> matches);
[[nodiscard]] DisparityRange disparity_range(const PolarRectification& rectification,
                                             std::span<const PointPair> matches);

// Makes a map for Remapper; what lies beyond the epipole is outside. Throws Error(usage) where
// width is 0.
[[nodiscard]] SamplingMap sampling_map(const PolarRectification& rectification, int side);
[[nodiscard]] std::array<SamplingMap, 2> sampling_maps(const PolarRectification& rectification);

// A rectification scales the pixels of both photographs as unevenly as this: exp of the standard
// deviation of the logarithms of the scale, in the directions of its largest and its smallest
// value, over a grid of pixels. 1 where all pixels become larger or smaller alike; infinity where
// nothing is rectified.
[[nodiscard]] double stretch(const Rectification& rectification);
[[nodiscard]] double stretch(const PolarRectification& rectification);

// A choice says which of the two a pair is better rectified by. Planar ones keep straight lines and
// give cameras: polar is chosen where there is no planar one, or where it stretches pixels by more
// than 1.3 and by a tenth more than the polar one.
struct RectificationChoice {
  bool is_polar = false;
  double planar_stretch = 1, polar_stretch = 1;  // infinity: not rectified
  std::string reason;                            // in words, with these numbers
};
[[nodiscard]] RectificationChoice choose_rectification(const Rectification& planar,
                                                       const PolarRectification& polar);

// The map as a file that NumPy reads (docs/formats.md): of rectified pixel (column, row)
//   x, y, dx, dy = file["left"][row];  photograph = (x + column * dx, y + column * dy)
// Written whole or not at all. read_polar() throws Error(input) naming the file and the array for
// what is missing, of another shape, not finite, or does not fit together.
void write_polar(const std::filesystem::path& file, const PolarRectification& rectification);
[[nodiscard]] PolarRectification read_polar(const std::filesystem::path& file);

}  // namespace bifocal
