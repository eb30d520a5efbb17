// SPDX-License-Identifier: BSD-3-Clause
// simd_pair<T>: two registers as one lane type of twice the width. Code in which each step depends
// on a root and a quotient of the previous one (a QR sweep) leaves half of the processor idle; two
// independent registers of instances use it. Included once for every SIMD target.
#if defined(BIFOCAL_LANE_PAIR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BIFOCAL_LANE_PAIR_INL_H_
#undef BIFOCAL_LANE_PAIR_INL_H_
#else
#define BIFOCAL_LANE_PAIR_INL_H_
#endif

#include "lane/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bifocal {
namespace HWY_NAMESPACE {

template <class T>
struct pair_mask {
  simd_mask<T> a, b;
  friend HWY_INLINE pair_mask operator&(pair_mask x, pair_mask y) { return {x.a & y.a, x.b & y.b}; }
  friend HWY_INLINE pair_mask operator|(pair_mask x, pair_mask y) { return {x.a | y.a, x.b | y.b}; }
  friend HWY_INLINE pair_mask operator!(pair_mask x) { return {!x.a, !x.b}; }
  HWY_INLINE pair_mask& operator&=(pair_mask y) { return *this = *this & y; }
  HWY_INLINE pair_mask& operator|=(pair_mask y) { return *this = *this | y; }
};

template <class T>
struct simd_pair {
  using mask = pair_mask<T>;
  static constexpr int width = 2 * simd<T>::width;
  simd<T> a, b;

#if HWY_TARGET != HWY_SCALAR
  // Conversions from and to as many floats.
  static HWY_INLINE simd_pair of_floats(simd<float> v) requires(sizeof(T) == 8) {
    using Floats = simd<float>::Tag;
    const hn::Half<Floats> half;
    const typename simd<T>::Tag doubles;
    return {{hn::PromoteTo(doubles, hn::LowerHalf(half, v.v))},
            {hn::PromoteTo(doubles, hn::UpperHalf(half, v.v))}};
  }
  [[nodiscard]] HWY_INLINE simd<float> floats() const requires(sizeof(T) == 8) {
    using Floats = simd<float>::Tag;
    const hn::Half<Floats> half;
    return {hn::Combine(Floats(), hn::DemoteTo(half, b.v), hn::DemoteTo(half, a.v))};
  }
#endif

  friend HWY_INLINE simd_pair operator+(simd_pair x, simd_pair y) { return {x.a + y.a, x.b + y.b}; }
  friend HWY_INLINE simd_pair operator-(simd_pair x, simd_pair y) { return {x.a - y.a, x.b - y.b}; }
  friend HWY_INLINE simd_pair operator*(simd_pair x, simd_pair y) { return {x.a * y.a, x.b * y.b}; }
  friend HWY_INLINE simd_pair operator/(simd_pair x, simd_pair y) { return {x.a / y.a, x.b / y.b}; }
  friend HWY_INLINE simd_pair operator-(simd_pair x) { return {-x.a, -x.b}; }
  HWY_INLINE simd_pair& operator+=(simd_pair y) { return *this = *this + y; }
  HWY_INLINE simd_pair& operator-=(simd_pair y) { return *this = *this - y; }
  HWY_INLINE simd_pair& operator*=(simd_pair y) { return *this = *this * y; }
  friend HWY_INLINE mask operator<(simd_pair x, simd_pair y) { return {x.a < y.a, x.b < y.b}; }
  friend HWY_INLINE mask operator<=(simd_pair x, simd_pair y) { return {x.a <= y.a, x.b <= y.b}; }
  friend HWY_INLINE mask operator>(simd_pair x, simd_pair y) { return {x.a > y.a, x.b > y.b}; }
  friend HWY_INLINE mask operator>=(simd_pair x, simd_pair y) { return {x.a >= y.a, x.b >= y.b}; }
  friend HWY_INLINE mask operator==(simd_pair x, simd_pair y) { return {x.a == y.a, x.b == y.b}; }
};

}  // namespace HWY_NAMESPACE

