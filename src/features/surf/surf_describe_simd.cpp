// SPDX-License-Identifier: BSD-3-Clause
// Orientation and description by Haar wavelets on CPUs, the twin of surf_points.kernel.h; compiled
// for every SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/surf/surf_describe_simd.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>

#include "features/surf/surf.hpp"
#include "lane/simd-inl.h"
#include "runtime/parallel.hpp"

#ifndef BIFOCAL_FEATURES_SURF_GRID_
#define BIFOCAL_FEATURES_SURF_GRID_
namespace bifocal::features {

inline constexpr int kSurfSide = SurfRules::SURF_SIDE, kSurfSamples = kSurfSide * kSurfSide;
inline constexpr int kSurfPadded = kSurfSamples + 64;  // padded to whole registers

struct SurfGrid {
  alignas(64) float u[kSurfPadded] = {}, v[kSurfPadded] = {};  // offset from the centre, in sigma
  SurfGrid() {
    for (int i = 0; i < kSurfSamples; ++i) {
      u[i] = static_cast<float>(i % kSurfSide) - 0.5F * (kSurfSide - 1);
      v[i] = static_cast<float>(i / kSurfSide) - 0.5F * (kSurfSide - 1);
    }
  }
};
inline const SurfGrid kSurfGrid;

// Samples of an orientation: a disc with weights from a Gaussian of 2 sigma.
struct SurfDisc {
  static constexpr int kPadded = 176;
  int count = 0;
  alignas(64) float u[kPadded] = {}, v[kPadded] = {}, weight[kPadded] = {};
  SurfDisc() {
    constexpr int r = SurfRules::SURF_RING;
    for (int y = -r; y <= r; ++y) {
      for (int x = -r; x <= r; ++x) {
        if (x * x + y * y >= r * r) continue;
        u[count] = static_cast<float>(x), v[count] = static_cast<float>(y);
        weight[count++] = std::exp(-static_cast<float>(x * x + y * y) / 8);
      }
    }
  }
};
inline const SurfDisc kSurfDisc;

// Compute wavelets from sums and from pairs at places [0, count), by plain loads. On some
// processors a gather into registers takes several times as long, and compilers would replace the
// loads by one.
void look_up_sums(const std::uint32_t* sums, std::ptrdiff_t stride, int reach,
                  const std::int32_t* places, int count, float* dx, float* dy);
void look_up_pairs(const std::int32_t* pairs, const std::int32_t* places, int count, float* dx,
                   float* dy);

}  // namespace bifocal::features
#endif

HWY_BEFORE_NAMESPACE();
namespace bifocal::features::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<float>;
using IntTag = hn::Rebind<std::int32_t, Tag>;
using Vec = hn::Vec<Tag>;
using IntVec = hn::Vec<IntTag>;

template <class Real>
struct surf_register_rules {
#include "lane/cpp_begin.h"

#include "features/sift/sift.lane.h"

#include "lane/cpp_end.h"
};

// Computes row y of WaveletRows, for pixels inside the image.
void wavelet_row(const Integral& integral, int n, int y, std::int32_t* out) {
  const IntTag di;
  const auto* upper = reinterpret_cast<const std::int32_t*>(integral.row(y - n));
  const auto* here = reinterpret_cast<const std::int32_t*>(integral.row(y));
  const auto* next = reinterpret_cast<const std::int32_t*>(integral.row(y + 1));
  const auto* lower = reinterpret_cast<const std::int32_t*>(integral.row(y + n + 1));
  const auto low_half = hn::Set(di, 0xffff);
  for (int x = n; x < integral.width - n; x += static_cast<int>(hn::Lanes(di))) {
    const auto across = [&](const std::int32_t* row) {
      return hn::Sub(hn::LoadU(di, row + x + n + 1), hn::LoadU(di, row + x - n));
    };
    const auto outer = [&](const std::int32_t* row) {
      return hn::Sub(across(row), hn::Sub(hn::LoadU(di, row + x + 1), hn::LoadU(di, row + x)));
    };
    const auto left = [&](const std::int32_t* row) {
      return hn::Sub(hn::LoadU(di, row + x), hn::LoadU(di, row + x - n));
    };
    const IntVec to_left = hn::Sub(left(lower), left(upper));
    const IntVec both = hn::Sub(outer(lower), outer(upper));
    const IntVec dx = hn::Sub(hn::Sub(both, to_left), to_left);
    const IntVec dy =
        hn::Sub(hn::Sub(across(lower), across(next)), hn::Sub(across(here), across(upper)));
    hn::StoreU(hn::Or(hn::And(dx, low_half), hn::ShiftLeft<16>(dy)), di, out + x);
  }
}

