// SPDX-License-Identifier: BSD-3-Clause
// The lane vocabulary for a SIMD register: simd<float> and simd<double>, with operators, based on
// Highway. Included once for every SIMD target by a file that uses foreach_target.h
// (docs/develop/lanes.md shows the structure of such a file).
#if defined(BIFOCAL_LANE_SIMD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BIFOCAL_LANE_SIMD_INL_H_
#undef BIFOCAL_LANE_SIMD_INL_H_
#else
#define BIFOCAL_LANE_SIMD_INL_H_
#endif

#include <hwy/highway.h>

#include "lane/scalar.hpp"

HWY_BEFORE_NAMESPACE();
namespace bifocal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
struct simd_mask {
  using Tag = hn::ScalableTag<T>;
  hn::Mask<Tag> m;
  friend HWY_INLINE simd_mask operator&(simd_mask a, simd_mask b) { return {hn::And(a.m, b.m)}; }
  friend HWY_INLINE simd_mask operator|(simd_mask a, simd_mask b) { return {hn::Or(a.m, b.m)}; }
  friend HWY_INLINE simd_mask operator!(simd_mask a) { return {hn::Not(a.m)}; }
  HWY_INLINE simd_mask& operator&=(simd_mask b) { return *this = *this & b; }
  HWY_INLINE simd_mask& operator|=(simd_mask b) { return *this = *this | b; }
};

template <class T>
struct simd {
  using Tag = hn::ScalableTag<T>;
  using mask = simd_mask<T>;
  static constexpr int width = static_cast<int>(hn::MaxLanes(Tag()));
  hn::Vec<Tag> v;

  friend HWY_INLINE simd operator+(simd a, simd b) { return {hn::Add(a.v, b.v)}; }
  friend HWY_INLINE simd operator-(simd a, simd b) { return {hn::Sub(a.v, b.v)}; }
  friend HWY_INLINE simd operator*(simd a, simd b) { return {hn::Mul(a.v, b.v)}; }
  friend HWY_INLINE simd operator/(simd a, simd b) { return {hn::Div(a.v, b.v)}; }
  friend HWY_INLINE simd operator-(simd a) { return {hn::Neg(a.v)}; }
  HWY_INLINE simd& operator+=(simd b) { return *this = *this + b; }
  HWY_INLINE simd& operator-=(simd b) { return *this = *this - b; }
  HWY_INLINE simd& operator*=(simd b) { return *this = *this * b; }
  friend HWY_INLINE mask operator<(simd a, simd b) { return {hn::Lt(a.v, b.v)}; }
  friend HWY_INLINE mask operator<=(simd a, simd b) { return {hn::Le(a.v, b.v)}; }
  friend HWY_INLINE mask operator>(simd a, simd b) { return {hn::Gt(a.v, b.v)}; }
  friend HWY_INLINE mask operator>=(simd a, simd b) { return {hn::Ge(a.v, b.v)}; }
  friend HWY_INLINE mask operator==(simd a, simd b) { return {hn::Eq(a.v, b.v)}; }
};

template <class T>
struct simd_pair;  // lane/pair-inl.h

}  // namespace HWY_NAMESPACE

