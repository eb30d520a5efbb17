// SPDX-License-Identifier: BSD-3-Clause
// The words of lane/gather_operations.h for registers of doubles. Included once for every target,
// after lane/simd-inl.h.
#if defined(BIFOCAL_LANE_GATHER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BIFOCAL_LANE_GATHER_INL_H_
#undef BIFOCAL_LANE_GATHER_INL_H_
#else
#define BIFOCAL_LANE_GATHER_INL_H_
#endif

#include <cmath>
#include <cstdint>

#include "lane/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bifocal::HWY_NAMESPACE {

using DoubleLanes = hn::ScalableTag<double>;

template <class T>
HWY_INLINE simd<double> gather_lanes(const T* p, simd<double> e) {
  const hn::RebindToSigned<DoubleLanes> whole;
  const auto places = hn::ConvertTo(whole, e.v);
  if constexpr (std::is_same_v<T, double>) {
    return {hn::GatherIndex(DoubleLanes(), p, places)};
  } else {
    HWY_ALIGN std::int64_t at[simd<double>::width];
    HWY_ALIGN double values[simd<double>::width];
    hn::Store(places, whole, at);
    for (int l = 0; l < simd<double>::width; ++l) values[l] = static_cast<double>(p[at[l]]);
    return {hn::Load(DoubleLanes(), values)};
  }
}
HWY_INLINE simd<double> load_lanes(const int* p, simd<double>) {
  return {hn::PromoteTo(DoubleLanes(), hn::LoadU(hn::Rebind<std::int32_t, DoubleLanes>(), p))};
}
HWY_INLINE void store_lanes(simd<double> v, double* p) { hn::StoreU(v.v, DoubleLanes(), p); }
HWY_INLINE void store_lanes(simd<double> v, float* p) {
  const hn::Rebind<float, DoubleLanes> floats;
  hn::StoreU(hn::DemoteTo(floats, v.v), floats, p);
}
HWY_INLINE simd<double> log1p_lanes(simd<double> v) {
  HWY_ALIGN double values[simd<double>::width];
  hn::Store(v.v, DoubleLanes(), values);
  for (double& value : values) value = std::log1p(value);
  return {hn::Load(DoubleLanes(), values)};
}

}  // namespace bifocal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
