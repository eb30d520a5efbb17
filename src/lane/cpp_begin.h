// SPDX-License-Identifier: BSD-3-Clause
// Opens a class template body that lane and group files are included into (C++ and CUDA); lane/cpp_end.h closes it. The
// enclosing template's parameter has to be called Real. No include guard: every such class includes it.
#ifdef __CUDACC__
#define lane_fn static inline __host__ __device__
#define group_fn static inline __host__ __device__
#else
#define lane_fn static inline
#define group_fn static inline
#endif
// Group code reads points from memory of the device, and shares small arrays within the group.
#define global_const const
#define global_ptr
// Every group function takes GROUP_PARAM first and is called with GROUP_ARG first (OpenCL hands its local scratch through).
#define GROUP_PARAM
#define GROUP_ARG
// A group on a CPU is one register: element i + l of an array is lane l's.
#define group_for(i, n) for (index i = 0; i < (n); i += group_width)

using real = Real;
using mask = typename bifocal::lane::traits<Real>::mask;
using index = int;
using scalar = typename bifocal::lane::traits<Real>::element;  // what a group-wide sum returns
static constexpr int group_width = bifocal::lane::traits<Real>::width;
using lane_ops = bifocal::lane::ops<Real>;

lane_fn real lane(double v) { return lane_ops::set(v); }
lane_fn real select(mask m, real a, real b) { return lane_ops::select(m, a, b); }
lane_fn mask select_mask(mask m, mask a, mask b) { return lane_ops::select(m, a, b); }
lane_fn bool any(mask m) { return lane_ops::any(m); }
lane_fn bool all(mask m) { return lane_ops::all(m); }
lane_fn real sqrt(real v) { return lane_ops::sqrt(v); }
lane_fn real fabs(real v) { return lane_ops::fabs(v); }
lane_fn real fmin(real a, real b) { return lane_ops::fmin(a, b); }
lane_fn real fmax(real a, real b) { return lane_ops::fmax(a, b); }
lane_fn real copysign(real a, real b) { return lane_ops::copysign(a, b); }
lane_fn real reciprocal(real v) { return lane_ops::reciprocal(v); }
// Plain numbers that are the same for the whole group.
lane_fn scalar sqrt(scalar v)
  requires(!std::is_same_v<scalar, real>)
{
  return std::sqrt(v);
}
lane_fn scalar fabs(scalar v)
  requires(!std::is_same_v<scalar, real>)
{
  return std::fabs(v);
}
// The distance from 1 to the next number of the lane's precision.
lane_fn real lane_epsilon() { return lane(sizeof(scalar) == 4 ? 1.1920929e-7 : 2.220446049250313e-16); }
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
