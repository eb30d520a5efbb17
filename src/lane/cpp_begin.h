// SPDX-License-Identifier: BSD-3-Clause
// Opens a class template body that lane and group files are included into, for C++; lane/cpp_end.h
// closes it. The enclosing template's parameter has to be called Real. No include guard: every such
// class includes it.
#ifdef __CUDACC__
#define lane_fn static inline __host__ __device__
#else
#define lane_fn static inline
#endif
#define group_fn static inline
// Functions of which a kernel on CUDA has one copy: a text larger than the cache of instructions
// waits for them. OpenCL has them as any other: PoCL 3.1 miscompiles group code that is called.
// Lane functions apart are so on CPUs too, and compile in a part of the time.
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
// Group code reads points from memory of the device, and shares small arrays within the group.
#define global_const const
#define global_ptr
// Every group function takes GROUP_PARAM first and is called with GROUP_ARG first (OpenCL hands its
// local scratch through).
#define GROUP_PARAM
#define GROUP_ARG
// Memory that a group shares.
#define local_ptr
// Initialises an array or a struct.
#define zeros \
  {}
#define local_only_
#define lane_restrict_ __restrict__
#include "lane/kernel_words.h"
// A matrix of one lane that is too large for registers: element e at lane_at(A, e). On a GPU it
// lies in memory of the group, kept_array in global memory, element by element side by side for all
// threads.
#define lane_array real*
#define kept_array real*
#define lane_at(A, e) (A)[e]
#define kept_at(A, e) (A)[e]
// Puts v where every lane has an e of its own, into the lanes of m only.
#define kept_put(A, e, m, v) lane_ops::put(A, e, m, v)
// This stands in front of a loop of constant length whose arrays a GPU shall keep in registers.
#define lane_unroll
// This stands in front of a short loop that a CPU shall unroll too.
#ifdef __clang__
#define lane_unroll_all _Pragma("unroll")
#else
#define lane_unroll_all _Pragma("GCC unroll 16")
#endif
// A loop from `from` on, whose arrays a GPU keeps in registers: there it always goes from `first`,
// and what it does before `from` may do no harm.
#define lane_for_fixed(i, from, first, end) for (index i = (from); i < (end); ++i)
// A lane function on plain numbers, where one member of the group works for all. The class that
// uses it has a type `uniform`, itself on plain numbers.
#define uniform_fn(f) uniform::f
// This is an if on a constant of the text.
#define if_constant(condition) if constexpr (condition)
#include "lane/cpp_words.h"
// Elements between the rows of an n x n lane_array: no column falls into one set of a cache.
lane_fn constexpr index lane_pitch(index n) { return n % 8 == 0 ? n + 1 : n; }

// A group on a CPU is one register: element i + l of an array is lane l's.
static constexpr int group_width = bifocal::lane::traits<Real>::width;
static constexpr int GROUP_READS_AHEAD = 0;
#define group_for(i, n) for (index i = 0; i < (n); i += group_width)
template <class T>
group_fn real group_load(const T* p, index i) {
  return lane_ops::load(p + i);
}
group_fn scalar group_sum(real v) { return lane_ops::sum(v); }
// out[k]: the sum of v[k], k < n <= 64.
group_fn void group_sums(const real* v, index n, scalar* out) {
  for (index k = 0; k < n; ++k) out[k] = group_sum(v[k]);
}
group_fn scalar group_max(real v) { return lane_ops::maximum(v); }
group_fn bool group_any(mask m) { return lane_ops::any(m); }
// Tells whether to do what counts in the lanes of m alone; it is always true where asking costs
// more.
group_fn bool group_worth(mask m) { return lane_ops::any(m); }
// The value of a real that is the same in every lane of the group.
group_fn scalar group_first(real v) { return lane_ops::first(v); }
group_fn void group_barrier() {}
group_fn index group_max_int(lane_int k) { return lane_ops::highest(k); }
group_fn real group_same(scalar v) { return lane_ops::same(v); }
// This is true for one member alone.
group_fn bool group_leads() { return true; }
// A group of one register has the member 0 alone.
group_fn index group_member() { return 0; }
// Puts v where 0 is; returns what was there.
group_fn bits32 table_claim(bits32* p, bits32 v) {
  const bits32 there = *p;
  if (there == 0) *p = v;
  return there;
}

// Ranges [i, to) that are no multiple of the group: loads may run past `to`, stores do not.
#define group_for_range(i, from, to) for (index i = (from); i < (to); i += group_width)
// Every plain number i is worked on by one member.
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
// These do the same in large arrays.
template <class T>
group_fn real group_load_far(const T* p, index i, offset stride) {
  return lane_ops::load_strided(p + i * stride, stride);
}
template <class T>
group_fn void group_store_far(T* p, index i, offset stride, real v, index to) {
  lane_ops::store_strided(v, p + i * stride, stride, to - i);
}