namespace lane {

template <class T>
struct traits<HWY_NAMESPACE::simd_pair<T>> {
  using element = T;
  using mask = HWY_NAMESPACE::pair_mask<T>;
  using integer = HWY_NAMESPACE::simd_pair<T>;
  using wide = HWY_NAMESPACE::simd_pair<T>;
  static constexpr int width = HWY_NAMESPACE::simd_pair<T>::width;
};

template <class T>
struct ops<HWY_NAMESPACE::simd_pair<T>> {
  using real = HWY_NAMESPACE::simd_pair<T>;
  using mask = HWY_NAMESPACE::pair_mask<T>;
  using half = HWY_NAMESPACE::simd<T>;
  using one = ops<half>;
  static constexpr int half_width = half::width;

  static HWY_INLINE real set(double v) { return {one::set(v), one::set(v)}; }
  static HWY_INLINE real select(mask m, real x, real y) {
    return {one::select(m.a, x.a, y.a), one::select(m.b, x.b, y.b)};
  }
  static HWY_INLINE mask select(mask m, mask x, mask y) {
    return {one::select(m.a, x.a, y.a), one::select(m.b, x.b, y.b)};
  }
  static HWY_INLINE bool any(mask m) { return one::any(m.a | m.b); }
  static HWY_INLINE bool all(mask m) { return one::all(m.a & m.b); }
  static HWY_INLINE real sqrt(real v) { return {one::sqrt(v.a), one::sqrt(v.b)}; }
  static HWY_INLINE real sqrt_normal(real v) {
    return {one::sqrt_normal(v.a), one::sqrt_normal(v.b)};
  }
  static HWY_INLINE real fabs(real v) { return {one::fabs(v.a), one::fabs(v.b)}; }
  static HWY_INLINE real fmin(real x, real y) { return {one::fmin(x.a, y.a), one::fmin(x.b, y.b)}; }
  static HWY_INLINE real fmax(real x, real y) { return {one::fmax(x.a, y.a), one::fmax(x.b, y.b)}; }
  static HWY_INLINE real copysign(real x, real y) {
    return {one::copysign(x.a, y.a), one::copysign(x.b, y.b)};
  }
  static HWY_INLINE real reciprocal(real v) { return {one::reciprocal(v.a), one::reciprocal(v.b)}; }
  static HWY_INLINE real power_of_two(real v) {
    return {one::power_of_two(v.a), one::power_of_two(v.b)};
  }
  static HWY_INLINE real widen(real v) requires(sizeof(T) == 8) { return v; }
  static HWY_INLINE real narrow(real v) requires(sizeof(T) == 8) { return v; }
  static HWY_INLINE real load(const T* p) { return {one::load(p), one::load(p + half_width)}; }
  static HWY_INLINE void store(real v, T* p) {
    one::store(v.a, p);
    one::store(v.b, p + half_width);
  }
  static HWY_INLINE T sum(real v) { return one::sum(v.a + v.b); }
  static HWY_INLINE T first(real v) { return one::first(v.a); }
  static HWY_INLINE T maximum(real v) { return one::maximum(one::fmax(v.a, v.b)); }
  static HWY_INLINE real same(T v) { return {one::same(v), one::same(v)}; }
  static HWY_INLINE real integer(int k) { return same(static_cast<T>(k)); }
  static HWY_INLINE real select_integer(mask m, real x, real y) { return select(m, x, y); }
  static HWY_INLINE int lowest(real v) { return one::lowest(one::fmin(v.a, v.b)); }
  static HWY_INLINE int highest(real v) { return one::highest(one::fmax(v.a, v.b)); }
  static HWY_INLINE real iota(int first) {
    return {one::iota(first), one::iota(first + half_width)};
  }
  // An element of an array is two consecutive registers.
  static HWY_INLINE real get(const real* A, real e) {
    const half* halves = reinterpret_cast<const half*>(A);
    return {one::get(halves, e.a + e.a), one::get(halves + 1, e.b + e.b)};
  }
  static HWY_INLINE void put(real* A, real e, mask m, real v) {
    half* halves = reinterpret_cast<half*>(A);
    one::put(halves, e.a + e.a, m.a, v.a);
    one::put(halves + 1, e.b + e.b, m.b, v.b);
  }
};

}  // namespace lane
}  // namespace bifocal
HWY_AFTER_NAMESPACE();

#endif
