// SPDX-License-Identifier: BSD-3-Clause
// Opens a class template body that lane and group files are included into, for code that runs on a
// CUDA device; lane/cpp_end.h closes it. The template's parameter Real is float or double. A lane
// is a thread, a group is a warp.
#define lane_fn static inline __host__ __device__
#define group_fn static inline __device__
#define global_const const
#define global_ptr
#define GROUP_PARAM
#define GROUP_ARG
#include "lane/cpp_words.h"

static constexpr int group_width = 32;
#define group_for(i, n) \
  for (index i = static_cast<int>(threadIdx.x % 32u); i < (n); i += group_width)
template <class T>
group_fn real group_load(const T* p, index i) {
  return static_cast<real>(p[i]);
}
// Butterflies: every thread adds in the same order, so all hold the same bits.
group_fn scalar group_sum(real v) {
  for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(0xffffffffu, v, o);
  return v;
}
group_fn scalar group_max(real v) {
  for (int o = 16; o > 0; o /= 2) v = fmax(v, __shfl_xor_sync(0xffffffffu, v, o));
  return v;
}
group_fn bool group_any(mask m) { return __any_sync(0xffffffffu, m) != 0; }
group_fn scalar group_first(real v) { return v; }
group_fn void group_barrier() { __syncwarp(); }
