// SPDX-License-Identifier: BSD-3-Clause
// Opens a class template body that lane and group files are included into, for code that runs on a
// CUDA device; lane/cpp_end.h closes it. The template's parameter Real is float or double. A lane
// is a thread, a group is a warp, or LANE_GROUP_WIDTH threads of one (8, 16), each with its own
// flow of control. LANE_STRIDE: threads that share memory for their lane arrays.
#ifndef LANE_GROUP_WIDTH
#define LANE_GROUP_WIDTH 32
#endif
#ifndef LANE_STRIDE
#define LANE_STRIDE 32
#endif
#define lane_fn static inline __host__ __device__
#define group_fn static inline __device__
#define global_const const
#define global_ptr
#define GROUP_PARAM
#define GROUP_ARG
#define local_ptr
#define lane_array real*
#define kept_array real*
#define lane_at(A, e) (A)[(e)*LANE_STRIDE]
#define kept_at(A, e) (A)[(e)*LANE_STRIDE]
#define kept_put(A, e, m, v) ((m) ? (void)(kept_at(A, e) = (v)) : (void)0)
#define lane_unroll _Pragma("unroll")
#include "lane/cpp_words.h"
lane_fn constexpr index lane_pitch(index n) { return n; }

static constexpr int group_width = LANE_GROUP_WIDTH;
static constexpr int group_slack = 0;
group_fn unsigned group_member() { return threadIdx.x % unsigned(group_width); }
group_fn unsigned group_members() {
  if (group_width == 32) return 0xffffffffu;
  return ((1u << (group_width % 32)) - 1) << (threadIdx.x % 32u - group_member());
}
#define group_for(i, n) group_for_range(i, 0, n)
#define group_for_range(i, from, to)                                                      \
  _Pragma("unroll 1") for (index i = (from) + static_cast<int>(group_member()); i < (to); \
                           i += group_width)
template <class T>
group_fn real group_load(const T* p, index i) {
  return static_cast<real>(p[i]);
}
// Butterflies: every thread adds in the same order, so all hold the same bits.
group_fn scalar group_sum(real v) {
  for (int o = group_width / 2; o > 0; o /= 2) v += __shfl_xor_sync(group_members(), v, o);
  return v;
}
group_fn scalar group_max(real v) {
  for (int o = group_width / 2; o > 0; o /= 2) v = fmax(v, __shfl_xor_sync(group_members(), v, o));
  return v;
}
group_fn index group_max_int(index k) {
  for (int o = group_width / 2; o > 0; o /= 2) k = max(k, __shfl_xor_sync(group_members(), k, o));
  return k;
}
group_fn bool group_any(mask m) { return __any_sync(group_members(), m) != 0; }
group_fn scalar group_first(real v) { return v; }
group_fn void group_barrier() { __syncwarp(group_members()); }
group_fn real group_same(scalar v) { return v; }
group_fn bool group_leads() { return group_member() == 0; }
group_fn lane_int group_index(index i) { return i; }
group_fn mask group_within(index, index) { return true; }  // group_for_range leaves none beyond
group_fn mask group_equals(index i, index k) { return i == k; }
template <class T>
group_fn void group_store(T* p, index i, real v, index) {
  p[i] = v;
}
// Memory of the group; the _far words are for large arrays.
template <class T>
group_fn real group_load_strided(const T* p, index i, index stride) {
  return static_cast<real>(p[i * stride]);
}
template <class T>
group_fn void group_store_strided(T* p, index i, index stride, real v, index) {
  p[i * stride] = v;
}
template <class T>
group_fn real group_load_far(const T* p, index i, offset stride) {
  return static_cast<real>(p[i * stride]);
}
template <class T>
group_fn void group_store_far(T* p, index i, offset stride, real v, index) {
  p[i * stride] = v;
}
group_fn scalar scalar_rsqrt(scalar v) { return bifocal::lane::quick_rsqrt(v); }
group_fn scalar scalar_reciprocal(scalar v) { return bifocal::lane::quick_reciprocal(v); }