// Haar wavelets with a centre of one pixel and `reach` px to each side, at samples around a point.
template <int kPadded>
struct Wavelets {
  alignas(64) float dx[kPadded], dy[kPadded];

  // Looks up the wavelets at the pixels nearest to the samples, whose positions in px `at`
  // computes. A wavelet that exceeds the image is 0.
  template <class At>
  HWY_INLINE void look_up(const Integral& integral, const WaveletRows* rows, int reach, float y,
                          int farthest, int count, const At& at) {
    const Tag d;
    const IntTag di;
    const int first_row = rows ? 0 : std::max(0, static_cast<int>(y) - farthest);
    const IntVec mask = hn::Set(di, rows ? WaveletRows::kRows - 1 : -1);
    const IntVec stride = hn::Set(di, rows ? rows->pitch : static_cast<int>(integral.stride));
    const Vec half = hn::Set(d, 0.5F), least = hn::Set(d, static_cast<float>(reach));
    const Vec right = hn::Set(d, static_cast<float>(integral.width - 1 - reach));
    const Vec bottom = hn::Set(d, static_cast<float>(integral.height - 1 - reach));
    alignas(64) std::int32_t places[kPadded];
    alignas(64) float is_inside[kPadded];
    for (int i = 0; i < count; i += static_cast<int>(hn::Lanes(d))) {
      Vec px, py;
      at(i, &px, &py);
      const Vec cx = hn::Floor(hn::Add(px, half)), cy = hn::Floor(hn::Add(py, half));
      const auto inside = hn::And(hn::And(hn::Ge(cx, least), hn::Le(cx, right)),
                                  hn::And(hn::Ge(cy, least), hn::Le(cy, bottom)));
      const IntVec ix = hn::ConvertTo(di, hn::Min(hn::Max(cx, least), right));
      const IntVec iy = hn::ConvertTo(di, hn::Min(hn::Max(cy, least), bottom));
      const IntVec row = hn::And(hn::Sub(iy, hn::Set(di, first_row)), mask);
      hn::Store(hn::Add(hn::Mul(row, stride), ix), di, places + i);
      hn::Store(hn::IfThenElseZero(inside, hn::Set(d, 1.0F)), d, is_inside + i);
    }
    if (rows)
      look_up_pairs(rows->pairs.data(), places, count, dx, dy);
    else
      look_up_sums(integral.row(first_row), integral.stride, reach, places, count, dx, dy);
    for (int i = 0; i < count; i += static_cast<int>(hn::Lanes(d))) {
      const Vec inside = hn::Load(d, is_inside + i);
      hn::Store(hn::Mul(hn::Load(d, dx + i), inside), d, dx + i);
      hn::Store(hn::Mul(hn::Load(d, dy + i), inside), d, dy + i);
    }
  }
};

// Returns the angle of the longest sum of wavelets in a window of directions, the first among
// equal sums.
float surf_direction(const Integral& integral, const WaveletRows* rows, const SurfPoint& point) {
  const Tag d;
  using Lane = bifocal::HWY_NAMESPACE::simd<float>;
  const int reach = SurfRules::surf_wide_reach(point.sigma), count = kSurfDisc.count;
  constexpr int kBins = SurfRules::SURF_DIRECTIONS;
  const Vec sigma = hn::Set(d, point.sigma);
  const Vec x = hn::Set(d, point.x), y = hn::Set(d, point.y);
  Wavelets<SurfDisc::kPadded> wavelets;
  wavelets.look_up(integral, rows, reach, point.y,
                   static_cast<int>(float{SurfRules::SURF_RING} * point.sigma) + 2, count,
                   [&](int i, Vec* px, Vec* py) HWY_ATTR {
                     *px = hn::MulAdd(hn::Load(d, kSurfDisc.u + i), sigma, x);
                     *py = hn::MulAdd(hn::Load(d, kSurfDisc.v + i), sigma, y);
                   });
  alignas(64) float gx[SurfDisc::kPadded], gy[SurfDisc::kPadded], at[SurfDisc::kPadded];
  for (int i = 0; i < count; i += static_cast<int>(hn::Lanes(d))) {
    const Vec dx = hn::Load(d, wavelets.dx + i), dy = hn::Load(d, wavelets.dy + i);
    const Lane direction = surf_register_rules<Lane>::sift_direction(
        Lane{dx}, Lane{dy}, Lane{hn::Set(d, static_cast<float>(kBins))});
    const Vec weight = hn::Load(d, kSurfDisc.weight + i);
    hn::Store(hn::Mul(dx, weight), d, gx + i);
    hn::Store(hn::Mul(dy, weight), d, gy + i);
    hn::Store(hn::Floor(hn::Add(direction.v, hn::Set(d, 0.5F))), d, at + i);
  }
  // Repeats some bins at both ends, so that every window is contiguous.
  constexpr int kWindow = SurfRules::SURF_WINDOW, kAround = kBins + 2 * kWindow;
  float sum_x[kAround + 64] = {}, sum_y[kAround + 64] = {};
  for (int i = 0; i < kSurfDisc.count; ++i) {
    const auto bin = static_cast<std::size_t>(at[i]) % kBins + kWindow;
    sum_x[bin] += gx[i], sum_y[bin] += gy[i];
  }
  for (float* sums : {sum_x, sum_y}) {
    std::copy_n(sums + kBins, kWindow, sums);
    std::copy_n(sums + kWindow, kWindow, sums + kBins + kWindow);
  }
  alignas(64) float wx[kBins], wy[kBins], length[kBins];
  for (int b = 0; b < kBins; b += static_cast<int>(hn::Lanes(d))) {
    Vec along = hn::Zero(d), down = along;
    for (int k = 0; k <= 2 * kWindow; ++k) {
      along = hn::Add(along, hn::LoadU(d, sum_x + b + k));
      down = hn::Add(down, hn::LoadU(d, sum_y + b + k));
    }
    hn::Store(along, d, wx + b);
    hn::Store(down, d, wy + b);
    hn::Store(hn::MulAdd(along, along, hn::Mul(down, down)), d, length + b);
  }
  const auto best = std::max_element(length, length + kBins) - length;
  const float best_x = length[best] > 0 ? wx[best] : 1, best_y = wy[best];
  const float angle = SurfRules::sift_direction(best_x, best_y, 360);
  return angle >= 360 ? 0 : angle;
}

