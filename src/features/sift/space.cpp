// SPDX-License-Identifier: BSD-3-Clause
// Levels of scale spaces on CPUs, the twin of space.kernel.h; compiled for every SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/sift/space.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "features/sift/space.hpp"

HWY_BEFORE_NAMESPACE();
namespace bifocal::features::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<float>;
using Vec = hn::Vec<Tag>;

// Writes `radius` mirrored pixels beyond both ends of a row.
HWY_INLINE void mirror_ends(float* row, int width, int radius) {
  for (int i = 1; i <= radius; ++i) {
    row[-i] = row[mirrored(-i, width)];
    row[width - 1 + i] = row[mirrored(width - 1 + i, width)];
  }
}

// Scratch memory for `rows` rows with ends: row m starts at begin + m * pitch.
struct Scratch {
  float* begin;
  int pitch;
};
HWY_INLINE Scratch scratch_rows(int rows, int width, int radius) {
  thread_local std::vector<float> memory;
  const int pitch = row_stride(width) + 2 * radius + kRowAlign;
  memory.resize(static_cast<std::size_t>(pitch) * static_cast<std::size_t>(rows));
  return {memory.data() + radius, pitch};
}

// Vertical pass: a loaded row serves all four results, two registers wide.
HWY_INLINE void blur_down(const float* const* rows, const float* taps, int radius, Scratch to,
                          int width) {
  const Tag d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const int count = 2 * radius + kBlurRows;
  for (int x = 0; x < width; x += 2 * lanes) {
    Vec a0 = hn::Zero(d), a1 = a0, a2 = a0, a3 = a0, b0 = a0, b1 = a0, b2 = a0, b3 = a0;
    for (int j = 0; j < count; ++j) {
      const Vec a = hn::LoadU(d, rows[j] + x), b = hn::LoadU(d, rows[j] + x + lanes);
      const Vec k0 = hn::Set(d, taps[j]), k1 = hn::Set(d, taps[j - 1]);
      const Vec k2 = hn::Set(d, taps[j - 2]), k3 = hn::Set(d, taps[j - 3]);
      a0 = hn::MulAdd(k0, a, a0), b0 = hn::MulAdd(k0, b, b0);
      a1 = hn::MulAdd(k1, a, a1), b1 = hn::MulAdd(k1, b, b1);
      a2 = hn::MulAdd(k2, a, a2), b2 = hn::MulAdd(k2, b, b2);
      a3 = hn::MulAdd(k3, a, a3), b3 = hn::MulAdd(k3, b, b3);
    }
    float* out = to.begin + x;
    hn::StoreU(a0, d, out), hn::StoreU(b0, d, out + lanes);
    hn::StoreU(a1, d, out + to.pitch), hn::StoreU(b1, d, out + to.pitch + lanes);
    hn::StoreU(a2, d, out + 2 * to.pitch), hn::StoreU(b2, d, out + 2 * to.pitch + lanes);
    hn::StoreU(a3, d, out + 3 * to.pitch), hn::StoreU(b3, d, out + 3 * to.pitch + lanes);
  }
}

// Horizontal pass with a symmetric kernel whose middle tap is at `centre`.
HWY_INLINE void blur_across(const float* in, const float* centre, int radius, float* out,
                            int width) {
  const Tag d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int x = 0; x < width; x += 2 * lanes) {
    const float* p = in + x;
    const Vec k0 = hn::Set(d, centre[0]);
    Vec a = hn::Mul(k0, hn::LoadU(d, p)), b = hn::Mul(k0, hn::LoadU(d, p + lanes));
    for (int j = 1; j <= radius; ++j) {
      const Vec k = hn::Set(d, centre[j]);
      a = hn::MulAdd(k, hn::Add(hn::LoadU(d, p - j), hn::LoadU(d, p + j)), a);
      b = hn::MulAdd(k, hn::Add(hn::LoadU(d, p + lanes - j), hn::LoadU(d, p + lanes + j)), b);
    }
    hn::StoreU(a, d, out + x);
    hn::StoreU(b, d, out + x + lanes);
  }
}

void blur_rows(const float* const* rows, const Kernel& kernel, float* const* out, int width) {
  constexpr int kZeros = kBlurRows - 1;  // zero taps, so that every row meets every result
  const int radius = kernel.radius;
  std::vector<float> taps(static_cast<std::size_t>(2 * radius + 1 + 2 * kZeros), 0.0F);
  std::copy(kernel.taps.begin(), kernel.taps.end(), taps.begin() + kZeros);
  const Scratch scratch = scratch_rows(kBlurRows, width, radius);
  blur_down(rows, taps.data() + kZeros, radius, scratch, width);
  for (int m = 0; m < kBlurRows; ++m) {
    float* row = scratch.begin + m * scratch.pitch;
    mirror_ends(row, width, radius);
    blur_across(row, kernel.taps.data() + radius, radius, out[m], width);
  }
}

// Rows of the 8-bit image have no padding, so that the last pixels are processed one by one.
template <class Pixels>
HWY_INLINE void for_pixels(int width, Pixels pixels) {
  const int lanes = static_cast<int>(hn::Lanes(Tag()));
  int x = 0;
  for (; x + lanes <= width; x += lanes) pixels(Tag(), x);
  for (; x < width; ++x) pixels(hn::CappedTag<float, 1>(), x);
}

