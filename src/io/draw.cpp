// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/draw.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include <bifocal/error.hpp>

#include "io/glyphs.hpp"

namespace bifocal {
namespace {

void check_size(const char* what, double value) {
  constexpr double kLargest = 10000;  // px
  if (!(value >= 0 && value <= kLargest)) {
    throw Error(ErrorCode::usage, fmt::format("{} = {}: must be in 0..{}", what, value, kLargest));
  }
}

void check_rgb(const ImageU8& image, const char* function) {
  if (image.channels != 3) {
    throw Error(ErrorCode::usage, std::string(function) + ": image has " +
                                      std::to_string(image.channels) + " channels, not 3");
  }
}

void blend(ImageU8& rgb, int x, int y, Colour colour, double opacity) {
  if (x < 0 || y < 0 || x >= rgb.width || y >= rgb.height || opacity <= 0) return;
  const int a = int(256 * std::min(opacity, 1.0));
  std::uint8_t* p = &rgb.at(x, y);
  p[0] = std::uint8_t(p[0] + (colour.r - p[0]) * a / 256);
  p[1] = std::uint8_t(p[1] + (colour.g - p[1]) * a / 256);
  p[2] = std::uint8_t(p[2] + (colour.b - p[2]) * a / 256);
}

// Returns the fraction of a pixel that a stroke covers, as a function of the distance from
// its centre line.
double coverage(double distance, double width) {
  return std::clamp(width / 2 + 0.5 - distance, 0.0, std::min(width, 1.0));
}

// Clips the parameter range [from, to] of p + t v, along one image axis, to the part in [lo, hi].
// Returns false if it is empty. (Y.-D. Liang and B. A. Barsky 1984)
bool clip(double p, double v, double lo, double hi, double& from, double& to) {
  if (v == 0) return p >= lo && p <= hi;
  double a = (lo - p) / v, b = (hi - p) / v;
  if (a > b) std::swap(a, b);
  from = std::max(from, a);
  to = std::min(to, b);
  return from <= to;
}

}  // namespace

ImageU8 to_rgb(ImageView<const std::uint8_t> image) {
  if (image.empty()) return ImageU8(0, 0, 3);
  ImageU8 rgb(image.width, image.height, 3);
  const int green = image.channels >= 3 ? 1 : 0, blue = image.channels >= 3 ? 2 : 0;
  for (int y = 0; y < image.height; ++y) {
    const std::uint8_t* in = image.row(y);
    std::uint8_t* out = rgb.row(y);
    for (int x = 0; x < image.width; ++x, in += image.channels, out += 3) {
      out[0] = in[0];
      out[1] = in[green];
      out[2] = in[blue];
    }
  }
  return rgb;
}

void draw_line(ImageU8& rgb, double x1, double y1, double x2, double y2, Colour colour,
               double width, double opacity) {
  check_rgb(rgb, "draw_line");
  check_size("draw_line: width", width);
  const double dx = x2 - x1, dy = y2 - y1, length = std::hypot(dx, dy);
  // Longer lines come only from degenerate geometry, and rounding loses their pixels.
  if (!(length > 0 && length < 1e9)) return;
  double from = 0, to = 1;
  if (!clip(x1, dx, -width, rgb.width - 1 + width, from, to) ||
      !clip(y1, dy, -width, rgb.height - 1 + width, from, to)) {
    return;
  }
  // Steps along the longer axis u and covers the pixels near the line along the shorter axis v.
  const bool flat = std::abs(dx) >= std::abs(dy);
  const double u1 = flat ? x1 : y1, v1 = flat ? y1 : x1;
  const double du = flat ? dx : dy, dv = flat ? dy : dx;
  const double cosine = std::abs(du) / length, reach = (width / 2 + 0.5) / cosine;
  const double ends[] = {u1 + from * du, u1 + to * du};
  const int begin = int(std::lround(std::min(ends[0], ends[1])));
  const int end = int(std::lround(std::max(ends[0], ends[1])));
  for (int u = begin; u <= end; ++u) {
    const double v = v1 + (u - u1) * (dv / du);
    for (int w = int(std::ceil(v - reach)); w <= v + reach; ++w) {
      const double share = coverage(std::abs(w - v) * cosine, width);
      blend(rgb, flat ? u : w, flat ? w : u, colour, opacity * share);
    }
  }
}

void draw_circle(ImageU8& rgb, double x, double y, double radius, Colour colour, double width,
                 double opacity) {
  check_rgb(rgb, "draw_circle");
  check_size("draw_circle: width", width);
  check_size("draw_circle: radius", radius);
  const double reach = radius + width;
  if (!(x > -reach && x < rgb.width + reach && y > -reach && y < rgb.height + reach)) return;
  const int x_end = std::min(rgb.width - 1, int(x + reach) + 1);
  const int y_end = std::min(rgb.height - 1, int(y + reach) + 1);
  for (int py = std::max(0, int(y - reach)); py <= y_end; ++py) {
    for (int px = std::max(0, int(x - reach)); px <= x_end; ++px) {
      const double distance = std::abs(std::hypot(px - x, py - y) - radius);
      blend(rgb, px, py, colour, opacity * coverage(distance, width));
    }
  }
}

void draw_text(ImageU8& rgb, int x, int y, std::string_view text, Colour colour, int scale) {
  check_rgb(rgb, "draw_text");
  check_size("draw_text: scale", scale);
  for (const char character : text) {
    for (int gy = 0; gy < io::kGlyphHeight * scale; ++gy) {
      for (int gx = 0; gx < io::kGlyphWidth * scale; ++gx) {
        if (io::glyph_ink(character, gx / scale, gy / scale)) {
          blend(rgb, x + gx, y + gy, colour, 1.0);
        }
      }
    }
    x += (io::kGlyphWidth + 1) * scale;
  }
}

int text_width(std::string_view text, int scale) {
  return text.empty() ? 0 : (int(text.size()) * (io::kGlyphWidth + 1) - 1) * scale;
}

}  // namespace bifocal
