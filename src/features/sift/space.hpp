// SPDX-License-Identifier: BSD-3-Clause
// Gaussian levels of one octave, kept as rings of rows, and the SIMD functions that fill them.
// Image values are in [0, 1]; borders are mirrored at the centre of the edge pixel.
#pragma once

#include <bifocal/image.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bifocal::features {

// Rows may be read and written in whole SIMD registers, two at a time: their length is a multiple
// of this many floats, with room for a register that starts one pixel before the end.
inline constexpr int kRowAlign = 32;
[[nodiscard]] inline int row_stride(int width) {
  return (width + 2 * kRowAlign - 1) / kRowAlign * kRowAlign;
}

// The last `mask + 1` rows (a power of two) of an image that is filled from top to bottom.
struct Level {
  const float* data = nullptr;
  int width = 0, height = 0;  // of the whole image, px
  int stride = 0;             // floats
  int mask = 0;               // row y lies at (y & mask)

  [[nodiscard]] const float* row(int y) const { return data + std::ptrdiff_t{y & mask} * stride; }
  [[nodiscard]] float at(int x, int y) const { return row(y)[x]; }
};

// Index mirrored into [0, n): ... 2 1 [0 1 2 ... n-1] n-2 n-3 ...
[[nodiscard]] inline int mirrored(int i, int n) {
  if (n == 1) return 0;
  const int period = 2 * (n - 1);
  i = (i % period + period) % period;
  return i < n ? i : period - i;
}

// A sampled Gaussian, cut at three sigma and then stretched so that its discrete variance is
// exactly sigma^2: a short cascade of kernels that is as accurate as long ones.
struct Kernel {
  int radius = 0;
  std::vector<float> taps;  // [2 radius + 1], sum 1
};
[[nodiscard]] Kernel gaussian_kernel(double sigma);

// Gaussian at a quarter of a pixel to the left of a pixel's centre; mirrored for a quarter to the
// right. Tap j weighs pixel j - radius.
[[nodiscard]] Kernel quarter_pixel_kernel(double sigma);

inline constexpr int kBlurRows = 4;  // rows a call of blur_rows makes: loads are shared among them

// out[m] (m < kBlurRows) is the row blurred in both directions whose neighbourhood is rows[m .. m +
// 2 radius].
void blur_rows(const float* const* rows, const Kernel& kernel, float* const* out, int width);

// Rows 2y and 2y + 1 of the image doubled in size and blurred, from rows[0 .. 2 radius] around row
// y of the 8-bit image of `width`. Pixel i of the doubled image lies at i / 2 - 1/4 of the input.
void double_rows(const std::uint8_t* const* rows, const Kernel& quarter, float* out_even,
                 float* out_odd, int width);

// 8-bit row to [0, 1].
void convert_row(const std::uint8_t* in, float* out, int width);

}  // namespace bifocal::features