namespace lane {

template <class T>
struct traits<HWY_NAMESPACE::simd<T>> {
  using element = T;
  using mask = HWY_NAMESPACE::simd_mask<T>;
  using integer = HWY_NAMESPACE::simd<T>;  // a whole number per lane, exact if small
  static constexpr int width = HWY_NAMESPACE::simd<T>::width;
  // A lane in double precision: two registers, or one if a register has a single lane.
  using wide = std::conditional_t<sizeof(T) == 4 && (width > 1), HWY_NAMESPACE::simd_pair<double>,
                                  HWY_NAMESPACE::simd<double>>;
};

template <class T>
struct ops<HWY_NAMESPACE::simd<T>> {
  using real = HWY_NAMESPACE::simd<T>;
  using mask = HWY_NAMESPACE::simd_mask<T>;
  using Tag = typename real::Tag;
  static HWY_INLINE real set(double v) {
    return {HWY_NAMESPACE::hn::Set(Tag(), static_cast<T>(v))};
  }
  static HWY_INLINE real select(mask m, real a, real b) {
    return {HWY_NAMESPACE::hn::IfThenElse(m.m, a.v, b.v)};
  }
  static HWY_INLINE mask select(mask m, mask a, mask b) { return (m & a) | (!m & b); }
  static HWY_INLINE bool any(mask m) { return !HWY_NAMESPACE::hn::AllFalse(Tag(), m.m); }
  static HWY_INLINE bool all(mask m) { return HWY_NAMESPACE::hn::AllTrue(Tag(), m.m); }
  static HWY_INLINE real sqrt(real v) { return {HWY_NAMESPACE::hn::Sqrt(v.v)}; }
  static HWY_INLINE real sqrt_normal(real v) { return sqrt(v); }
  static HWY_INLINE real fabs(real v) { return {HWY_NAMESPACE::hn::Abs(v.v)}; }
  static HWY_INLINE real fmin(real a, real b) { return select(a < b, a, b); }
  static HWY_INLINE real fmax(real a, real b) { return select(a < b, b, a); }
  static HWY_INLINE real copysign(real a, real b) {
    return {HWY_NAMESPACE::hn::CopySign(a.v, b.v)};
  }
  // About half the cost of a division in float on x86-64, whose estimates have at least 11 bits; an
  // exact division in double and on ARM, whose estimates have 8.
  static HWY_INLINE real reciprocal(real v) {
    if constexpr (sizeof(T) == 4 && HWY_ARCH_X86) {
      const real r = {HWY_NAMESPACE::hn::ApproximateReciprocal(v.v)};
      return r * (set(2) - v * r);
    } else {
      return set(1) / v;
    }
  }
  static HWY_INLINE real rsqrt(real v) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3  // estimates of 14 bits
    const real half = set(0.5) * v;
    real r;
    if constexpr (sizeof(T) == 4) {
      r = {HWY_NAMESPACE::hn::ApproximateReciprocalSqrt(v.v)};
    } else {
      r.v.raw = _mm512_rsqrt14_pd(v.v.raw);
      r = r * (set(1.5) - half * r * r);
    }
    return r * (set(1.5) - half * r * r);
#else
    return set(1) / sqrt(v);
#endif
  }
  static HWY_INLINE real reciprocal_power(real v) {
    namespace hn = HWY_NAMESPACE::hn;
    const hn::RebindToSigned<Tag> bits;
    using I = hn::TFromD<decltype(bits)>;
    const I one = sizeof(T) == 4 ? I{0x3f800000} : static_cast<I>(0x3ff0000000000000);
    const I exponent = sizeof(T) == 4 ? I{0x7f800000} : static_cast<I>(0x7ff0000000000000);
    return {hn::BitCast(Tag(), hn::Sub(hn::Set(bits, 2 * one),
                                       hn::And(hn::BitCast(bits, v.v), hn::Set(bits, exponent))))};
  }
  using wide = typename traits<real>::wide;
  static HWY_INLINE auto widen(real v) {
    if constexpr (sizeof(T) == 8) {
      return v;
    } else if constexpr (real::width == 1) {
      return wide{HWY_NAMESPACE::hn::PromoteTo(typename wide::Tag(), v.v)};
    } else {
      return wide::of_floats(v);
    }
  }
  template <class Wide>
  static HWY_INLINE real narrow(Wide v) {
    if constexpr (sizeof(T) == 8) {
      return v;
    } else if constexpr (real::width == 1) {
      return {HWY_NAMESPACE::hn::DemoteTo(Tag(), v.v)};
    } else {
      return v.floats();
    }
  }
  static HWY_INLINE real load(const T* p) { return {HWY_NAMESPACE::hn::LoadU(Tag(), p)}; }
  // Loads as many floats as the register has doubles.
  static HWY_INLINE real load(const float* p) requires(sizeof(T) == 8) {
    namespace hn = HWY_NAMESPACE::hn;
    return {hn::PromoteTo(Tag(), hn::LoadU(hn::Rebind<float, Tag>(), p))};
  }
  static HWY_INLINE void store(real v, T* p) { HWY_NAMESPACE::hn::StoreU(v.v, Tag(), p); }
  static HWY_INLINE T sum(real v) {
    return HWY_NAMESPACE::hn::GetLane(HWY_NAMESPACE::hn::SumOfLanes(Tag(), v.v));
  }
  static HWY_INLINE T first(real v) { return HWY_NAMESPACE::hn::GetLane(v.v); }
  static HWY_INLINE T maximum(real v) {
    return HWY_NAMESPACE::hn::GetLane(HWY_NAMESPACE::hn::MaxOfLanes(Tag(), v.v));
  }
  static HWY_INLINE real same(T v) { return {HWY_NAMESPACE::hn::Set(Tag(), v)}; }
  static HWY_INLINE real power_of_two(real v) {
    const T least = sizeof(T) == 4 ? T(0x1p-126) : T(0x1p-1022);
    const real p = {HWY_NAMESPACE::hn::And(v.v, HWY_NAMESPACE::hn::Inf(Tag()))};
    return fmin(fmax(p, same(least)), same(1 / least));
  }
  // Returns the offsets of element e, which differs between lanes, in an array of registers.
  static HWY_INLINE auto lane_offset(real e) {
    namespace hn = HWY_NAMESPACE::hn;
    const hn::RebindToSigned<Tag> whole;
    return hn::ConvertTo(whole, (e * same(T{real::width}) + iota(0)).v);
  }
  static HWY_INLINE real get(const real* A, real e) {
    return {HWY_NAMESPACE::hn::GatherIndex(Tag(), reinterpret_cast<const T*>(A), lane_offset(e))};
  }
  static HWY_INLINE void put(real* A, real e, mask m, real v) {
    HWY_NAMESPACE::hn::ScatterIndex(select(m, v, get(A, e)).v, Tag(), reinterpret_cast<T*>(A),
                                    lane_offset(e));
  }
  static HWY_INLINE real integer(int k) { return same(static_cast<T>(k)); }
  static HWY_INLINE real select_integer(mask m, real a, real b) { return select(m, a, b); }
  static HWY_INLINE int lowest(real v) {
    return static_cast<int>(HWY_NAMESPACE::hn::GetLane(HWY_NAMESPACE::hn::MinOfLanes(Tag(), v.v)));
  }
  static HWY_INLINE int highest(real v) { return static_cast<int>(maximum(v)); }
  static HWY_INLINE real iota(int first) {
    return {HWY_NAMESPACE::hn::Iota(Tag(), static_cast<T>(first))};
  }
  // Lane l loads p[l stride]. Elements are loaded one by one, because gathers are rarely faster.
  static HWY_INLINE real load_strided(const T* p, std::ptrdiff_t stride) {
    HWY_ALIGN T v[real::width];
    for (int l = 0; l < real::width; ++l) v[l] = p[l * stride];
    return {HWY_NAMESPACE::hn::Load(Tag(), v)};
  }
  // Stores the first n lanes.
  static HWY_INLINE void store_strided(real v, T* p, std::ptrdiff_t stride, int n) {
    HWY_ALIGN T values[real::width];
    HWY_NAMESPACE::hn::Store(v.v, Tag(), values);
    for (int l = 0; l < real::width && l < n; ++l) p[l * stride] = values[l];
  }
};

}  // namespace lane
}  // namespace bifocal
HWY_AFTER_NAMESPACE();

#include "lane/pair-inl.h"

#endif
