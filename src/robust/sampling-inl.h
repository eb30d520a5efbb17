// SPDX-License-Identifier: BSD-3-Clause
// Draws samples of matches, one per lane of a SIMD register. Gives exactly the same numbers as
// philox and sample_draw of ransac/sampling.lane.h.

#if defined(BIFOCAL_ROBUST_SAMPLING_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BIFOCAL_ROBUST_SAMPLING_INL_H_
#undef BIFOCAL_ROBUST_SAMPLING_INL_H_
#else
#define BIFOCAL_ROBUST_SAMPLING_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "lane/simd-inl.h"
#include "robust/scalar_math.hpp"

HWY_BEFORE_NAMESPACE();
namespace bifocal {
namespace HWY_NAMESPACE {
namespace {

// Floats of a row of one point: whole blocks of SIMD registers.
constexpr int row_size(int columns) { return (columns + 3) / 4 * 4; }

#if HWY_TARGET == HWY_SCALAR
struct sampling_lanes {
  static constexpr int width = 1;

  template <int blocks>
  static void random_numbers(std::uint32_t key0, std::uint32_t key1, std::uint32_t first,
                             std::uint32_t, std::uint32_t* out) {
    for (std::uint32_t block = 0; block < blocks; ++block, out += 4) {
      const std::uint32_t counter[4] = {block, 0, first, 0};
      robust::ScalarMath::philox(counter, key0, key1, out);
    }
  }

  template <int size>
  static void draw(std::uint32_t key0, std::uint32_t key1, std::uint32_t first, std::uint32_t,
                   std::uint32_t n, std::uint32_t* samples) {
    int sample[size];
    robust::ScalarMath::sample_draw(key0, key1, first, static_cast<int>(n), size, nullptr, 0,
                                    sample);
    for (int k = 0; k < size; ++k) samples[k] = static_cast<std::uint32_t>(sample[k]);
  }

  template <int size, int columns>
  static void load_sample_points(const float* rows, const std::uint32_t* samples, simd<float>* p) {
    for (int k = 0; k < size; ++k)
      for (int c = 0; c < columns; ++c)
        p[c * size + k].v = hn::Set(simd<float>::Tag(), rows[row_size(columns) * samples[k] + c]);
  }
};
#else
struct sampling_lanes {
  using Numbers = hn::ScalableTag<std::uint32_t>;
  using Products = hn::ScalableTag<std::uint64_t>;
  using Vector = hn::Vec<Numbers>;
  using Wide = hn::Vec<Products>;
  static constexpr int width = static_cast<int>(hn::MaxLanes(Numbers()));

  // 32-bit numbers in the low halves of 64-bit elements: the numbers of the even lanes and of the
  // odd lanes. The high halves are ignored.
  struct Halves {
    Wide even, odd;
  };

  static HWY_INLINE Halves halves(Vector v) {
    const Wide both = hn::BitCast(Products(), v);
    return {both, hn::ShiftRight<32>(both)};
  }
  static HWY_INLINE Vector low(const Halves& v) {
    return hn::OddEven(hn::BitCast(Numbers(), hn::ShiftLeft<32>(v.odd)),
                       hn::BitCast(Numbers(), v.even));
  }
  static HWY_INLINE Vector high(const Halves& v) {
    return hn::OddEven(hn::BitCast(Numbers(), v.odd),
                       hn::BitCast(Numbers(), hn::ShiftRight<32>(v.even)));
  }
  static HWY_INLINE Wide times(Wide a, Vector b) {
    return hn::MulEven(hn::BitCast(Numbers(), a), b);
  }
  static HWY_INLINE Halves times(const Halves& a, Vector b) {
    return {times(a.even, b), times(a.odd, b)};
  }
  static HWY_INLINE Wide mixed(Wide product, Wide other, std::uint32_t key) {
    return hn::Xor(hn::Xor(hn::ShiftRight<32>(product), other), hn::Set(Products(), key));
  }

  // Returns the sample index of each lane, in ascending order; lanes beyond the last sample
  // repeat it.
  static HWY_INLINE Vector numbered(std::uint32_t first, std::uint32_t last) {
    const Numbers d;
    return hn::Add(hn::Set(d, first), hn::Min(hn::Iota(d, 0), hn::Set(d, last - first)));
  }

