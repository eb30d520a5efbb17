// SPDX-License-Identifier: BSD-3-Clause
// Kernels of patch_match.kernels on CPUs, compiled for every SIMD target: one pixel per lane.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "dense/patch_match_cpu.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "lane/simd-inl.h"
#include "runtime/cpu_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace bifocal::HWY_NAMESPACE {
namespace {

template <class Real>
struct patch_match_source {
  static runtime::Constants constants() { return {}; }
#include "lane/cpp_begin.h"
  group_fn real patch_floor(real v) { return {hn::Floor(v.v)}; }
  // Loads element `at`, a whole number below 2^24, in each lane.
  group_fn real patch_gather(const float* p, real at) {
    const typename real::Tag floats;
    return {
        hn::GatherIndex(floats, p, hn::ConvertTo(hn::RebindToSigned<typename real::Tag>(), at.v))};
  }
  // Loads the first bytes of the words from `at` on.
  group_fn real patch_first_byte(const bits32* p, index at) {
    const hn::RebindToSigned<typename real::Tag> whole;
    const auto bytes = hn::LoadU(whole, reinterpret_cast<const std::int32_t*>(p) + at);
    return {hn::ConvertTo(typename real::Tag(), hn::And(bytes, hn::Set(whole, 255)))};
  }
  group_fn void patch_quad(const bits32* quads, real at, real* a, real* b, real* c, real* d) {
    const hn::RebindToSigned<typename real::Tag> whole;
    const typename real::Tag floats;
    const auto* words = reinterpret_cast<const std::int32_t*>(quads);
    const auto bytes = hn::GatherIndex(whole, words, hn::ConvertTo(whole, at.v));
    const auto low = hn::Set(whole, 255);
    a->v = hn::ConvertTo(floats, hn::And(bytes, low));
    b->v = hn::ConvertTo(floats, hn::And(hn::ShiftRight<8>(bytes), low));
    c->v = hn::ConvertTo(floats, hn::And(hn::ShiftRight<16>(bytes), low));
    d->v = hn::ConvertTo(floats, hn::And(hn::ShiftRight<24>(bytes), low));
  }
#include "dense/patch_match.list"
#include "lane/cpp_end.h"
};
CPU_KERNELS(PATCH_MATCH_KERNELS)

void patch_match_rows(runtime::CpuTable& table) {
  CPU_VARIANT(patch_match, PATCH_MATCH_KERNELS, patch_match_source<simd<float>>)
}

}  // namespace
}  // namespace bifocal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bifocal {
HWY_EXPORT(patch_match_rows);
CPU_TABLE(patch_match_cpu) { HWY_DYNAMIC_DISPATCH(patch_match_rows)(table); }
}  // namespace bifocal
#endif