using Part = hn::CappedTag<float, 8>;  // part of the samples of a row

// Computes the elements of one row of cells. down: shares of the rows of samples in this row
// of cells.
HWY_INLINE void describe_cells(const float* dx, const float* dy, const float* down, int numbers,
                               float* out) {
  const Part d;
  const auto zero = hn::Zero(d);
  const int lanes = static_cast<int>(hn::Lanes(d)), each = numbers / 16;
  float sums[SurfRules::SURF_CELLS][8] = {};
  for (int i = 0; i < kSurfSide; i += lanes) {
    auto s0 = zero, s1 = zero, s2 = zero, s3 = zero, s4 = zero, s5 = zero, s6 = zero, s7 = zero;
    for (int row = 0; row < kSurfSide; ++row) {
      if (down[row] == 0) continue;
      const auto share = hn::Set(d, down[row]);
      const auto x = hn::Mul(share, hn::LoadU(d, dx + row * kSurfSide + i));
      const auto y = hn::Mul(share, hn::LoadU(d, dy + row * kSurfSide + i));
      if (each == 4) {
        s0 = hn::Add(s0, x), s1 = hn::Add(s1, y);
        s2 = hn::Add(s2, hn::Abs(x)), s3 = hn::Add(s3, hn::Abs(y));
        continue;
      }
      // Sums of x by the sign of y, sums of y by the sign of x.
      const auto up = hn::Lt(y, zero), left = hn::Lt(x, zero);
      const auto x_up = hn::IfThenElseZero(up, x), y_left = hn::IfThenElseZero(left, y);
      const auto x_down = hn::Sub(x, x_up), y_right = hn::Sub(y, y_left);
      s0 = hn::Add(s0, x_up), s1 = hn::Add(s1, x_down);
      s2 = hn::Add(s2, hn::Abs(x_up)), s3 = hn::Add(s3, hn::Abs(x_down));
      s4 = hn::Add(s4, y_left), s5 = hn::Add(s5, y_right);
      s6 = hn::Add(s6, hn::Abs(y_left)), s7 = hn::Add(s7, hn::Abs(y_right));
    }
    const hn::Vec<Part> all[8] = {s0, s1, s2, s3, s4, s5, s6, s7};
    for (int cell = 0; cell < SurfRules::SURF_CELLS; ++cell) {
      const auto share = hn::LoadU(d, surf_shares()[static_cast<std::size_t>(cell)].data() + i);
      for (int k = 0; k < each; ++k)
        sums[cell][k] += hn::GetLane(hn::SumOfLanes(d, hn::Mul(share, all[k])));
    }
  }
  for (int cell = 0; cell < SurfRules::SURF_CELLS; ++cell)
    std::copy_n(sums[cell], each, out + cell * each);
}

