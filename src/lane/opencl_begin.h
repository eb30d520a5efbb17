// SPDX-License-Identifier: BSD-3-Clause
// The lane vocabulary for OpenCL C 1.2; the text in front of every lane and group file. Built with
// -D REAL_IS_FLOAT=1 or 0 and -D GROUP_SIZE=n (a power of two; work-items of a group).
#if REAL_IS_FLOAT
#define lane_tiny() 3e-16f
#define power_of_two(v) fmin(fmax(as_float(as_uint(v) & 0x7f800000u), 0x1p-126f), 0x1p126f)
typedef float real;
typedef float scalar;
#define LANE_EPSILON 1.1920929e-7f
#define scalar_tiny() 1e-17f
#define scalar_huge() 1e17f
#else
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double real;
typedef double scalar;
#define lane_tiny() 1e-146
#define power_of_two(v) \
  fmin(fmax(as_double(as_ulong(v) & 0x7ff0000000000000ul), 0x1p-1022), 0x1p1022)
#define LANE_EPSILON 2.220446049250313e-16
#define scalar_tiny() 1e-140
#define scalar_huge() 1e140
#endif
typedef int mask;
typedef int index;
typedef int lane_int;
typedef long offset;
typedef uchar bits8;
typedef ushort bits16;
typedef uint bits32;
#define bits_mul_high(a, b) mul_hi((bits32)(a), (bits32)(b))
#define float_bits(v) as_uint(v)
#define bits_float(v) as_float((bits32)(v))
#define scalar_log(v) log(v)
#define group_member() ((index)get_local_id(0))
#define block_member() ((bits32)get_local_id(0))
// Puts v where 0 is; returns what was there.
#define table_claim(p, v) atomic_cmpxchg((volatile global uint*)(p), 0u, (v))
#define uniform_fn(f) f
#define if_constant(condition) if (condition)
#define lane_fn static inline
#define group_fn static inline
#define global_const global const
#define global_ptr global
// -D WORK_IN_GLOBAL=1: what a group shares lies in global memory, because it is large.
#ifdef WORK_IN_GLOBAL
#define local_ptr global
#else
#define local_ptr local
#endif
#define local_only local
#define lane_restrict restrict
// Lane arrays of GROUP_SIZE work-items lie element by element side by side in local memory, kept
// ones in global memory. -D LANES_IN_GLOBAL=1: both in global memory, for matrices of any size.
// -D LANE_STRIDE=1: both are variables of one work-item.
#ifdef LANES_IN_GLOBAL
#define lane_array global real*
#define kept_array global real*
#elif defined(LANE_STRIDE) && LANE_STRIDE == 1
#define lane_array private real*
#define kept_array private real*
#else
#define lane_array local real*
#define kept_array global real*
#endif
#ifndef LANE_STRIDE
#define LANE_STRIDE GROUP_SIZE
#endif
#define lane_at(A, e) (A)[(e)*LANE_STRIDE]
#define kept_at(A, e) (A)[(e)*LANE_STRIDE]
#define kept_put(A, e, m, v) ((m) ? (void)(kept_at(A, e) = (v)) : (void)0)
#define lane_pitch(n) (n)
#define lane_unroll _Pragma("unroll")
#define lane_int_of(k) ((lane_int)(k))
#define select_int(m, a, b) ((m) ? (a) : (b))
#define lanes_min(k) (k)
#define lanes_max(k) (k)
#define lane(v) ((real)(v))
#define select(m, a, b) ((m) ? (a) : (b))
#define select_mask(m, a, b) ((m) ? (a) : (b))
#define any(m) (m)
#define all(m) (m)
// Quick words: see lane/scalar.hpp.
#if defined(INLINE_PTX) && !REAL_IS_FLOAT
static inline real reciprocal(real v) {
  real r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(v));
  real e = fma(-v, r, 1.0);
  return fma(r, fma(e, e, e), r);
}
static inline real scalar_rsqrt(real v) {
  real r;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(v));
  real e = fma(-v * r, r, 1.0);
  return fma(r, e * fma(0.375, e, 0.5), r);
}
#define rsqrt(v) scalar_rsqrt(v)
#define sqrt_normal(v) ((v) > 1e-300 ? (v)*scalar_rsqrt(v) : 0.0)
#else
#define reciprocal(v) (lane(1) / (v))
#define sqrt_normal(v) sqrt(v)
#ifdef INLINE_PTX
// The driver's is an estimate, off to one side: rotations made of it grow or shrink what they turn.
static inline real scalar_rsqrt(real v) {
  real r = rsqrt(v);
  return fma(r, lane(0.5) * fma(-v * r, r, lane(1)), r);
}
#define rsqrt(v) scalar_rsqrt(v)
#else
#define scalar_rsqrt(v) rsqrt(v)
#endif
#endif
#define scalar_reciprocal(v) reciprocal(v)
#if REAL_IS_FLOAT
#define reciprocal_power(v) as_float(0x7f000000 - (as_int(v) & 0x7f800000))
#else
#define reciprocal_power(v) as_double(0x7fe0000000000000L - (as_long(v) & 0x7ff0000000000000L))
#endif
#define lane_epsilon() lane(LANE_EPSILON)
#define lane_nan() lane(NAN)
#define group_for(i, n) for (index i = (index)get_local_id(0); i < (n); i += GROUP_SIZE)
#define group_load(p, i) ((real)((p)[i]))
#define group_for_range(i, from, to) \
  for (index i = (from) + (index)get_local_id(0); i < (to); i += GROUP_SIZE)
