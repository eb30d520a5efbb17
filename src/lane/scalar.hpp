// SPDX-License-Identifier: BSD-3-Clause
// The lane vocabulary for scalars: double and float as lane types, with bool as their mask. Also
// used by CUDA threads.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#ifdef __CUDACC__
#define BIFOCAL_HOST_DEVICE __host__ __device__
#else
#define BIFOCAL_HOST_DEVICE
#endif

namespace bifocal::lane {

// The types that belong to a lane type. Specialised for simd<T> in simd-inl.h.
template <class Real>
struct traits {
  using element = Real;
  using mask = bool;
  using integer = int;  // a whole number per lane
  using wide = double;  // a lane in double precision
  static constexpr int width = 1;
};

#ifdef __CUDACC__
// Estimates of at least 20 bits, without range checks.
template <class T>
__device__ T estimated_reciprocal(T v) {
  T r;
  if constexpr (sizeof(T) == 8) {
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(v));
  } else {
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(v));
  }
  return r;
}
template <class T>
__device__ T estimated_rsqrt(T v) {
  T r;
  if constexpr (sizeof(T) == 8) {
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(v));
  } else {
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(v));
  }
  return r;
}
template <class T>
__device__ T estimated_sqrt(T v) {
  if constexpr (sizeof(T) == 8) {
    return v * estimated_rsqrt(v);
  } else {
    T r;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(v));
    return r;
  }
}
#endif

// 1 / v and 1 / sqrt(v) of normal numbers, accurate to about an ulp. On a GPU they use the
// hardware's estimate and one cubic step, with a third of the instructions of a correctly
// rounded result.
template <class T>
BIFOCAL_HOST_DEVICE T quick_reciprocal(T v) {
#ifdef __CUDA_ARCH__
  const T r = estimated_reciprocal(v), e = fma(-v, r, T(1));
  return sizeof(T) == 8 ? fma(r, fma(e, e, e), r) : fma(r, e, r);
#else
  return T(1) / v;
#endif
}
template <class T>
BIFOCAL_HOST_DEVICE T quick_rsqrt(T v) {
#ifdef __CUDA_ARCH__
  const T r = estimated_rsqrt(v), e = fma(-v * r, r, T(1));
  return fma(r, sizeof(T) == 8 ? e * fma(T(0.375), e, T(0.5)) : T(0.5) * e, r);
#else
  return T(1) / std::sqrt(v);
#endif
}
template <class T>
BIFOCAL_HOST_DEVICE T quick_sqrt(T v) {
#ifdef __CUDA_ARCH__
  constexpr T tiny = sizeof(T) == 8 ? T(1e-300) : T(1e-37);
  return v > tiny ? v * quick_rsqrt(v) : T(0);
#else
  return std::sqrt(v);
#endif
}

template <class T>
struct scalar_ops {
  using real = T;
  using mask = bool;
  BIFOCAL_HOST_DEVICE static real set(double v) { return static_cast<real>(v); }
  BIFOCAL_HOST_DEVICE static real select(mask m, real a, real b) { return m ? a : b; }
  BIFOCAL_HOST_DEVICE static mask select(mask m, mask a, mask b) { return m ? a : b; }
  BIFOCAL_HOST_DEVICE static bool any(mask m) { return m; }
  BIFOCAL_HOST_DEVICE static bool all(mask m) { return m; }
  BIFOCAL_HOST_DEVICE static real sqrt(real v) { return std::sqrt(v); }
  BIFOCAL_HOST_DEVICE static real fabs(real v) { return std::fabs(v); }
  BIFOCAL_HOST_DEVICE static real fmin(real a, real b) { return a < b ? a : b; }
  BIFOCAL_HOST_DEVICE static real fmax(real a, real b) { return a < b ? b : a; }
  BIFOCAL_HOST_DEVICE static real copysign(real a, real b) { return std::copysign(a, b); }
  BIFOCAL_HOST_DEVICE static real reciprocal(real v) { return quick_reciprocal(v); }
  BIFOCAL_HOST_DEVICE static real sqrt_normal(real v) { return quick_sqrt(v); }
  BIFOCAL_HOST_DEVICE static real rsqrt(real v) { return quick_rsqrt(v); }
  BIFOCAL_HOST_DEVICE static real reciprocal_power(real v) {
    if constexpr (sizeof(T) == 4) {
      return __builtin_bit_cast(real, 0x7f000000 - (__builtin_bit_cast(int, v) & 0x7f800000));
    } else {
      return __builtin_bit_cast(
          real, 0x7fe0000000000000 - (__builtin_bit_cast(long long, v) & 0x7ff0000000000000));
    }
  }
  BIFOCAL_HOST_DEVICE static double widen(real v) { return v; }
  BIFOCAL_HOST_DEVICE static real narrow(double v) { return static_cast<real>(v); }
  BIFOCAL_HOST_DEVICE static real load(const float* p) { return static_cast<real>(*p); }
  BIFOCAL_HOST_DEVICE static real load(const double* p) { return static_cast<real>(*p); }
  BIFOCAL_HOST_DEVICE static void store(real v, T* p) { *p = v; }
  BIFOCAL_HOST_DEVICE static T sum(real v) { return v; }
  BIFOCAL_HOST_DEVICE static T first(real v) { return v; }
  BIFOCAL_HOST_DEVICE static T maximum(real v) { return v; }
  BIFOCAL_HOST_DEVICE static real same(T v) { return v; }
  BIFOCAL_HOST_DEVICE static real power_of_two(real v) {
    using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    constexpr bits exponent = sizeof(T) == 4 ? bits(0x7f800000) : bits(0x7ff0000000000000);
    constexpr real least = sizeof(T) == 4 ? real(0x1p-126) : real(0x1p-1022);
    const real p = __builtin_bit_cast(real, __builtin_bit_cast(bits, v) & exponent);
    return fmin(fmax(p, least), 1 / least);
  }
  static real get(const T* A, int e) { return A[e]; }
  static void put(T* A, int e, mask m, real v) {
    if (m) A[e] = v;
  }
  BIFOCAL_HOST_DEVICE static int integer(int k) { return k; }
  BIFOCAL_HOST_DEVICE static int select_integer(mask m, int a, int b) { return m ? a : b; }
  BIFOCAL_HOST_DEVICE static int lowest(int k) { return k; }
  BIFOCAL_HOST_DEVICE static int highest(int k) { return k; }
  BIFOCAL_HOST_DEVICE static int iota(int first) { return first; }
  BIFOCAL_HOST_DEVICE static real load_strided(const T* p, std::ptrdiff_t) { return *p; }
  BIFOCAL_HOST_DEVICE static void store_strided(real v, T* p, std::ptrdiff_t, int) { *p = v; }
};

template <class Real>
struct ops : scalar_ops<Real> {};

}  // namespace bifocal::lane