void describe_surf(const Integral& integral, const WaveletRows* rows, const SurfPoint& point,
                   int numbers, std::uint8_t* out) {
  const Tag d;
  const int reach = SurfRules::surf_reach(point.sigma);
  const float angle = point.angle_deg * 0.01745329252F;
  const float cosine = std::cos(angle), sine = std::sin(angle);
  const Vec x = hn::Set(d, point.x), y = hn::Set(d, point.y);
  const Vec c = hn::Set(d, cosine), s = hn::Set(d, sine);
  const Vec step_c = hn::Set(d, cosine * point.sigma), step_s = hn::Set(d, sine * point.sigma);
  Wavelets<kSurfPadded> wavelets;
  wavelets.look_up(integral, rows, reach, point.y,
                   static_cast<int>(0.7072F * kSurfSide * point.sigma) + 2, kSurfSamples,
                   [&](int i, Vec* px, Vec* py) HWY_ATTR {
                     const Vec u = hn::Load(d, kSurfGrid.u + i), v = hn::Load(d, kSurfGrid.v + i);
                     *px = hn::MulAdd(u, step_c, hn::NegMulAdd(v, step_s, x));
                     *py = hn::MulAdd(u, step_s, hn::MulAdd(v, step_c, y));
                   });
  alignas(64) float along[kSurfPadded], across[kSurfPadded];
  for (int i = 0; i < kSurfSamples; i += static_cast<int>(hn::Lanes(d))) {
    const Vec dx = hn::Load(d, wavelets.dx + i), dy = hn::Load(d, wavelets.dy + i);
    hn::Store(hn::MulAdd(c, dx, hn::Mul(s, dy)), d, along + i);
    hn::Store(hn::NegMulAdd(s, dx, hn::Mul(c, dy)), d, across + i);
  }
  float result[128];
  for (int cell = 0; cell < SurfRules::SURF_CELLS; ++cell)
    describe_cells(along, across, surf_shares()[static_cast<std::size_t>(cell)].data(), numbers,
                   result + cell * numbers / 4);
  quantise_surf(result, numbers, point.bright, out);
}

}  // namespace bifocal::features::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bifocal::features {

HWY_EXPORT(wavelet_row);
HWY_EXPORT(surf_direction);
HWY_EXPORT(describe_surf);

void look_up_sums(const std::uint32_t* sums, std::ptrdiff_t stride, int reach,
                  const std::int32_t* places, int count, float* dx, float* dy) {
  const int n = reach;
  const std::uint32_t* upper = sums - n * stride;
  const std::uint32_t* lower = sums + (n + 1) * stride;
  for (int i = 0; i < count; ++i) {
    const std::uint32_t *a = upper + places[i], *b = sums + places[i], *c = b + stride,
                        *e = lower + places[i];
    const std::uint32_t to_right = (e[n + 1] - e[1]) - (a[n + 1] - a[1]);
    const std::uint32_t to_left = (e[0] - e[-n]) - (a[0] - a[-n]);
    const std::uint32_t below = (e[n + 1] - e[-n]) - (c[n + 1] - c[-n]);
    const std::uint32_t above = (b[n + 1] - b[-n]) - (a[n + 1] - a[-n]);
    dx[i] = static_cast<float>(static_cast<std::int32_t>(to_right - to_left));
    dy[i] = static_cast<float>(static_cast<std::int32_t>(below - above));
  }
}

void look_up_pairs(const std::int32_t* pairs, const std::int32_t* places, int count, float* dx,
                   float* dy) {
  for (int i = 0; i < count; ++i) {
    const std::int32_t both = pairs[places[i]];
    dx[i] = static_cast<float>(static_cast<std::int16_t>(both));
    dy[i] = static_cast<float>(both >> 16);
  }
}

void WaveletRows::fill(const Integral& integral, int reach, int first, int end) {
  const int width = integral.width;
  pitch = row_words(width + 64);  // whole registers may run over the end
  std::int32_t* all = pairs.reserve(std::size_t(pitch) * kRows);
  runtime::parallel_for(end - first, [&](int i) {
    const int y = first + i;
    std::int32_t* row = all + std::ptrdiff_t{y % kRows} * pitch;
    const bool inside = y >= reach && y < integral.height - reach && width > 2 * reach;
    if (inside) HWY_DYNAMIC_DISPATCH(wavelet_row)(integral, reach, y, row);
    std::fill_n(row, inside ? reach : width, 0);
    if (inside) std::fill_n(row + width - reach, reach, 0);
  });
}
float surf_direction(const Integral& integral, const WaveletRows* rows, const SurfPoint& point) {
  return HWY_DYNAMIC_DISPATCH(surf_direction)(integral, rows, point);
}
void describe_surf(const Integral& integral, const WaveletRows* rows, const SurfPoint& point,
                   int numbers, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(describe_surf)(integral, rows, point, numbers, out);
}

}  // namespace bifocal::features
#endif
