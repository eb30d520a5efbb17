// SPDX-License-Identifier: BSD-3-Clause
// Samples rows at fixed-point positions: a register of pixels at a time if the processor gathers
// (AVX2, AVX-512), else pixel by pixel.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rectify/remap_row.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <cstdint>
#include <limits>

#include "rectify/remap.hpp"

HWY_BEFORE_NAMESPACE();
namespace bifocal::rectification {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class Pixel, int kChannels>
void sample_pixels(const ImageView<const Pixel>& input, const std::int32_t* sx,
                   const std::int32_t* sy, int from, int to, Pixel* out) {
  for (int x = from; x < to; ++x)
    remap_lanes<float, Pixel, kChannels>::remap_pixel(input.data, input.stride, input.width,
                                                      input.height, sx[x], sy[x],
                                                      out + std::ptrdiff_t{x} * kChannels);
}

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
using D = hn::ScalableTag<std::int32_t>;
using DU = hn::ScalableTag<std::uint32_t>;
using VI = hn::Vec<D>;
using VU = hn::Vec<DU>;

// Layout of two neighbouring pixels in words of 32 bits. Value c is channel c of the left pixel,
// value c + channels the same channel of the right pixel. word() and shift() return the word of a
// value and its first bit.
template <class Pixel, int kChannels>
struct Layout {
  static constexpr int kBits = 8 * sizeof(Pixel);
  static constexpr int kBytes = 2 * kChannels * sizeof(Pixel);
  static constexpr int kWords = (kBytes + 3) / 4;
  // The last word ends with the pair if the pair fills at least one word.
  static constexpr int offset(int word) {
    return kBytes >= 4 && 4 * word + 4 > kBytes ? kBytes - 4 : 4 * word;
  }
  static constexpr int word(int value) { return value * int(sizeof(Pixel)) / 4; }
  static constexpr int shift(int value) {
    return 8 * (value * int(sizeof(Pixel)) - offset(word(value)));
  }
  static constexpr int kReads = kBytes < 4 ? 4 : kBytes;  // bytes read from the pair's first
                                                          // byte on
};

template <class L, int kValue>
VU value_of(const VU* words) {
  const DU d;
  constexpr int kShift = L::shift(kValue);
  VU v = words[L::word(kValue)];
  if constexpr (kShift > 0) v = hn::ShiftRight<kShift>(v);
  if constexpr (kShift + L::kBits < 32) v = hn::And(v, hn::Set(d, (1u << L::kBits) - 1));
  return v;
}

template <class L, int kChannels, int kChannel>
VU blend(const VU* top, const VU* bottom, VU right, VU down) {
  const DU d;
  const auto across = [&](const VU* w) {
    const VU a = value_of<L, kChannel>(w), b = value_of<L, kChannel + kChannels>(w);
    return hn::Add(hn::ShiftLeft<8>(a), hn::Mul(hn::Sub(b, a), right));
  };
  const VU a = across(top), b = across(bottom);
  const VU sum = hn::Add(hn::ShiftLeft<8>(a), hn::Mul(hn::Sub(b, a), down));
  return hn::ShiftRight<16>(hn::Add(sum, hn::Set(d, 32768u)));
}

template <class Pixel>
auto narrowed(VU v) {
  const hn::Rebind<Pixel, D> d;
  return hn::DemoteTo(d, hn::BitCast(D(), v));
}

// Returns the number of sampled pixels; the caller samples the rest one by one.
template <class Pixel, int kChannels>
int sample_registers(const ImageView<const Pixel>& input, const std::int32_t* sx,
                     const std::int32_t* sy, int width, Pixel* out) {
  using L = Layout<Pixel, kChannels>;
  const D d;
  const DU du;
  const hn::Rebind<Pixel, D> dp;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const std::ptrdiff_t row = input.stride * std::ptrdiff_t{sizeof(Pixel)};
  const std::ptrdiff_t bytes =
      (input.height - 1) * row + std::ptrdiff_t{input.width} * L::kBytes / 2;
  if (bytes > std::numeric_limits<std::int32_t>::max() || bytes < L::kReads) return 0;
  const VI last = hn::Set(d, static_cast<int>(bytes) - L::kReads);
  const VI step = hn::Set(d, static_cast<int>(row));
  const auto* base = reinterpret_cast<const std::int32_t*>(input.data);
  int x = 0;
  for (; x + lanes <= width; x += lanes) {
    const VI px = hn::LoadU(d, sx + x), py = hn::LoadU(d, sy + x);
    const auto inside = hn::Gt(px, hn::Set(d, -1));
    const VI column = hn::ShiftRight<8>(px), line = hn::ShiftRight<8>(py);
    const VI at = hn::IfThenElseZero(
        inside, hn::Add(hn::Mul(line, step), hn::Mul(column, hn::Set(d, L::kBytes / 2))));
    const VI below = hn::Add(
        at, hn::IfThenElseZero(hn::And(inside, hn::Lt(line, hn::Set(d, input.height - 1))), step));
    // At the end of the memory the right neighbour must not be read, although its weight is 0.
    if (!hn::AllFalse(d, hn::Gt(below, last))) {
      sample_pixels<Pixel, kChannels>(input, sx, sy, x, x + lanes, out);
      continue;
    }
    VU top[L::kWords], bottom[L::kWords];
    for (int w = 0; w < L::kWords; ++w) {
      const VI shift = hn::Set(d, L::offset(w));
      top[w] = hn::BitCast(du, hn::GatherOffset(d, base, hn::Add(at, shift)));
      bottom[w] = hn::BitCast(du, hn::GatherOffset(d, base, hn::Add(below, shift)));
    }
    const VU right = hn::BitCast(du, hn::And(px, hn::Set(d, 255))),
             down = hn::BitCast(du, hn::And(py, hn::Set(d, 255)));
    const auto keep = hn::RebindMask(du, inside);
    const auto c0 =
        narrowed<Pixel>(hn::IfThenElseZero(keep, blend<L, kChannels, 0>(top, bottom, right, down)));
    if constexpr (kChannels == 1) {
      hn::StoreU(c0, dp, out + x);
    } else {
      const auto c1 = narrowed<Pixel>(
          hn::IfThenElseZero(keep, blend<L, kChannels, 1>(top, bottom, right, down)));
      const auto c2 = narrowed<Pixel>(
          hn::IfThenElseZero(keep, blend<L, kChannels, 2>(top, bottom, right, down)));
      hn::StoreInterleaved3(c0, c1, c2, dp, out + std::ptrdiff_t{x} * 3);
    }
  }
  return x;
}
#else
template <class Pixel, int kChannels>
int sample_registers(const ImageView<const Pixel>&, const std::int32_t*, const std::int32_t*, int,
                     Pixel*) {
  return 0;
}
#endif

template <class Pixel>
void sample_row(const ImageView<const Pixel>& input, const std::int32_t* sx, const std::int32_t* sy,
                int width, Pixel* out) {
  switch (input.channels) {
    case 1: {
      const int done = sample_registers<Pixel, 1>(input, sx, sy, width, out);
      return sample_pixels<Pixel, 1>(input, sx, sy, done, width, out);
    }
    case 2:
      return sample_pixels<Pixel, 2>(input, sx, sy, 0, width, out);
    case 3: {
      const int done = sample_registers<Pixel, 3>(input, sx, sy, width, out);
      return sample_pixels<Pixel, 3>(input, sx, sy, done, width, out);
    }
    default:
      return sample_pixels<Pixel, 4>(input, sx, sy, 0, width, out);
  }
}

void sample_row_8(const ImageView<const std::uint8_t>& input, const std::int32_t* sx,
                  const std::int32_t* sy, int width, std::uint8_t* out) {
  sample_row(input, sx, sy, width, out);
}
void sample_row_16(const ImageView<const std::uint16_t>& input, const std::int32_t* sx,
                   const std::int32_t* sy, int width, std::uint16_t* out) {
  sample_row(input, sx, sy, width, out);
}

}  // namespace HWY_NAMESPACE
}  // namespace bifocal::rectification
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bifocal::rectification {
HWY_EXPORT(sample_row_8);
HWY_EXPORT(sample_row_16);
namespace {

void mark(const std::int32_t* sx, int width, std::uint8_t* valid) {
  if (!valid) return;
  for (int x = 0; x < width; ++x) valid[x] = sx[x] < 0 ? 0 : 255;
}

}  // namespace

void remap_row(ImageView<const std::uint8_t> input, const std::int32_t* x, const std::int32_t* y,
               int width, std::uint8_t* output, std::uint8_t* valid) {
  HWY_DYNAMIC_DISPATCH(sample_row_8)(input, x, y, width, output);
  mark(x, width, valid);
}
void remap_row(ImageView<const std::uint16_t> input, const std::int32_t* x, const std::int32_t* y,
               int width, std::uint16_t* output, std::uint8_t* valid) {
  HWY_DYNAMIC_DISPATCH(sample_row_16)(input, x, y, width, output);
  mark(x, width, valid);
}

}  // namespace bifocal::rectification
#endif
