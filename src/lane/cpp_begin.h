// SPDX-License-Identifier: BSD-3-Clause
// Begins the body of a class template that includes lane and group files, for C++; lane/cpp_end.h
// ends it. The template parameter must be called Real. An include guard is missing on purpose,
// because every such class includes this file.
#ifdef __CUDACC__
#define lane_fn static inline __host__ __device__
#else
#define lane_fn static inline
#endif
#define group_fn static inline
// group_fn_apart and lane_fn_apart mark functions of which a CUDA kernel has one copy, because code
// larger than the instruction cache stalls. In OpenCL such a group function is an ordinary
// function, since PoCL 3.1 miscompiles calls of group code. Lane functions of this kind also have
// one copy on CPUs, which reduces their compile time to a fraction.
#define group_fn_apart group_fn
#ifdef __CUDACC__
#define lane_fn_apart static inline __host__ __device__
#else
#ifdef __clang__
#define lane_fn_apart static __attribute__((noinline))
#else
#define lane_fn_apart static __attribute__((noinline, noclone))
#endif
#endif
// Group code reads points from device memory and shares small arrays within the group.
#define global_const const
#define global_ptr
// Every group function has GROUP_PARAM as its first parameter and gets GROUP_ARG as its first
// argument. (OpenCL passes its local scratch memory this way.)
#define GROUP_PARAM
#define GROUP_ARG
// Address space of memory that a group shares.
#define local_ptr
// Initialises an array or a struct.
#define zeros \
  {}
#define local_only_
#define lane_restrict_ __restrict__
#include "lane/kernel_words.h"
// A matrix of one lane that is too large for registers: element e is lane_at(A, e). On a GPU a
// lane_array is in memory of the group and a kept_array in global memory. Both are interleaved:
// element e of all threads, then element e + 1.
#define lane_array real*
#define kept_array real*
#define lane_at(A, e) (A)[e]
#define kept_at(A, e) (A)[e]
// Writes v in the lanes of m only, where e differs between lanes.
#define kept_put(A, e, m, v) lane_ops::put(A, e, m, v)
// Precedes a loop of constant length whose arrays a GPU should keep in registers.
#define lane_unroll
// Precedes a short loop that a CPU compiler should unroll as well.
#ifdef __clang__
#define lane_unroll_all _Pragma("unroll")
#else
#define lane_unroll_all _Pragma("GCC unroll 16")
#endif
// A loop from `from` on whose arrays a GPU keeps in registers. On a GPU it always starts at
// `first`, so that the iterations before `from` must have no effect.
#define lane_for_fixed(i, from, first, end) for (index i = (from); i < (end); ++i)
// Calls a lane function on plain numbers, when one member computes for the whole group. The class
// that uses it has a type `uniform`, which is the same class for plain numbers.
#define uniform_fn(f) uniform::f
// An if on a constant of the source.
#define if_constant(condition) if constexpr (condition)
#include "lane/cpp_words.h"
// Returns the distance between rows of an n x n lane_array. It prevents all elements of a column
// from mapping to one set of a cache.
lane_fn constexpr index lane_pitch(index n) { return n % 8 == 0 ? n + 1 : n; }

// A group on a CPU is one register: lane l processes element i + l of an array.
static constexpr int group_width = bifocal::lane::traits<Real>::width;
static constexpr int GROUP_READS_AHEAD = 0;
#define group_for(i, n) for (index i = 0; i < (n); i += group_width)
template <class T>
group_fn real group_load(const T* p, index i) {
  return lane_ops::load(p + i);
}
group_fn scalar group_sum(real v) { return lane_ops::sum(v); }
// Computes out[k], the sum of v[k] over the group, k < n <= 64.
group_fn void group_sums(const real* v, index n, scalar* out) {
  for (index k = 0; k < n; ++k) out[k] = group_sum(v[k]);
}
group_fn scalar group_max(real v) { return lane_ops::maximum(v); }
group_fn bool group_any(mask m) { return lane_ops::any(m); }
// Returns whether work for the lanes of m alone is needed; always true if the test costs more than
// the work.
group_fn bool group_worth(mask m) { return lane_ops::any(m); }
// Returns the value of a real that is equal in all lanes of the group.
group_fn scalar group_first(real v) { return lane_ops::first(v); }
group_fn void group_barrier() {}
group_fn index group_max_int(lane_int k) { return lane_ops::highest(k); }
group_fn real group_same(scalar v) { return lane_ops::same(v); }
// True for exactly one member.
group_fn bool group_leads() { return true; }
// A group of one register has member 0 only.
group_fn index group_member() { return 0; }
// Replaces 0 by v; returns the previous value.
group_fn bits32 table_claim(bits32* p, bits32 v) {
  const bits32 previous = *p;
  if (previous == 0) *p = v;
  return previous;
}

// Ranges [i, to) whose length need not be a multiple of the group: loads may run past `to`, stores
// do not.
#define group_for_range(i, from, to) for (index i = (from); i < (to); i += group_width)
// Every plain number i is processed by one member.
#define group_for_each(i, n) for (index i = 0; i < (n); ++i)
group_fn lane_int group_index(index i) { return lane_ops::iota(i); }
group_fn mask group_within(index i, index to) { return lane_ops::iota(i) < lane_ops::integer(to); }
group_fn mask group_equals(index i, index k) { return lane_ops::iota(i) == lane_ops::integer(k); }
template <class T>
group_fn void group_store(T* p, index i, real v, index to) {
  lane_ops::store_strided(v, p + i, 1, to - i);
}
template <class T>
group_fn real group_load_strided(const T* p, index i, index stride) {
  return lane_ops::load_strided(p + i * stride, stride);
}
template <class T>
group_fn void group_store_strided(T* p, index i, index stride, real v, index to) {
  lane_ops::store_strided(v, p + i * stride, stride, to - i);
}
// Versions of the strided functions for large arrays.
template <class T>
group_fn real group_load_far(const T* p, index i, offset stride) {
  return lane_ops::load_strided(p + i * stride, stride);
}
template <class T>
group_fn void group_store_far(T* p, index i, offset stride, real v, index to) {
  lane_ops::store_strided(v, p + i * stride, stride, to - i);
}
