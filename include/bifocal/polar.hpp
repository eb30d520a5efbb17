// SPDX-License-Identifier: BSD-3-Clause
// Polar rectification: for any motion, also along the viewing direction, where no plane makes the
// epipolar lines parallel (rectify.hpp). A row of both pictures is a pair of corresponding half
// lines that begin at the epipoles, a column is a distance from the epipole. docs/rectification.md.
//   M. Pollefeys, R. Koch, L. Van Gool, A simple and efficient rectification method for general
//   motion, ICCV 1999.
//
//   const PolarRectification r = rectify_polar(F, inliers, width1, height1, width2, height2);
//   if (r.width == 0) return to_string(r.outcome);
//   Remapper left(queue, sampling_map(r, 0)), right(queue, sampling_map(r, 1));
//   const Vec2 px = photograph_point(r, 0, {120, 45});        // of the rectified pixel (120, 45)
//   write_polar("map.npz", r);
#pragma once

#include <array>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <bifocal/geometry.hpp>
#include <bifocal/rectify.hpp>

namespace bifocal {

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

// These are as those of planar rectifications (rectify.hpp). A match across the seam of a cyclic
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

// Which of the two a pair is better rectified by. Planar ones keep straight lines and give cameras:
// polar is chosen where there is no planar one, or where it stretches pixels by more than 1.3 and
// by a tenth more than the polar one.
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
