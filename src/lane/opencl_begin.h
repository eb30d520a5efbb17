// SPDX-License-Identifier: BSD-3-Clause
// The lane vocabulary for OpenCL C 1.2; precedes every lane and group file. Built with -D
// REAL_IS_FLOAT=1 or 0 and -D GROUP_SIZE=n (a power of two: work-items of a group).
#ifdef NO_CONTRACTION
#pragma OPENCL FP_CONTRACT OFF
#endif
#if REAL_IS_FLOAT
#ifdef cl_khr_fp64  // kernels may still read doubles
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#define lane_tiny() 3e-16f
#define power_of_two(v) fmin(fmax(as_float(as_uint(v) & 0x7f800000u), 0x1p-126f), 0x1p126f)
typedef float real;
typedef float scalar;
#define lane_epsilon() 1.1920929e-7f
#define lane_largest() FLT_MAX
#define lane_smallest() FLT_MIN
typedef float2 local_pair;
#define scalar_tiny() 1e-17f
#define scalar_huge() 1e17f
#else
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double real;
typedef double scalar;
#define lane_tiny() 1e-146
#define power_of_two(v) \
  fmin(fmax(as_double(as_ulong(v) & 0x7ff0000000000000ul), 0x1p-1022), 0x1p1022)
#define lane_epsilon() 2.220446049250313e-16
#define lane_largest() DBL_MAX
#define lane_smallest() DBL_MIN
typedef double2 local_pair;
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
#define bits_count(v) ((int)popcount((uint)(v)))
#define float_bits(v) as_uint(v)
#define bits_float(v) as_float((bits32)(v))
#define scalar_log(v) log(v)
#define group_member() ((index)get_local_id(0))
#define block_member() ((bits32)get_local_id(0))
#define block_size() ((index)get_local_size(0))
// Replaces 0 by v; returns the previous value.
#define table_claim(p, v) atomic_cmpxchg((volatile global uint*)(p), 0u, (v))
#define uniform_fn(f) f
// Initialises an array or a struct.
#define zeros \
  { 0 }
#define if_constant(condition) if (condition)
#define lane_fn static inline
#define group_fn static inline
#define group_fn_apart group_fn
#ifdef NVIDIA_CAPABILITY
#define lane_fn_apart static __attribute__((noinline))
#else
#define lane_fn_apart lane_fn
#endif
#define global_const global const
#define global_ptr global
// A group shares local memory. In RANSAC (PROBLEM) a group of one work-item uses private memory
// instead: PoCL 3.1 crashes if the address of a kernel's local array is propagated as a constant
// into functions that the kernel calls. Sources with DYNAMIC arguments or local atomics need
// local memory.
#if GROUP_SIZE == 1 && defined(PROBLEM)
#define local_only_ __private
#else
#define local_only_ local
#endif
// -D WORK_IN_GLOBAL=1: this memory is global, because it is large.
#ifdef WORK_IN_GLOBAL
#define local_ptr global
#else
#define local_ptr local_only_
#endif
#define lane_restrict_ restrict
// Lane arrays of GROUP_SIZE work-items are interleaved in local memory, kept arrays in global
// memory. -D LANES_IN_GLOBAL=1: both in global memory, for matrices of any size. -D LANE_STRIDE=1:
// both are private arrays of one work-item.
#ifdef LANES_IN_GLOBAL
#define lane_array global real*
#define kept_array global real*
#elif defined(LANE_STRIDE) && LANE_STRIDE == 1
#define lane_array __private real*
#define kept_array __private real*
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
#define lane_unroll_all lane_unroll
#define lane_for_fixed(i, from, first, end) lane_unroll for (index i = (first); i < (end); ++i)
#define lane_keep_loop _Pragma("unroll 1")
#define lane_int_of(k) ((lane_int)(k))
#define select_int(m, a, b) ((m) ? (a) : (b))
#define lanes_min(k) (k)
#define lanes_max(k) (k)
#define lanes_sum(v) (v)
#define lane(v) ((real)(v))
#define select(m, a, b) ((m) ? (a) : (b))
#define any(m) (m)
#define all(m) (m)
// Approximate functions: see lane/scalar.hpp.
#ifdef INLINE_PTX
#if REAL_IS_FLOAT
#define ESTIMATE_TYPE_ ".f32"
#define ESTIMATE_REGISTER_ "f"
#else
#define ESTIMATE_TYPE_ ".f64"
#define ESTIMATE_REGISTER_ "d"
#endif
#define ESTIMATE_(name, instruction)          \
  static inline real name(real v) {           \
    real r;                                   \
    asm(instruction ESTIMATE_TYPE_ " %0, %1;" \
        : "=" ESTIMATE_REGISTER_(r)           \
        : ESTIMATE_REGISTER_(v));             \
    return r;                                 \
  }
