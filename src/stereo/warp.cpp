// SPDX-License-Identifier: BSD-3-Clause
// Bilinear resampling in fixed point: source positions in 1/256 px, rounded.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "stereo/warp.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <bifocal/error.hpp>
#include <bifocal/stereo.hpp>

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "runtime/parallel.hpp"
#include "stereo/mat3.hpp"

HWY_BEFORE_NAMESPACE();
namespace bifocal::stereo {
namespace HWY_NAMESPACE {

// Positions in the input (256ths of a px) of an output row's pixels; -1 where outside or behind. A
// plain loop: the compiler makes vectors of this target out of it.
void source_positions(const double* m, int y, int width, int max_x, int max_y,
                      std::int32_t* HWY_RESTRICT sx, std::int32_t* HWY_RESTRICT sy) {
  const double u0 = m[1] * y + m[2], v0 = m[4] * y + m[5], w0 = m[7] * y + m[8];
  const double du = m[0], dv = m[3], dw = m[6];
  for (int x = 0; x < width; ++x) {
    const double w = w0 + dw * x, scale = 256 / w;
    const double u = (u0 + du * x) * scale + 0.5, v = (v0 + dv * x) * scale + 0.5;
    const bool in = (w > 0) & (u >= 0) & (v >= 0) & (u < max_x + 1.0) & (v < max_y + 1.0);
    sx[x] = in ? static_cast<std::int32_t>(in ? u : 0.0) : -1;
    sy[x] = in ? static_cast<std::int32_t>(in ? v : 0.0) : -1;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace bifocal::stereo
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bifocal {
namespace stereo {
HWY_EXPORT(source_positions);
namespace {

constexpr int kRowsPerTask = 16;

// `step`: elements to the next pixel, 0 in a picture one pixel wide; `down` likewise.
void sample(const std::uint8_t* p, std::ptrdiff_t step, std::ptrdiff_t down, int channels, int fx,
            int fy, std::uint8_t* out) {
  for (int c = 0; c < channels; ++c) {
    const int top = p[c] * (256 - fx) + p[c + step] * fx;
    const int bottom = p[c + down] * (256 - fx) + p[c + down + step] * fx;
    out[c] = static_cast<std::uint8_t>((top * (256 - fy) + bottom * fy + (1 << 15)) >> 16);
  }
}

void sample_row(ImageView<const std::uint8_t> image, const std::int32_t* sx, const std::int32_t* sy,
                int width, std::uint8_t* out, std::uint8_t* valid) {
  for (int x = 0; x < width; ++x) {
    if (sx[x] < 0) continue;
    const int x0 = sx[x] >> 8, y0 = sy[x] >> 8;
    const std::ptrdiff_t step = x0 + 1 < image.width ? image.channels : 0;
    const std::ptrdiff_t down = y0 + 1 < image.height ? image.stride : 0;
    sample(&image.at(x0, y0), step, down, image.channels, sx[x] & 255, sy[x] & 255,
           out + std::ptrdiff_t{x} * image.channels);
    if (valid) valid[x] = 255;
  }
}

}  // namespace
}  // namespace stereo

ImageU8 warp(ImageView<const std::uint8_t> image, const Mat3& output_from_input, int width,
             int height, ImageU8* valid) {
  constexpr int kMaxSide = 1 << 22;  // 256ths of it fit an int
  if (image.empty() || image.width > kMaxSide || image.height > kMaxSide)
    throw Error(ErrorCode::usage, fmt::format("warp: image is {} x {}", image.width, image.height));
  if (width < 1 || height < 1)
    throw Error(ErrorCode::usage,
                fmt::format("warp: output size {} x {}: must be positive", width, height));
  Mat3 m = stereo::inverse(output_from_input);
  for (double v : m)
    if (!std::isfinite(v)) throw Error(ErrorCode::usage, "warp: output_from_input has no inverse");
  // The input's centre counts as in front: its scale in the output tells the sign of visible
  // scales.
  const Vec3 centre =
      stereo::mul(output_from_input, Vec3{(image.width - 1) / 2.0, (image.height - 1) / 2.0, 1});
  if (centre[2] < 0)
    for (double& v : m) v = -v;
  ImageU8 out(width, height, image.channels);
  if (valid) *valid = ImageU8(width, height);
  const int tasks = (height + stereo::kRowsPerTask - 1) / stereo::kRowsPerTask;
  runtime::parallel_for(tasks, [&](int task) {
    std::vector<std::int32_t> sx(static_cast<std::size_t>(width)), sy(sx.size());
    const int end = std::min(height, (task + 1) * stereo::kRowsPerTask);
    for (int y = task * stereo::kRowsPerTask; y < end; ++y) {
      using namespace stereo;
      HWY_DYNAMIC_DISPATCH(source_positions)
      (m.data(), y, width, 256 * (image.width - 1), 256 * (image.height - 1), sx.data(), sy.data());
      sample_row(image, sx.data(), sy.data(), width, out.row(y), valid ? valid->row(y) : nullptr);
    }
  });
  return out;
}

}  // namespace bifocal
#endif
