// SPDX-License-Identifier: BSD-3-Clause
// Figures of a pair: photographs are reduced to fit a page, and the geometry is scaled with them.
#pragma once

#include <bifocal/two_photographs.hpp>

#include <span>

namespace bifocal::jobs {

inline constexpr int kPhotoWidth = 800,
                     kPhotoHeight = 1200;  // px, largest size of a photograph in a figure

// Returns an RGB copy of at most `width` x `height` px, reduced by averaging.
[[nodiscard]] ImageU8 reduced_rgb(ImageView<const std::uint8_t> image, int width, int height);
// Returns an RGB copy of at most kPhotoWidth x kPhotoHeight px, reduced by averaging. `scale`
// becomes output px / input px.
[[nodiscard]] ImageU8 shrunken(ImageView<const std::uint8_t> image, double* scale = nullptr);

class PairFigures {
 public:
  PairFigures(ImageView<const std::uint8_t> image1, ImageView<const std::uint8_t> image2,
              std::span<const PointPair> points, const EstimateResult& model);

  // Draws the photographs side by side with a line for each match.
  [[nodiscard]] ImageU8 matches() const;
  // Draws inliers with the epipolar lines of their partners. F is in px of the photographs.
  [[nodiscard]] ImageU8 epipolar_lines(const Mat3& F) const;
  // Draws the first photograph warped onto the second by H, in px of the photographs.
  [[nodiscard]] ImageU8 overlay(const Mat3& H) const;

 private:
  double scale1_ = 1, scale2_ = 1;
  ImageU8 image1_, image2_;
  std::vector<PointPair> points_;
  std::vector<std::uint8_t> inliers_;
};

// Draws the rectified images side by side with horizontal lines across both.
[[nodiscard]] ImageU8 rectified_figure(const DensePair& dense);

}  // namespace bifocal::jobs
