// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <bifocal/draw.hpp>
#include <bifocal/io.hpp>

#include "io/glyphs.hpp"
#include "io/reject.hpp"

namespace bifocal {
namespace {

constexpr Colour kInk{235, 235, 235};
constexpr std::uint8_t kPaper = 24;

// Formats a value; the narrower the range, the more decimals.
std::string label(double value, double width) {
  const double range = std::abs(width);
  return fmt::format("{:.{}f}", value, range >= 20 ? 0 : range >= 2 ? 1 : 2);
}

// Draws a colour bar with ticks and the values at both ends and the middle, below row `top`.
void draw_legend(ImageU8& rgb, int top, int scale, float lo, float hi) {
  const int margin = 6 * scale, bar = 10 * scale, width = rgb.width - 2 * margin;
  for (int x = 0; x < width; ++x) {
    const Colour c = turbo_colour(width > 1 ? double(x) / (width - 1) : 0.5);
    for (int y = top + margin; y < top + margin + bar; ++y) {
      std::uint8_t* p = &rgb.at(margin + x, y);
      p[0] = c.r, p[1] = c.g, p[2] = c.b;
    }
  }
  const double middle = (double(lo) + hi) / 2, range = double(hi) - lo;
  const std::string texts[] = {label(lo, range), label(middle, range), label(hi, range) + " px"};
  const int y = top + margin + bar + 4 * scale;
  const int w[] = {text_width(texts[0], scale), text_width(texts[1], scale),
                   text_width(texts[2], scale)};
  draw_text(rgb, margin, y, texts[0], kInk, scale);
  if (w[0] + w[2] + 6 * scale > width) return;
  draw_text(rgb, margin + width - w[2], y, texts[2], kInk, scale);
  const int half = (width - w[1]) / 2;
  if (half > w[0] + 6 * scale && half > w[2] + 6 * scale)
    draw_text(rgb, margin + half, y, texts[1], kInk, scale);
}

}  // namespace

// Returns a colour of the turbo colour map by its published polynomial fit of degree 5.
//   A. Mikhailov, Turbo, an improved rainbow colormap for visualization, Google AI blog, 2019;
//   coefficients of the polynomial published with it by A. Mikhailov and R. Du.
Colour turbo_colour(double t) {
  constexpr double kRed[] = {0.13572138,   4.61539260,    -42.66032258,
                             132.13108234, -152.94239396, 59.28637943};
  constexpr double kGreen[] = {0.09140261,   2.19418839, 4.84296658,
                               -14.18503333, 4.27729857, 2.82956604};
  constexpr double kBlue[] = {0.10667330,   12.64194608,  -60.58204836,
                              110.36276771, -89.90310912, 27.34824973};
  const double x = t >= 0 ? std::min(t, 1.0) : 0.0;
  const auto channel = [x](const double(&c)[6]) {
    const double v = c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * (c[4] + x * c[5]))));
    return std::uint8_t(std::lround(255 * std::clamp(v, 0.0, 1.0)));
  };
  return {channel(kRed), channel(kGreen), channel(kBlue)};
}

ImageU8 turbo_picture(ImageView<const float> disparity, float lo, float hi) {
  if (disparity.empty() || disparity.channels != 1 || !std::isfinite(lo) || !std::isfinite(hi)) {
    throw Error(ErrorCode::usage,
                fmt::format("turbo_picture: map of {} x {} pixels, {} channels, range {} to {}",
                            disparity.width, disparity.height, disparity.channels, lo, hi));
  }
  constexpr int kLargest = 6;  // keeps the legend readable without growing with the image
  const int scale = std::clamp((disparity.width + 200) / 400, 1, kLargest);
  const int legend = 16 * scale + text_height(scale) + 10 * scale;
  ImageU8 rgb(disparity.width, disparity.height + legend, 3, kPaper);
  const double range = double(hi) - double(lo);
  for (int y = 0; y < disparity.height; ++y) {
    for (int x = 0; x < disparity.width; ++x) {
      const float d = disparity.at(x, y);
      Colour c;
      if (std::isfinite(d)) c = turbo_colour(range != 0 ? (double(d) - lo) / range : 0.5);
      std::uint8_t* p = &rgb.at(x, y);
      p[0] = c.r, p[1] = c.g, p[2] = c.b;
    }
  }
  draw_legend(rgb, disparity.height, scale, lo, hi);
  return rgb;
}

}  // namespace bifocal
