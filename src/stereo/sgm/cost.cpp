// SPDX-License-Identifier: BSD-3-Clause
// Twin: cost.kernel.h (GPUs). Computes matching costs on CPUs.
// The file is compiled for AVX3_DL also (Ice Lake, Zen 4), which counts bits in one instruction and
// takes half the time.
#define HWY_WANT_AVX3_DL 1
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "stereo/sgm/cost.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <cstddef>

#include "stereo/sgm/cost.hpp"
#include "stereo/sgm/widths.hpp"

HWY_BEFORE_NAMESPACE();
namespace bifocal::stereo {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <bool kFull, class V32>
HWY_INLINE V32 differing(V32 left_low, V32 left_high, const std::uint32_t* const (&right)[2],
                         std::ptrdiff_t from) {
  const hn::DFromV<V32> d;
  V32 count = hn::PopulationCount(hn::Xor(left_low, hn::LoadU(d, right[0] + from)));
  if constexpr (kFull) {
    const V32 high = hn::PopulationCount(hn::Xor(left_high, hn::LoadU(d, right[1] + from)));
    count = hn::Add(count, high);
  }
  return count;
}

// Converts the counts to bytes. TruncateTo of Highway 1.0.3 is wrong for AVX3_DL: it permutes words
// with indices meant for bytes.
template <class DBytes, class V32>
HWY_INLINE auto bytes_of(DBytes d, V32 counts) {
#if HWY_TARGET == HWY_AVX3_DL
  return hn::DemoteTo(d, hn::BitCast(hn::RebindToSigned<hn::DFromV<V32>>(), counts));
#else
  return hn::TruncateTo(d, counts);
#endif
}

template <bool kFull, bool kRowsApart>
HWY_INLINE void cost_row_of(const CostRow& c) {
  const hn::CappedTag<std::uint32_t, kSumsBlock> d;
  const hn::Rebind<std::uint8_t, decltype(d)> bytes;
  const int step = static_cast<int>(hn::Lanes(d)), disparities = c.disparities;
  const int end = (disparities + kWidestBytes - 1) / kWidestBytes * kWidestBytes;
  const auto none = hn::Set(bytes, std::uint8_t{255});
  for (int x = 0; x < c.width; ++x) {
    std::uint8_t* out = c.cost + std::ptrdiff_t{x} * c.stride;
    const auto low = hn::Set(d, c.left[0][x]), high = hn::Set(d, kFull ? c.left[1][x] : 0U);
    const int from = c.width - 1 - x;
    for (int i = 0; i < disparities; i += step) {
      auto least = differing<kFull>(low, high, c.right[0], from + i);
      for (int k = 1; kRowsApart && k < 5; ++k) {
        if (!c.right[k][0]) continue;
        const int apart = (k + 1) / 2 * c.rows_apart_penalty;
        const auto other = differing<kFull>(low, high, c.right[k], from + i);
        least = hn::Min(least, hn::Add(other, hn::Set(d, static_cast<std::uint32_t>(apart))));
      }
      hn::StoreU(bytes_of(bytes, least), bytes, out + i);
    }
    for (int i = disparities; i % step != 0 && i < end; ++i) out[i] = 255;
    for (int i = (disparities + step - 1) / step * step; i < end; i += step)
      hn::StoreU(none, bytes, out + i);
  }
}

void cost_row(const CostRow& c) {
  const bool full = c.left[1] != nullptr;
  bool apart = false;
  for (int k = 1; k < 5; ++k) apart = apart || c.right[k][0] != nullptr;
  if (full) {
    apart ? cost_row_of<true, true>(c) : cost_row_of<true, false>(c);
  } else {
    apart ? cost_row_of<false, true>(c) : cost_row_of<false, false>(c);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace bifocal::stereo
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bifocal::stereo {
HWY_EXPORT(cost_row);

void cost_row(const CostRow& c) { HWY_DYNAMIC_DISPATCH(cost_row)(c); }

}  // namespace bifocal::stereo
#endif
