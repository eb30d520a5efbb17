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
// Group code reads points from memory of the device, and shares small arrays within the group.
#define global_const const
#define global_ptr
// Every group function takes GROUP_PARAM first and is called with GROUP_ARG first (OpenCL hands its
// local scratch through).
#define GROUP_PARAM
#define GROUP_ARG
#include "lane/cpp_words.h"

// A group on a CPU is one register: element i + l of an array is lane l's.
static constexpr int group_width = bifocal::lane::traits<Real>::width;
#define group_for(i, n) for (index i = 0; i < (n); i += group_width)
template <class T>
group_fn real group_load(const T* p, index i) {
  return lane_ops::load(p + i);
}
group_fn scalar group_sum(real v) { return lane_ops::sum(v); }
group_fn scalar group_max(real v) { return lane_ops::maximum(v); }
group_fn bool group_any(mask m) { return lane_ops::any(m); }
// The value of a real that is the same in every lane of the group.
group_fn scalar group_first(real v) { return lane_ops::first(v); }
group_fn void group_barrier() {}
