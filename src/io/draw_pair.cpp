// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <bifocal/draw.hpp>
#include <bifocal/error.hpp>

namespace bifocal {
namespace {

constexpr Colour kInlier{70, 230, 90};
constexpr Colour kOutlier{190, 50, 50};

// Width of strokes in px: proportional to the image, so that they stay visible if it is displayed
// at a reduced size.
double stroke(const ImageU8& picture) { return std::max(1.0, picture.width / 1200.0); }

// Chooses at most `most` indices of points whose inlier flag is `wanted`, evenly spaced
// in their order.
std::vector<std::size_t> choose(std::span<const PointPair> points,
                                std::span<const std::uint8_t> inliers, bool wanted, int most) {
  if (!inliers.empty() && inliers.size() != points.size()) {
    throw Error(ErrorCode::usage, "draw: " + std::to_string(inliers.size()) + " inlier marks for " +
                                      std::to_string(points.size()) + " points");
  }
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if ((inliers.empty() || inliers[i] != 0) == wanted) all.push_back(i);
  }
  const std::size_t count = std::min(all.size(), std::size_t(std::max(most, 0)));
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < count; ++i) chosen.push_back(all[i * all.size() / count]);
  return chosen;
}

void paste(const ImageU8& rgb, ImageU8& onto, int x) {
  for (int y = 0; y < rgb.height; ++y) {
    std::memcpy(&onto.at(x, y), rgb.row(y), std::size_t(rgb.width) * 3);
  }
}

// Draws the line l x + m y + n = 0 from edge to edge of the image.
void draw_epipolar_line(ImageU8& rgb, const Vec3& line, Colour colour) {
  const auto [l, m, n] = line;
  if (std::abs(m) >= std::abs(l)) {
    const double right = rgb.width;
    draw_line(rgb, -1, (l - n) / m, right, (-n - l * right) / m, colour, stroke(rgb), 0.85);
  } else {
    const double bottom = rgb.height;
    draw_line(rgb, (m - n) / l, -1, (-n - m * bottom) / l, bottom, colour, stroke(rgb), 0.85);
  }
}

// Draws a coloured point with a white rim.
void mark(ImageU8& rgb, double x, double y, Colour colour) {
  const double width = 1.5 * stroke(rgb);
  draw_circle(rgb, x, y, 4 * width, {255, 255, 255}, 2 * width);
  draw_circle(rgb, x, y, 4 * width, colour, width);
}

// Returns the bilinear grey value at (x, y), or -1 outside the image.
double sample(const ImageU8& grey, double x, double y) {
  if (!(x >= 0 && y >= 0 && x <= grey.width - 1 && y <= grey.height - 1)) return -1;
  const int x0 = std::min(int(x), std::max(grey.width - 2, 0)),
            y0 = std::min(int(y), std::max(grey.height - 2, 0));
  const int x1 = std::min(x0 + 1, grey.width - 1), y1 = std::min(y0 + 1, grey.height - 1);
  const double a = x - x0, b = y - y0;
  const double top = grey.at(x0, y0) * (1 - a) + grey.at(x1, y0) * a;
  const double bottom = grey.at(x0, y1) * (1 - a) + grey.at(x1, y1) * a;
  return top * (1 - b) + bottom * b;
}

}  // namespace

SideBySide side_by_side(ImageView<const std::uint8_t> image1,
                        ImageView<const std::uint8_t> image2) {
  const ImageU8 left = to_rgb(image1), right = to_rgb(image2);
  const int gap = std::max(4, (left.width + right.width) / 200);
  SideBySide result{
      ImageU8(left.width + gap + right.width, std::max({left.height, right.height, 1}), 3, 24),
      left.width + gap};
  paste(left, result.picture, 0);
  if (!right.empty()) paste(right, result.picture, result.x_offset);
  return result;
}

ImageU8 draw_matches(ImageView<const std::uint8_t> image1, ImageView<const std::uint8_t> image2,
                     std::span<const PointPair> points, std::span<const std::uint8_t> inliers,
                     int max_lines) {
  auto [picture, offset] = side_by_side(image1, image2);
  const double width = stroke(picture);
  for (const bool good : {false, true}) {
    const Colour colour = good ? kInlier : kOutlier;
    const double opacity = good ? 0.8 : 0.45;
    for (const std::size_t i : choose(points, inliers, good, max_lines)) {
      const PointPair& p = points[i];
      draw_line(picture, p.x1, p.y1, p.x2 + offset, p.y2, colour, width, opacity);
      draw_circle(picture, p.x1, p.y1, 3 * width, colour, width, opacity + 0.2);
      draw_circle(picture, p.x2 + offset, p.y2, 3 * width, colour, width, opacity + 0.2);
    }
  }
  return std::move(picture);
}

ImageU8 draw_epipolar_lines(ImageView<const std::uint8_t> image1,
                            ImageView<const std::uint8_t> image2, std::span<const PointPair> points,
                            std::span<const std::uint8_t> inliers, const Mat3& F, int count) {
  ImageU8 left = to_rgb(image1), right = to_rgb(image2);
  const Mat3 Ft = transposed(F);
  const std::vector<std::size_t> chosen = choose(points, inliers, true, count);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const PointPair& p = points[chosen[i]];
    const Colour colour = turbo_colour(0.1 + 0.8 * double(i) / double(chosen.size()));
    draw_epipolar_line(left, times(Ft, Vec3{p.x2, p.y2, 1}), colour);
    draw_epipolar_line(right, times(F, Vec3{p.x1, p.y1, 1}), colour);
    mark(left, p.x1, p.y1, colour);
    mark(right, p.x2, p.y2, colour);
  }
  return side_by_side(left, right).picture;
}

ImageU8 blend_warped(ImageView<const std::uint8_t> image1, ImageView<const std::uint8_t> image2,
                     const Mat3& H) {
  const ImageU8 grey1 = to_grey(image1), grey2 = to_grey(image2);
  // The adjugate is the inverse up to scale. For a singular H it maps no point into the image, or
  // all points onto a line.
  const Mat3 inverse = adjugate(H);
  ImageU8 result(grey2.width, grey2.height, 3);
  for (int y = 0; y < result.height; ++y) {
    for (int x = 0; x < result.width; ++x) {
      const auto [u, v, w] = times(inverse, Vec3{double(x), double(y), 1});
      const double warped = sample(grey1, u / w, v / w);
      const std::uint8_t fixed = grey2.at(x, y);
      std::uint8_t* out = &result.at(x, y);
      out[0] = warped < 0 ? std::uint8_t(fixed / 3) : std::uint8_t(warped + 0.5);
      out[1] = out[2] = warped < 0 ? std::uint8_t(fixed / 3) : fixed;
    }
  }
  return result;
}

}  // namespace bifocal