template <class D>
HWY_INLINE hn::Vec<D> load_bytes(D d, const std::uint8_t* p) {
  const hn::Rebind<std::uint8_t, D> bytes;
  const hn::Rebind<std::int32_t, D> ints;
  return hn::ConvertTo(d, hn::PromoteTo(ints, hn::LoadU(bytes, p)));
}

void convert_row(const std::uint8_t* in, float* out, int width) {
  for_pixels(width, [&](auto d, int x) HWY_ATTR {
    hn::StoreU(hn::Mul(load_bytes(d, in + x), hn::Set(d, 1.0F / 255)), d, out + x);
  });
}

// Computes one row of the doubled image from a row `in` that is blurred vertically. Even pixels lie
// left of the centre of an input pixel, odd pixels lie right of it.
HWY_INLINE void double_across(const float* in, const Kernel& quarter, float* out, int width) {
  const Tag d;
  const int lanes = static_cast<int>(hn::Lanes(d)), taps = 2 * quarter.radius + 1;
  for (int x = 0; x < width; x += lanes) {
    Vec even = hn::Zero(d), odd = even;
    for (int j = 0; j < taps; ++j) {
      const Vec v = hn::LoadU(d, in + x + j - quarter.radius);
      even = hn::MulAdd(hn::Set(d, quarter.taps[static_cast<std::size_t>(j)]), v, even);
      odd = hn::MulAdd(hn::Set(d, quarter.taps[static_cast<std::size_t>(taps - 1 - j)]), v, odd);
    }
    hn::StoreInterleaved2(even, odd, d, out + 2 * x);
  }
}

void double_rows(const std::uint8_t* const* rows, const Kernel& quarter, float* out_even,
                 float* out_odd, int width) {
  const int taps = 2 * quarter.radius + 1;
  const Scratch scratch = scratch_rows(2, width, quarter.radius);
  float* upper = scratch.begin;
  float* lower = scratch.begin + scratch.pitch;
  for_pixels(width, [&](auto d, int x) HWY_ATTR {
    auto a = hn::Zero(d), b = hn::Zero(d);
    for (int j = 0; j < taps; ++j) {
      const auto v = load_bytes(d, rows[j] + x);
      a = hn::MulAdd(hn::Set(d, quarter.taps[static_cast<std::size_t>(j)] / 255), v, a);
      b = hn::MulAdd(hn::Set(d, quarter.taps[static_cast<std::size_t>(taps - 1 - j)] / 255), v, b);
    }
    hn::StoreU(a, d, upper + x);
    hn::StoreU(b, d, lower + x);
  });
  mirror_ends(upper, width, quarter.radius);
  mirror_ends(lower, width, quarter.radius);
  double_across(upper, quarter, out_even, width);
  double_across(lower, quarter, out_odd, width);
}

}  // namespace bifocal::features::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bifocal::features {
namespace {

// Returns the weights exp(-(i - centre)^2 / (2 sigma^2)), i = -radius..radius, with sum 1.
std::vector<double> sampled_gaussian(int radius, double centre, double sigma) {
  std::vector<double> taps;
  for (int i = -radius; i <= radius; ++i)
    taps.push_back(std::exp(-0.5 * (i - centre) * (i - centre) / (sigma * sigma)));
  const double sum = std::accumulate(taps.begin(), taps.end(), 0.0);
  for (double& t : taps) t /= sum;
  return taps;
}

double variance(const std::vector<double>& taps, int radius) {
  double sum = 0;
  for (int i = -radius; i <= radius; ++i) sum += taps[static_cast<std::size_t>(i + radius)] * i * i;
  return sum;
}

}  // namespace

Kernel gaussian_kernel(double sigma) {
  const int radius = std::max(1, static_cast<int>(std::ceil(3 * sigma)));
  double low = 0.5 * sigma, high = 2 * sigma;  // the variance grows with the width
  for (int i = 0; i < 50; ++i) {
    const double middle = 0.5 * (low + high);
    (variance(sampled_gaussian(radius, 0, middle), radius) < sigma * sigma ? low : high) = middle;
  }
  const std::vector<double> taps = sampled_gaussian(radius, 0, low);
  return {radius, {taps.begin(), taps.end()}};
}

Kernel quarter_pixel_kernel(double sigma) {
  const int radius = static_cast<int>(std::ceil(4 * sigma + 0.25));
  const std::vector<double> taps = sampled_gaussian(radius, -0.25, sigma);
  return {radius, {taps.begin(), taps.end()}};
}

HWY_EXPORT(blur_rows);
HWY_EXPORT(double_rows);
HWY_EXPORT(convert_row);

void blur_rows(const float* const* rows, const Kernel& kernel, float* const* out, int width) {
  HWY_DYNAMIC_DISPATCH(blur_rows)(rows, kernel, out, width);
}
void double_rows(const std::uint8_t* const* rows, const Kernel& quarter, float* out_even,
                 float* out_odd, int width) {
  HWY_DYNAMIC_DISPATCH(double_rows)(rows, quarter, out_even, out_odd, width);
}
void convert_row(const std::uint8_t* in, float* out, int width) {
  HWY_DYNAMIC_DISPATCH(convert_row)(in, out, width);
}

}  // namespace bifocal::features
#endif
