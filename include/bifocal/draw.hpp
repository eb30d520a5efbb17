// SPDX-License-Identifier: BSD-3-Clause
// Drawing on RGB pictures, and the pictures of a report: matches, epipolar lines, a warped overlay.
// Coordinates are pixels, (0, 0) the centre of the top-left one; what lies outside the picture, or
// is not finite, is not drawn.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <bifocal/geometry.hpp>
#include <bifocal/image.hpp>

namespace bifocal {

struct Colour {
  std::uint8_t r = 0, g = 0, b = 0;
};

// Turbo colour of t in [0, 1] (Mikhailov 2019); outside is clamped.
[[nodiscard]] Colour turbo_colour(double t);

// Any picture as RGB; alpha is dropped.
[[nodiscard]] ImageU8 to_rgb(ImageView<const std::uint8_t> image);

// The following draw on a picture of 3 channels (Error(usage) otherwise), anti-aliased. `opacity`
// is in [0, 1].
void draw_line(ImageU8& rgb, double x1, double y1, double x2, double y2, Colour colour,
               double width = 1.0, double opacity = 1.0);
void draw_circle(ImageU8& rgb, double x, double y, double radius, Colour colour, double width = 1.0,
                 double opacity = 1.0);

// Printable ASCII in a 5 x 7 font enlarged `scale` times; (x, y) is the top-left corner.
void draw_text(ImageU8& rgb, int x, int y, std::string_view text, Colour colour, int scale = 1);
[[nodiscard]] int text_width(std::string_view text, int scale = 1);        // px
[[nodiscard]] inline int text_height(int scale = 1) { return 7 * scale; }  // px

// Both pictures are in RGB, the second to the right of the first behind a dark gap, tops aligned.
// x_offset is the column of the second.
struct SideBySide {
  ImageU8 picture;
  int x_offset = 0;
};
[[nodiscard]] SideBySide side_by_side(ImageView<const std::uint8_t> image1,
                                      ImageView<const std::uint8_t> image2);

// Side by side with a line a match: inliers (inliers[i] != 0) green over outliers dim red, at most
// `max_lines` of each, chosen evenly in their order. `inliers` is empty (all are) or one a point.
[[nodiscard]] ImageU8 draw_matches(ImageView<const std::uint8_t> image1,
                                   ImageView<const std::uint8_t> image2,
                                   std::span<const PointPair> points,
                                   std::span<const std::uint8_t> inliers, int max_lines = 200);

// Side by side with the epipolar lines of at most `count` inliers: F x1 on the right, F' x2 on the
// left, each with its point, one colour a match.
[[nodiscard]] ImageU8 draw_epipolar_lines(ImageView<const std::uint8_t> image1,
                                          ImageView<const std::uint8_t> image2,
                                          std::span<const PointPair> points,
                                          std::span<const std::uint8_t> inliers, const Mat3& F,
                                          int count = 30);

// Draws in the frame of image2 the grey image1 warped by H (x2 ~ H x1, bilinear) in red, grey
// image2 in cyan, so that what agrees is grey; image2 dimmed where image1 does not reach.
[[nodiscard]] ImageU8 blend_warped(ImageView<const std::uint8_t> image1,
                                   ImageView<const std::uint8_t> image2, const Mat3& H);

}  // namespace bifocal