ESTIMATE_(fast_reciprocal, "rcp.approx.ftz")
ESTIMATE_(fast_rsqrt_, "rsqrt.approx.ftz")
static inline real quick_rsqrt_(real v) {
  real r = fast_rsqrt_(v), e = fma(-v * r, r, (real)1);
  return fma(r, REAL_IS_FLOAT ? (real)0.5 * e : e * fma((real)0.375, e, (real)0.5), r);
}
// The driver's rsqrt is a biased estimate: rotations computed with it would scale the vectors that
// they rotate.
#define rsqrt(v) quick_rsqrt_(v)
#if REAL_IS_FLOAT
ESTIMATE_(fast_sqrt, "sqrt.approx.ftz")
#else
#define fast_sqrt(v) ((v)*fast_rsqrt_(v))
#endif
#endif
#if defined(INLINE_PTX) && !REAL_IS_FLOAT
static inline real reciprocal(real v) {
  real r = fast_reciprocal(v), e = fma(-v, r, (real)1);
  return fma(r, fma(e, e, e), r);
}
#define sqrt_normal(v) ((v) > 1e-300 ? (v)*rsqrt(v) : 0.0)
#else
#define reciprocal(v) (lane(1) / (v))
#define sqrt_normal(v) sqrt(v)
#endif
#if REAL_IS_FLOAT
#define reciprocal_power(v) as_float(0x7f000000 - (as_int(v) & 0x7f800000))
#else
#define reciprocal_power(v) as_double(0x7fe0000000000000L - (as_long(v) & 0x7ff0000000000000L))
#endif
#define lane_nan() lane(NAN)
#ifdef cl_khr_fp64
typedef double wide;
#else
typedef real wide;
#endif
#define widen(v) ((wide)(v))
#define narrow(v) ((real)(v))
#define wide_of(k) ((wide)(k))
#define wide_fabs(v) fabs(v)
#define wide_fmax(a, b) fmax(a, b)
#define wide_reciprocal(v) ((wide)1 / (v))
#define group_for(i, n) for (index i = (index)get_local_id(0); i < (n); i += GROUP_SIZE)
#define group_load(p, i) ((real)((p)[i]))
#define group_for_range(i, from, to) \
  for (index i = (from) + (index)get_local_id(0); i < (to); i += GROUP_SIZE)
