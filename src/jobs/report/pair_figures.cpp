// SPDX-License-Identifier: BSD-3-Clause
#include "jobs/report/pair_figures.hpp"

#include <bifocal/draw.hpp>

#include <algorithm>
#include <cmath>

namespace bifocal::jobs {
namespace {

constexpr int kMostLines = 200;  // of inliers, and the same number of outliers
constexpr int kEpipolarLines = 14;

// Returns the mean of the input pixels under output pixel (x, y), weighted by covered area.
void average(const ImageU8& in, double step, int x, int y, std::uint8_t* rgb) {
  const double x0 = x * step, y0 = y * step;
  const double x1 = std::min((x + 1) * step, double(in.width)),
               y1 = std::min((y + 1) * step, double(in.height));
  double sum[3] = {}, area = 0;
  for (int j = static_cast<int>(y0); j < y1; ++j) {
    const double dy = std::min(y1, j + 1.0) - std::max(y0, double(j));
    for (int i = static_cast<int>(x0); i < x1; ++i) {
      const double w = dy * (std::min(x1, i + 1.0) - std::max(x0, double(i)));
      for (int c = 0; c < 3; ++c) sum[c] += w * in.at(i, j, c);
      area += w;
    }
  }
  for (int c = 0; c < 3; ++c) rgb[c] = static_cast<std::uint8_t>(std::lround(sum[c] / area));
}

// Returns input px per output px so that the output is at most `width` x `height` px.
double reduction(ImageView<const std::uint8_t> image, int width, int height) {
  return std::max({1.0, double(image.width) / width, double(image.height) / height});
}

// Maps px x' of the reduced photograph to px of the original (centres at integers): x = (x' + 0.5)
// / s - 0.5.
double shrunken_px(double x, double scale) { return (x + 0.5) * scale - 0.5; }
Mat3 photo_from_shrunken(double scale) {
  const double shift = 0.5 / scale - 0.5;
  return {1 / scale, 0, shift, 0, 1 / scale, shift, 0, 0, 1};
}
Mat3 shrunken_from_photo(double scale) { return photo_from_shrunken(1 / scale); }

}  // namespace

ImageU8 reduced_rgb(ImageView<const std::uint8_t> image, int width, int height) {
  ImageU8 rgb = to_rgb(image);
  const double step = reduction(rgb, width, height);
  if (step == 1.0) return rgb;
  ImageU8 out(std::max(1, static_cast<int>(rgb.width / step)),
              std::max(1, static_cast<int>(rgb.height / step)), 3);
  for (int y = 0; y < out.height; ++y) {
    for (int x = 0; x < out.width; ++x) average(rgb, step, x, y, &out.at(x, y));
  }
  return out;
}

ImageU8 shrunken(ImageView<const std::uint8_t> image, double* scale) {
  if (scale) *scale = 1 / reduction(image, kPhotoWidth, kPhotoHeight);
  return reduced_rgb(image, kPhotoWidth, kPhotoHeight);
}

PairFigures::PairFigures(ImageView<const std::uint8_t> image1, ImageView<const std::uint8_t> image2,
                         std::span<const PointPair> points, const EstimateResult& model)
    : image1_(shrunken(image1, &scale1_)),
      image2_(shrunken(image2, &scale2_)),
      inliers_(model.ok() ? model.inliers : std::vector<std::uint8_t>()) {
  for (const auto& [x1, y1, x2, y2] : points) {
    points_.push_back({shrunken_px(x1, scale1_), shrunken_px(y1, scale1_), shrunken_px(x2, scale2_),
                       shrunken_px(y2, scale2_)});
  }
  inliers_.resize(points_.size());  // empty without a geometry
}

ImageU8 PairFigures::matches() const {
  return draw_matches(image1_, image2_, points_, inliers_, kMostLines);
}

ImageU8 PairFigures::epipolar_lines(const Mat3& F) const {
  const Mat3 scaled =
      times(transposed(photo_from_shrunken(scale2_)), times(F, photo_from_shrunken(scale1_)));
  return draw_epipolar_lines(image1_, image2_, points_, inliers_, scaled, kEpipolarLines);
}

ImageU8 PairFigures::overlay(const Mat3& H) const {
  return blend_warped(image1_, image2_,
                      times(shrunken_from_photo(scale2_), times(H, photo_from_shrunken(scale1_))));
}

ImageU8 rectified_figure(const DensePair& dense) {
  constexpr int kSpacing = 40;
  ImageU8 figure = side_by_side(shrunken(dense.left), shrunken(dense.right)).picture;
  for (int y = kSpacing / 2; y < figure.height; y += kSpacing) {
    draw_line(figure, 0, y, figure.width, y, turbo_colour(0.2 + 0.15 * (y / kSpacing % 5)), 1.5);
  }
  return figure;
}

}  // namespace bifocal::jobs
