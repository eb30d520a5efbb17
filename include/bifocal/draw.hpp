// SPDX-License-Identifier: BSD-3-Clause
// Drawing on RGB images, and the images of a report: matches, epipolar lines, a warped overlay.
// Coordinates are pixels, (0, 0) is the centre of the top-left pixel. Parts outside the image and
// coordinates that are not finite are not drawn.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <bifocal/geometry.hpp>
#include <bifocal/image.hpp>

namespace bifocal {

// A colour in RGB, 0 to 255.
struct Colour {
  std::uint8_t r = 0, g = 0, b = 0;
};

// Returns the turbo colour of t in [0, 1] (Mikhailov 2019); values outside are clamped.
[[nodiscard]] Colour turbo_colour(double t);

// Converts an image of 1 to 4 channels to RGB and drops alpha.
[[nodiscard]] ImageU8 to_rgb(ImageView<const std::uint8_t> image);

// Draws an anti-aliased line. x, y, width: px. opacity: 0 to 1. Throws Error(usage) unless the
// image has 3 channels.
void draw_line(ImageU8& rgb, double x1, double y1, double x2, double y2, Colour colour,
               double width = 1.0, double opacity = 1.0);
// Draws an anti-aliased circle. x, y, radius, width: px. opacity: 0 to 1. Throws Error(usage)
// unless the image has 3 channels.
void draw_circle(ImageU8& rgb, double x, double y, double radius, Colour colour, double width = 1.0,
                 double opacity = 1.0);

// Draws printable ASCII in a 5 x 7 font enlarged `scale` times; (x, y) is the top-left corner.
// Throws Error(usage) unless the image has 3 channels.
void draw_text(ImageU8& rgb, int x, int y, std::string_view text, Colour colour, int scale = 1);
[[nodiscard]] int text_width(std::string_view text, int scale = 1);        // px
[[nodiscard]] inline int text_height(int scale = 1) { return 7 * scale; }  // px

// Two images in RGB, the second to the right of the first after a dark gap, aligned at the top.
// x_offset is the first column of the second image.
struct SideBySide {
  ImageU8 picture;
  int x_offset = 0;
};
[[nodiscard]] SideBySide side_by_side(ImageView<const std::uint8_t> image1,
                                      ImageView<const std::uint8_t> image2);

// Draws both images side by side with a line for each match: inliers (inliers[i] != 0) in green
// over outliers in dim red, at most `max_lines` of each, evenly selected in their order. `inliers`
// is empty (all are inliers) or has one entry for each point.
[[nodiscard]] ImageU8 draw_matches(ImageView<const std::uint8_t> image1,
                                   ImageView<const std::uint8_t> image2,
                                   std::span<const PointPair> points,
                                   std::span<const std::uint8_t> inliers, int max_lines = 200);

// Draws both images side by side with the epipolar lines of at most `count` inliers: F x1 in the
// right image, F' x2 in the left one, each with its point, and one colour for each match.
[[nodiscard]] ImageU8 draw_epipolar_lines(ImageView<const std::uint8_t> image1,
                                          ImageView<const std::uint8_t> image2,
                                          std::span<const PointPair> points,
                                          std::span<const std::uint8_t> inliers, const Mat3& F,
                                          int count = 30);

// Draws the grey image1 warped by H (x2 ~ H x1, bilinear) in red over the grey image2 in cyan, in
// the frame of image2, so that equal areas appear grey. Dims image2 outside the area of image1.
[[nodiscard]] ImageU8 blend_warped(ImageView<const std::uint8_t> image1,
                                   ImageView<const std::uint8_t> image2, const Mat3& H);

}  // namespace bifocal
