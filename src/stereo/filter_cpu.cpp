// SPDX-License-Identifier: BSD-3-Clause
// Twin: tile_words.h (GPUs). Compiles the kernels of filter.kernels for every SIMD target of a CPU.
// The words of the median are registers here.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "stereo/filter_cpu.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "lane/scalar.hpp"
#include "runtime/cpu_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace bifocal::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

using Numbers = hn::CappedTag<std::uint16_t, 32>;  // at most a row of a tile

struct MedianWord {
  hn::Vec<Numbers> v;
  friend HWY_INLINE MedianWord operator&(MedianWord a, MedianWord b) { return {hn::And(a.v, b.v)}; }
  friend HWY_INLINE MedianWord operator|(MedianWord a, MedianWord b) { return {hn::Or(a.v, b.v)}; }
  friend HWY_INLINE MedianWord operator^(MedianWord a, MedianWord b) { return {hn::Xor(a.v, b.v)}; }
  friend HWY_INLINE MedianWord operator~(MedianWord a) { return {hn::Not(a.v)}; }
};

template <class Real, int MedianSide>
struct filter_source {
  static constexpr int GROUP_SIZE = 1, REGIONS = 0, MEDIAN_SIDE = MedianSide;
  static runtime::Constants constants() { return {{"MEDIAN_SIDE", MEDIAN_SIDE}}; }
  using pairs = MedianWord;
  static constexpr int PAIRS_ACROSS = static_cast<int>(hn::MaxLanes(Numbers())), PAIRS_DOWN = 1;
  static HWY_INLINE pairs pairs_ones() { return {hn::Set(Numbers(), 0xffff)}; }
  static HWY_INLINE pairs pairs_unknown(pairs a) {
    const hn::RebindToSigned<Numbers> with_sign;
    return {hn::BitCast(Numbers(), hn::ShiftRight<15>(hn::BitCast(with_sign, a.v)))};
  }
  static HWY_INLINE pairs pair_min(pairs a, pairs b) { return {hn::Min(a.v, b.v)}; }
  static HWY_INLINE pairs pair_max(pairs a, pairs b) { return {hn::Max(a.v, b.v)}; }
  static HWY_INLINE pairs pairs_load(const std::uint16_t* halo, int i) {
    return {hn::LoadU(Numbers(), halo + i)};
  }
  static HWY_INLINE void pairs_store(std::uint16_t* tile, int i, pairs a) {
    hn::StoreU(a.v, Numbers(), tile + i);
  }
  // Functions of regions.kernel.h that filter_tile names but does not call if REGIONS is 0.
  static void tile_regions(const std::uint16_t* tile, std::uint32_t* trees, std::uint32_t* sizes,
                           std::uint32_t* joined, int range);
  static std::uint32_t tile_root(std::uint32_t* trees, std::uint32_t i);
#define tile_for(x, y, width, height) \
  for (int y = 0; y < (height); ++y)  \
    for (int x = 0; x < (width); ++x)
#define tile_for_inside tile_for
#include "lane/cpp_begin.h"
#include "stereo/filter.list"
#include "lane/cpp_end.h"
};
CPU_KERNELS(FILTER_TILE_KERNEL)
CPU_KERNELS(FILTER_COMMON_KERNELS)

void filter_rows(runtime::CpuTable& table) {
  CPU_VARIANT(filter, FILTER_COMMON_KERNELS, filter_source<float, 0>)
  CPU_VARIANT(filter, FILTER_TILE_KERNEL, filter_source<float, 0>)
  CPU_VARIANT(filter, FILTER_TILE_KERNEL, filter_source<float, 3>)
  CPU_VARIANT(filter, FILTER_TILE_KERNEL, filter_source<float, 5>)
}

}  // namespace
}  // namespace bifocal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bifocal {
HWY_EXPORT(filter_rows);
CPU_TABLE(filter_cpu) { HWY_DYNAMIC_DISPATCH(filter_rows)(table); }
}  // namespace bifocal
#endif
