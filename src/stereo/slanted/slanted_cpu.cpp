// SPDX-License-Identifier: BSD-3-Clause
// Kernels of slanted.kernels on CPUs, compiled for every SIMD target: one pixel per lane.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "stereo/slanted/slanted_cpu.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "lane/simd-inl.h"
#include "runtime/cpu_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace bifocal::HWY_NAMESPACE {
namespace {

template <class Real>
struct slanted_source {
  static runtime::Constants constants() { return {}; }
#include "lane/cpp_begin.h"
  group_fn real slanted_floor(real v) { return {hn::Floor(v.v)}; }
  // Loads element `at`, a whole number below 2^24, in each lane.
  group_fn real slanted_gather(const float* p, real at) {
    const typename real::Tag floats;
    return {
        hn::GatherIndex(floats, p, hn::ConvertTo(hn::RebindToSigned<typename real::Tag>(), at.v))};
  }
  group_fn void slanted_quad(const bits32* quads, real at, real* a, real* b, real* c, real* d) {
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
#include "stereo/slanted/slanted.list"
#include "lane/cpp_end.h"
};
CPU_KERNELS(SLANTED_KERNELS)

void slanted_rows(runtime::CpuTable& table) {
  CPU_VARIANT(slanted, SLANTED_KERNELS, slanted_source<simd<float>>)
}

}  // namespace
}  // namespace bifocal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bifocal {
HWY_EXPORT(slanted_rows);
CPU_TABLE(slanted_cpu) { HWY_DYNAMIC_DISPATCH(slanted_rows)(table); }
}  // namespace bifocal
#endif