#define group_for_each(i, n) group_for_range(i, 0, n)
#define group_width GROUP_SIZE
#define GROUP_READS_AHEAD 0
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
#define GROUP_PARAM local_only_ scalar *group_scratch,
#define GROUP_ARG group_scratch,
// Sums and maxima use `memory`, GROUP_SIZE numbers of DYNAMIC memory, from here on. Kernels that
// call them from several functions need it: PoCL 3.1 propagates the address of a kernel's own local
// array into functions as a constant, and all groups then share one array.
#define group_scratch_in(memory) (group_scratch = (memory))
#if defined(INLINE_PTX) && GROUP_SIZE > 1
// A work-group consists of warps or is part of one: the driver supports inline PTX, and the
// shuffles are the same as in lane/cuda_begin.h.
#define GROUP_MEMBERS_ ((int)(GROUP_SIZE >= 32 ? 0xffffffffu : (1u << (GROUP_SIZE % 32)) - 1u))
#define SHUFFLE_(name, instruction)                                \
  static inline int name##_word_(int v, int which) {               \
    int r;                                                         \
    asm volatile("shfl.sync." instruction " %0, %1, %2, 0x1f, %3;" \
                 : "=r"(r)                                         \
                 : "r"(v), "r"(which), "r"(GROUP_MEMBERS_));       \
    return r;                                                      \
  }                                                                \
  static inline scalar name(scalar v, int which) { return SHUFFLED_(name##_word_, v, which); }
#if REAL_IS_FLOAT
#define SHUFFLED_(word, v, which) as_float(word(as_int(v), which))
#else
#define SHUFFLED_(word, v, which) \
  as_double((int2)(word(as_int2(v).x, which), word(as_int2(v).y, which)))
#endif
SHUFFLE_(group_shuffle, "idx.b32")
SHUFFLE_(group_shuffle_xor, "bfly.b32")
#endif
#if GROUP_SIZE == 1
#define group_barrier()
#define group_sum_(scratch, v) (v)
#define group_max_(scratch, v) (v)
#elif defined(INLINE_PTX) && GROUP_SIZE <= 32
static inline scalar group_sum_(local scalar* scratch, scalar v) {
  for (int o = GROUP_SIZE / 2; o > 0; o /= 2) v += group_shuffle_xor(v, o);
  return v;
}
static inline scalar group_max_(local scalar* scratch, scalar v) {
  for (int o = GROUP_SIZE / 2; o > 0; o /= 2) v = fmax(v, group_shuffle_xor(v, o));
  return v;
}
static inline void group_barrier(void) {
  asm volatile("bar.warp.sync %0;" ::"r"(GROUP_MEMBERS_) : "memory");
}
#else
#define group_barrier() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
// Tree sums: the order of additions does not depend on the scheduling.
static scalar group_sum_(local scalar* scratch, scalar v) {
  int l = (int)get_local_id(0);
  scratch[l] = v;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int o = GROUP_SIZE / 2; o > 0; o /= 2) {
    if (l < o) scratch[l] += scratch[l + o];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  scalar result = scratch[0];
  barrier(CLK_LOCAL_MEM_FENCE);  // all have read before the scratch is reused
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
  barrier(CLK_LOCAL_MEM_FENCE);  // all have read before the scratch is reused
  return result;
}
#endif
#if defined(INLINE_PTX) && GROUP_SIZE > 32
// Sums of several warps: shuffles within each warp, then the results are added in the order of the
// warps. Scratch for 64 sums per warp.
#define GROUP_SCRATCH_ (64 * GROUP_SIZE / 32)
static inline void group_sums_(local scalar* scratch, const real* v, int n, scalar* out) {
  const int warps = GROUP_SIZE / 32, l = (int)get_local_id(0);
  lane_unroll for (int k = 0; k < n; ++k) {
    scalar part = v[k];
    for (int o = 16; o > 0; o /= 2) part += group_shuffle_xor(part, o);
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
#define GROUP_SCRATCH_ GROUP_SIZE
static inline void group_sums_(local_only_ scalar* scratch, const real* v, int n, scalar* out) {
  for (int k = 0; k < n; ++k) out[k] = group_sum_(scratch, v[k]);
}
#endif
#define group_sums(v, n, out) group_sums_(group_scratch, (v), (n), (out))
#define group_sum(v) group_sum_(group_scratch, (v))
#define group_max(v) group_max_(group_scratch, (v))
#define group_any(m) (group_max_(group_scratch, (m) ? (scalar)1 : (scalar)0) > (scalar)0)
#define group_worth(m) true
#define group_max_int(k) ((index)group_max_(group_scratch, (scalar)(k)))
#include "lane/kernel_words.h"
#include "lane/opencl_kernels.h"
