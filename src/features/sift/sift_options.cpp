// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "features/order.hpp"
#include "features/sift/sift.hpp"

namespace bifocal::features {
namespace {

// Blur of a photograph before any processing, in px. Lowe assumes 0.5. A smaller blur moves the
// finest structures of a sharp image into the range of scales that is searched: a quarter more
// correct matches over the Oxford pairs, at the same precision.
constexpr double kCameraBlur = 0.2;
constexpr double kLeastBlur = 0.3;  // px; doubling needs some blur

}  // namespace

void check_image(const AnyImageView& image, const char* function) {
  if (image.channels() < 1 || image.channels() > 4) {
    throw Error(ErrorCode::usage,
                fmt::format("{}: the image has {} channels, must have 1 (grey) to 4 (RGBA)",
                            function, image.channels()));
  }
  if (!image.usable()) {
    throw Error(ErrorCode::usage,
                fmt::format("{}: the view has no pixels, or rows that overlap", function));
  }
  if (image.width() > kMaxSiftSide || image.height() > kMaxSiftSide) {
    throw Error(ErrorCode::usage,
                fmt::format("{}: image of {} x {} px, sides must be at most {}", function,
                            image.width(), image.height(), kMaxSiftSide));
  }
}

double blur_to(double sigma, double scale) {
  return std::max(
      kLeastBlur * scale,
      std::sqrt(std::max(0.0, sigma * sigma - kCameraBlur * kCameraBlur * scale * scale)));
}

std::vector<Kernel> octave_kernels(const SiftOptions& options) {
  const double ratio = std::exp2(1.0 / options.octave_layers);
  std::vector<Kernel> kernels;
  for (int i = 0; i < options.octave_layers + 2; ++i) {
    const double before = options.sigma * std::pow(ratio, i);
    kernels.push_back(gaussian_kernel(before * std::sqrt(ratio * ratio - 1)));
  }
  return kernels;
}

}  // namespace bifocal::features
