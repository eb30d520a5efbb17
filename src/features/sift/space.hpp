// SPDX-License-Identifier: BSD-3-Clause
// Gaussian levels of one octave, kept as rings of rows, and the SIMD functions that compute them.
// Image values are in [0, 1]; borders are mirrored at the centre of the edge pixel.
#pragma once

#include <bifocal/image.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bifocal::features {

// Rows can be read and written in whole SIMD registers, two at a time. Their length is a multiple
// of this number of floats, and a register may start one pixel before the end.
inline constexpr int kRowAlign = 32;
[[nodiscard]] inline int row_stride(int width) {
  return (width + 2 * kRowAlign - 1) / kRowAlign * kRowAlign;
}

// The last `mask + 1` rows (a power of two) of an image that is filled from top to bottom.
struct Level {
  const float* data = nullptr;
  int width = 0, height = 0;  // whole image, px
  int stride = 0;             // floats
  int mask = 0;               // row y lies at (y & mask)

  [[nodiscard]] const float* row(int y) const { return data + std::ptrdiff_t{y & mask} * stride; }
  [[nodiscard]] float at(int x, int y) const { return row(y)[x]; }
};

// Returns index i mirrored into [0, n): ... 2 1 [0 1 2 ... n-1] n-2 n-3 ...
[[nodiscard]] inline int mirrored(int i, int n) {
  if (n == 1) return 0;
  const int period = 2 * (n - 1);
  i = (i % period + period) % period;
  return i < n ? i : period - i;
}

// Sampled Gaussian, cut at three sigma and then widened so that its discrete variance is exactly
// sigma^2. A cascade of such short kernels is as accurate as a cascade of long kernels.
struct Kernel {
  int radius = 0;
  std::vector<float> taps;  // [2 radius + 1], sum 1
};
[[nodiscard]] Kernel gaussian_kernel(double sigma);

// Returns a Gaussian centred a quarter of a pixel to the left of a pixel's centre; mirrored it is
// centred a quarter to the right. Tap j weighs pixel j - radius.
[[nodiscard]] Kernel quarter_pixel_kernel(double sigma);

inline constexpr int kBlurRows = 4;  // rows per call of blur_rows, which share loads

// Computes the rows out[m], m < kBlurRows, blurred in both directions. The neighbourhood of row m
// is rows[m] to rows[m + 2 radius].
void blur_rows(const float* const* rows, const Kernel& kernel, float* const* out, int width);

// Computes rows 2y and 2y + 1 of the image doubled in size and blurred, from rows[0] to rows[2
// radius] around row y of the 8-bit image of `width`. Pixel i of the doubled image lies at i / 2 -
// 1/4 of the input.
void double_rows(const std::uint8_t* const* rows, const Kernel& quarter, float* out_even,
                 float* out_odd, int width);

// Converts an 8-bit row to [0, 1].
void convert_row(const std::uint8_t* in, float* out, int width);

}  // namespace bifocal::features