#define group_width GROUP_SIZE
#define group_slack 0
#define group_load_strided(p, i, stride) ((real)((p)[(i) * (stride)]))
#define group_load_far(p, i, stride) ((real)((p)[(offset)(i) * (stride)]))
#define group_store(p, i, v, to) ((p)[i] = (v))
#define group_store_strided(p, i, stride, v, to) ((p)[(i) * (stride)] = (v))
#define group_store_far(p, i, stride, v, to) ((p)[(offset)(i) * (stride)] = (v))
#define group_same(v) ((real)(v))
#define group_leads() (get_local_id(0) == 0)
#define group_index(i) (i)
#define group_within(i, to) 1
#define group_equals(i, k) ((i) == (k))
#define group_first(v) (v)
#define GROUP_PARAM local scalar *group_scratch,
#define GROUP_ARG group_scratch,
#if defined(INLINE_PTX) && GROUP_SIZE > 1
// A work-group is warps or a part of one: the driver takes inline PTX, and the shuffles are those
// of lane/cuda_begin.h.
#define GROUP_MEMBERS_ ((int)(GROUP_SIZE >= 32 ? 0xffffffffu : (1u << (GROUP_SIZE % 32)) - 1u))
static inline scalar group_shuffle_(scalar v, int o) {
#if REAL_IS_FLOAT
  float r;
  asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, %3;"
               : "=f"(r)
               : "f"(v), "r"(o), "r"(GROUP_MEMBERS_));
  return r;
#else
  int2 w = as_int2(v), r;
  asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, %3;"
               : "=r"(r.x)
               : "r"(w.x), "r"(o), "r"(GROUP_MEMBERS_));
  asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, %3;"
               : "=r"(r.y)
               : "r"(w.y), "r"(o), "r"(GROUP_MEMBERS_));
  return as_double(r);
#endif
}
#endif
#if GROUP_SIZE == 1
#define group_barrier()
#define group_sum_(scratch, v) (v)
#define group_max_(scratch, v) (v)
#elif defined(INLINE_PTX) && GROUP_SIZE <= 32
static inline scalar group_sum_(local scalar* scratch, scalar v) {
  for (int o = GROUP_SIZE / 2; o > 0; o /= 2) v += group_shuffle_(v, o);
  return v;
}
static inline scalar group_max_(local scalar* scratch, scalar v) {
  for (int o = GROUP_SIZE / 2; o > 0; o /= 2) v = fmax(v, group_shuffle_(v, o));
  return v;
}
static inline void group_barrier(void) {
  asm volatile("bar.warp.sync %0;" ::"r"(GROUP_MEMBERS_) : "memory");
}
#else
#define group_barrier() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
// Tree sums: the same order of additions whatever the scheduling.
static scalar group_sum_(local scalar* scratch, scalar v) {
  int l = (int)get_local_id(0);
  scratch[l] = v;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int o = GROUP_SIZE / 2; o > 0; o /= 2) {
    if (l < o) scratch[l] += scratch[l + o];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  scalar result = scratch[0];
  barrier(CLK_LOCAL_MEM_FENCE);  // all have read before the scratch is used again
  return result;
}
static scalar group_max_(local scalar* scratch, scalar v) {
  int l = (int)get_local_id(0);
  scratch[l] = v;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int o = GROUP_SIZE / 2; o > 0; o /= 2) {
    if (l < o) scratch[l] = fmax(scratch[l], scratch[l + o]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  scalar result = scratch[0];
  barrier(CLK_LOCAL_MEM_FENCE);  // all have read before the scratch is used again
  return result;
}
#endif
#if defined(INLINE_PTX) && GROUP_SIZE > 32
// Several warps: by shuffles inside each, whose results are added in their order. Scratch for 64
// sums a warp.
#define GROUP_SCRATCH (64 * GROUP_SIZE / 32)
static inline void group_sums_(local scalar* scratch, const real* v, int n, scalar* out) {
  const int warps = GROUP_SIZE / 32, l = (int)get_local_id(0);
  lane_unroll for (int k = 0; k < n; ++k) {
    scalar part = v[k];
    for (int o = 16; o > 0; o /= 2) part += group_shuffle_(part, o);
    if (l % 32 == 0) scratch[k * warps + l / 32] = part;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  lane_unroll for (int k = 0; k < n; ++k) {
    scalar sum = scratch[k * warps];
    for (int w = 1; w < warps; ++w) sum += scratch[k * warps + w];
    out[k] = sum;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}
#else
#define GROUP_SCRATCH GROUP_SIZE
static inline void group_sums_(local scalar* scratch, const real* v, int n, scalar* out) {
  for (int k = 0; k < n; ++k) out[k] = group_sum_(scratch, v[k]);
}
#endif
#define group_sums(v, n, out) group_sums_(group_scratch, (v), (n), (out))
#define group_sum(v) group_sum_(group_scratch, (v))
#define group_max(v) group_max_(group_scratch, (v))
#define group_any(m) (group_max_(group_scratch, (m) ? (scalar)1 : (scalar)0) > (scalar)0)
#define group_max_int(k) ((index)group_max_(group_scratch, (scalar)(k)))
#include "lane/kernel_words.h"
#include "lane/opencl_kernels.h"