  // The products that all blocks of random numbers share: the second product of the first round and
  // the first product of the second round. Their other factors are scalars.
  struct Opening {
    Halves first, second;
  };
  static constexpr std::uint32_t kFirstFactor = 0xD2511F53u, kSecondFactor = 0xCD9E8D57u,
                                 kFirstKey = 0x9E3779B9u, kSecondKey = 0xBB67AE85u;

  static HWY_INLINE Opening opening(std::uint32_t key0, Vector iterations) {
    const Wide none = hn::Zero(Products());
    const Halves q = times(halves(iterations), hn::Set(Numbers(), kSecondFactor));
    const Halves c0 = {mixed(q.even, none, key0), mixed(q.odd, none, key0)};
    return {q, times(c0, hn::Set(Numbers(), kFirstFactor))};
  }

  // Computes the random numbers 4 block ... 4 block + 3.
  static HWY_INLINE void philox(std::uint32_t key0, std::uint32_t key1, std::uint32_t block,
                                const Opening& opening, Halves* out) {
    const Products d;
    const Vector a = hn::Set(Numbers(), kFirstFactor), b = hn::Set(Numbers(), kSecondFactor);
    const std::uint64_t product = std::uint64_t{kFirstFactor} * block;
    const std::uint32_t uniform = static_cast<std::uint32_t>(product >> 32) ^ key1;
    const std::uint64_t q = std::uint64_t{kSecondFactor} * uniform;
    key0 += kFirstKey;
    key1 += kSecondKey;
    const Wide high = hn::Set(d, (q >> 32) ^ key0), low = hn::Set(d, q & 0xFFFFFFFFu);
    const auto low_of_product = static_cast<std::uint32_t>(product);
    Halves c0 = {hn::Xor(opening.first.even, high), hn::Xor(opening.first.odd, high)};
    Halves c1 = {low, low};
    Halves c2 = {mixed(opening.second.even, hn::Zero(d), low_of_product ^ key1),
                 mixed(opening.second.odd, hn::Zero(d), low_of_product ^ key1)};
    Halves c3 = opening.second;
    for (int round = 2; round < 10; ++round) {
      key0 += kFirstKey;
      key1 += kSecondKey;
      const Halves p = times(c0, a), r = times(c2, b);
      c0 = {mixed(r.even, c1.even, key0), mixed(r.odd, c1.odd, key0)};
      c2 = {mixed(p.even, c3.even, key1), mixed(p.odd, c3.odd, key1)};
      c1 = r;
      c3 = p;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
  }

  // Computes the first random numbers of the samples first ... last, at most `width` samples:
  // [4 blocks][width].
  template <int blocks>
  static void random_numbers(std::uint32_t key0, std::uint32_t key1, std::uint32_t first,
                             std::uint32_t last, std::uint32_t* out) {
    const Opening start = opening(key0, numbered(first, last));
    for (std::uint32_t block = 0; block < blocks; ++block) {
      Halves numbers[4];
      philox(key0, key1, block, start, numbers);
      for (int i = 0; i < 4; ++i, out += width) hn::StoreU(low(numbers[i]), Numbers(), out);
    }
  }

  // The points of samples that are being drawn.
  template <int size>
  struct Drawn {
    Vector points[size], count;
  };

  // Adds the point of a random number after at most `before` points. A number is rejected if the
  // sample is complete, if it would bias the draw, or if the point is drawn already.
  template <int before, int size>
  static HWY_INLINE void add(const Halves& number, Vector range, Vector biased,
                             Drawn<size>& drawn) {
    const Numbers d;
    const Halves product = times(number, range);
    const Vector point = high(product);
    auto fresh = hn::Not(hn::Lt(low(product), biased));
    if constexpr (before >= size) fresh = hn::And(fresh, hn::Lt(drawn.count, hn::Set(d, size)));
    for (int k = 0; k < size && k < before; ++k)
      fresh = hn::AndNot(hn::Eq(drawn.points[k], point), fresh);
    for (int k = 0; k < size && k <= before; ++k) {
      const auto here = hn::And(fresh, hn::Eq(drawn.count, hn::Set(d, static_cast<unsigned>(k))));
      drawn.points[k] = hn::IfThenElse(here, point, drawn.points[k]);
    }
    drawn.count = hn::IfThenElse(fresh, hn::Add(drawn.count, hn::Set(d, 1)), drawn.count);
  }

  // Draws the samples first ... last of `size` distinct points each, out of
  // n. samples [size][width].
  template <int size>
  static void draw(std::uint32_t key0, std::uint32_t key1, std::uint32_t first, std::uint32_t last,
                   std::uint32_t n, std::uint32_t* samples) {
    // A lane may have all its points after the first eight numbers.
    constexpr int later = size > 8 ? size : 8;
    const Numbers d;
    const Vector range = hn::Set(d, n), biased = hn::Set(d, (0u - n) % n);
    const Vector wanted = hn::Set(d, size);
    const Opening start = opening(key0, numbered(first, last));
    Drawn<size> drawn;
    drawn.count = hn::Zero(d);
    for (Vector& point : drawn.points) point = hn::Set(d, ~0u);
    Halves numbers[4];
    const auto add_all = [&]<int before>(std::integral_constant<int, before>) {
      philox(key0, key1, before / 4, start, numbers);
      add<before>(numbers[0], range, biased, drawn);
      add<before + 1>(numbers[1], range, biased, drawn);
      add<before + 2>(numbers[2], range, biased, drawn);
      add<before + 3>(numbers[3], range, biased, drawn);
    };
    const auto complete = [&] { return hn::AllTrue(d, hn::Eq(drawn.count, wanted)); };
    add_all(std::integral_constant<int, 0>());
    if constexpr (size > 4) {
      add_all(std::integral_constant<int, 4>());
    }
    for (std::uint32_t used = size > 4 ? 8 : 4; !complete(); ++used) {  // mostly one or two more
      if (used % 4 == 0) philox(key0, key1, used / 4, start, numbers);
      add<later>(numbers[used % 4], range, biased, drawn);
    }
    for (int k = 0; k < size; ++k) hn::StoreU(drawn.points[k], d, samples + k * width);
  }

  using Floats = simd<float>::Tag;
  using Doubles = hn::ScalableTag<double>;

  // Loads four floats of every fourth row.
  template <class D>
  static HWY_INLINE hn::Vec<D> fourth_rows(D d, const float* rows, int stride,
                                           const std::uint32_t* samples) {
    if constexpr (hn::MaxLanes(d) == 4) {
      return hn::LoadU(d, rows + stride * static_cast<std::ptrdiff_t>(samples[0]));
    } else {
      const hn::Half<D> half;
      return hn::Combine(d, fourth_rows(half, rows, stride, samples + hn::MaxLanes(half)),
                         fourth_rows(half, rows, stride, samples));
    }
  }
  static HWY_INLINE void interleave(hn::Vec<Floats> a, hn::Vec<Floats> b, hn::Vec<Doubles>* out) {
    out[0] = hn::BitCast(Doubles(), hn::InterleaveLower(Floats(), a, b));
    out[1] = hn::BitCast(Doubles(), hn::InterleaveUpper(Floats(), a, b));
  }

  // Loads the points of samples [size][width] from rows of row_size(columns), one sample per lane:
  // p [columns][size].
  template <int size, int columns>
  static HWY_INLINE void load_sample_points(const float* rows, const std::uint32_t* samples,
                                            simd<float>* p) {
    constexpr int stride = row_size(columns);
    for (int k = 0; k < size; ++k) {
      for (int c = 0; c < columns; c += 4) {
        hn::Vec<Floats> row[4];
        for (int l = 0; l < 4; ++l)
          row[l] = fourth_rows(Floats(), rows + c, stride, samples + k * width + l);
        hn::Vec<Doubles> even[2], odd[2];  // the first and the second two rows of a block
        interleave(row[0], row[1], even);
        interleave(row[2], row[3], odd);
        for (int i = 0; i < 4 && c + i < columns; ++i)
          p[(c + i) * size + k].v = hn::BitCast(
              Floats(), i % 2 == 0 ? hn::InterleaveLower(Doubles(), even[i / 2], odd[i / 2])
                                   : hn::InterleaveUpper(Doubles(), even[i / 2], odd[i / 2]));
      }
    }
  }
};

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace bifocal
HWY_AFTER_NAMESPACE();

#endif
