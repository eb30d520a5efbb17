// SPDX-License-Identifier: BSD-3-Clause
// Begins the body of a class template that includes lane and group files, for code on a CUDA
// device; lane/cpp_end.h ends it. The template parameter Real is float or double. A lane is a
// thread. A group is a warp, or LANE_GROUP_WIDTH threads: 1, 8 or 16 threads of a warp, each with
// its own control flow, or a block of several warps. LANE_STRIDE: threads that share memory for
// their lane arrays.
#ifndef LANE_GROUP_WIDTH
#define LANE_GROUP_WIDTH 32
#endif
#ifndef LANE_STRIDE
#define LANE_STRIDE 32
#endif
#define lane_fn static inline __host__ __device__
#define group_fn static inline __device__
#define lane_fn_apart static __noinline__ __host__ __device__
#define group_fn_apart static __noinline__ __device__
#define global_const const
#define global_ptr
#define GROUP_PARAM
#define GROUP_ARG
#define group_scratch_in(memory)
#define local_ptr
// Initialises an array or a struct.
#define zeros \
  {}
#define local_only_
#define lane_restrict_ __restrict__
#include "lane/kernel_words.h"
#define lane_array real*
#define kept_array real*
#define lane_at(A, e) (A)[(e)*LANE_STRIDE]
#define kept_at(A, e) (A)[(e)*LANE_STRIDE]
#define kept_put(A, e, m, v) ((m) ? (void)(kept_at(A, e) = (v)) : (void)0)
#define lane_unroll _Pragma("unroll")
#define lane_unroll_all lane_unroll
#define lane_for_fixed(i, from, first, end) lane_unroll for (index i = (first); i < (end); ++i)
#define lane_keep_loop _Pragma("unroll 1")
#define uniform_fn(f) f
#define if_constant(condition) if constexpr (condition)
#include "lane/cpp_words.h"
lane_fn constexpr index lane_pitch(index n) { return n; }

static constexpr int group_width = LANE_GROUP_WIDTH;
static constexpr int GROUP_READS_AHEAD = 1;
group_fn unsigned group_member() { return threadIdx.x % unsigned(group_width); }
// The index of the thread in its block of block_size() threads.
group_fn bits32 block_member() { return threadIdx.x; }
group_fn index block_size() { return static_cast<index>(blockDim.x); }
group_fn unsigned group_members_() {
  if (group_width >= 32) return 0xffffffffu;
  return ((1u << (group_width % 32)) - 1) << (threadIdx.x % 32u - group_member());
}
#define group_for(i, n) group_for_range(i, 0, n)
#define group_for_range(i, from, to)                                                      \
  _Pragma("unroll 1") for (index i = (from) + static_cast<int>(group_member()); i < (to); \
                           i += group_width)
#define group_for_each(i, n) group_for_range(i, 0, n)
template <class T>
group_fn real group_load(const T* p, index i) {
  return static_cast<real>(p[i]);
}
// Butterfly sums: every thread adds in the same order, so that all get the same bits. Results of
// several warps are added in the order of the warps.
static constexpr int group_warps_ = (group_width + 31) / 32;
static constexpr int group_butterfly_ = group_warps_ > 1 ? 16 : group_width / 2;
group_fn scalar warp_sum_(real v) {
  for (int o = group_butterfly_; o > 0; o /= 2) v += __shfl_xor_sync(group_members_(), v, o);
  return v;
}
// Sums Held numbers over the threads whose indices differ in the bits from Bit on, with the same
// additions. At each bit a thread sends half of its numbers and keeps half. At the end thread i of
// the warp has the sums from i * Held / 32 on.
template <int Held, int Bit>
group_fn void warp_sums_apart_(real* v) {
  if constexpr (Bit > 0) {
    constexpr int half = Held > 1 ? Held / 2 : 1;
    const bool upper = (threadIdx.x & Bit) != 0;
    lane_unroll for (int k = 0; k < half; ++k) {
      const real given = Held > 1 && !upper ? v[Held - half + k] : v[k];
      const real kept = Held > 1 && upper ? v[Held - half + k] : v[k];
      v[k] = kept + __shfl_xor_sync(0xffffffffu, given, Bit);
    }
    warp_sums_apart_<half, Bit / 2>(v);
  }
}
// Number of sums that each thread holds afterwards, and number of threads per held sum.
template <int Held>
static constexpr int warp_kept_ = Held > 32 ? Held / 32 : 1;
template <int Held>
static constexpr int warp_threads_ = Held > 32 ? 1 : 32 / Held;
template <int Held>
group_fn void warp_add_(const real* v, index n, real* held) {
  lane_unroll for (int k = 0; k < Held; ++k) held[k] = k < n ? v[k] : lane(0);
  warp_sums_apart_<Held, 16>(held);
}
// Writes the sums for all threads of a single warp, or to `parts` [n][group_warps_].
template <int Held>
group_fn_apart void warp_broadcast_(const real* v, index n, scalar* out) {
  constexpr int kept = warp_kept_<Held>, threads = warp_threads_<Held>;
  real held[Held];
  warp_add_<Held>(v, n, held);
  lane_unroll for (int k = 0; k < Held; ++k) {
    if (k < n) out[k] = __shfl_sync(0xffffffffu, held[k % kept], k / kept * threads);
  }
}
template <int Held>
group_fn void warp_store_(const real* v, index n, scalar* parts) {
  constexpr int kept = warp_kept_<Held>, threads = warp_threads_<Held>;
  real held[Held];
  warp_add_<Held>(v, n, held);
  const int thread = static_cast<int>(threadIdx.x % 32), first = thread / threads * kept;
  lane_unroll for (int k = 0; k < kept; ++k) {
    if (thread % threads == 0 && first + k < n)
      parts[(first + k) * group_warps_ + static_cast<int>(group_member() / 32)] = held[k];
  }
}
template <int Held>
group_fn void warp_sums_(const real* v, index n, scalar* out) {
  if constexpr (group_warps_ == 1) {
    real given[Held];
    scalar sums[Held];
    lane_unroll for (int k = 0; k < Held; ++k) given[k] = k < n ? v[k] : lane(0);
    warp_broadcast_<Held>(given, n, sums);
    lane_unroll for (int k = 0; k < Held; ++k) {
      if (k < n) out[k] = sums[k];
    }
  } else
    warp_store_<Held>(v, n, out);
}
group_fn void group_sums(const real* v, index n, scalar* out) {
  if (group_width < 32 || (group_width == 32 && n < 3)) {
    lane_unroll for (index k = 0; k < n; ++k) out[k] = warp_sum_(v[k]);
    return;
  }
  scalar* sums = out;
  if constexpr (group_warps_ > 1) {
    __shared__ scalar parts[64 * group_warps_];
    sums = parts;
  }
  if (n > 32) {
    warp_sums_<64>(v, n, sums);
  } else if (n > 16) {
    warp_sums_<32>(v, n, sums);
  } else if (n > 8) {
    warp_sums_<16>(v, n, sums);
  } else if (n > 4) {
    warp_sums_<8>(v, n, sums);
  } else {
    warp_sums_<4>(v, n, sums);
  }
  if constexpr (group_warps_ > 1) {
    const auto sum_of = [&](index k) {
      scalar sum = sums[k * group_warps_];
      for (int w = 1; w < group_warps_; ++w) sum += sums[k * group_warps_ + w];
      return sum;
    };
    __syncthreads();
    if (n > 8) {
      __shared__ scalar whole[64];
      const auto member = static_cast<index>(group_member());
      if (member < n) whole[member] = sum_of(member);
      __syncthreads();  // the loads below end before the barrier of the next sums
      lane_unroll for (index k = 0; k < n; ++k) out[k] = whole[k];
    } else {
      lane_unroll for (index k = 0; k < n; ++k) out[k] = sum_of(k);
      __syncthreads();
    }
  }
}
group_fn scalar group_sum(real v) {
  scalar sum;
  group_sums(&v, 1, &sum);
  return sum;
}
template <class T>
group_fn T group_max_(T v) {
  for (int o = group_butterfly_; o > 0; o /= 2) v = max(v, __shfl_xor_sync(group_members_(), v, o));
  if constexpr (group_warps_ > 1) {
    __shared__ T parts[group_warps_];
    if (threadIdx.x % 32 == 0) parts[group_member() / 32] = v;
    __syncthreads();
    for (int w = 0; w < group_warps_; ++w) v = max(v, parts[w]);
    __syncthreads();
  }
  return v;
}
group_fn scalar group_max(real v) { return group_max_(v); }
group_fn index group_max_int(index k) { return group_max_(k); }
group_fn bool group_any(mask m) {
  if constexpr (group_warps_ > 1) return __syncthreads_or(m) != 0;
  return __any_sync(group_members_(), m) != 0;
}
group_fn bool group_worth(mask) { return true; }
// Replaces 0 by v; returns the previous value.
group_fn bits32 table_claim(bits32* p, bits32 v) { return atomicCAS(p, 0u, v); }
group_fn scalar group_first(real v) { return v; }
group_fn void group_barrier() {
  if constexpr (group_warps_ > 1) {
    __syncthreads();
  } else if constexpr (group_width > 1) {
    __syncwarp(group_members_());
  }
}
group_fn real group_same(scalar v) { return v; }
group_fn bool group_leads() { return group_member() == 0; }
group_fn lane_int group_index(index i) { return i; }
group_fn mask group_within(index, index) { return true; }  // group_for_range ends before `to`
group_fn mask group_equals(index i, index k) { return i == k; }
template <class T>
group_fn void group_store(T* p, index i, real v, index) {
  p[i] = v;
}
// Memory of the group; the _far functions are for large arrays.
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

// Words for GPUs only. Estimates of at least 20 bits, without range checks.
group_fn real fast_reciprocal(real v) { return bifocal::lane::estimated_reciprocal(v); }
group_fn real fast_sqrt(real v) { return bifocal::lane::estimated_sqrt(v); }
// The largest number, and the smallest number of full precision.
group_fn real lane_largest() {
  return static_cast<real>(sizeof(real) == 4 ? 3.4028234663852886e38 : 1.7976931348623157e308);
}
group_fn real lane_smallest() {
  return static_cast<real>(sizeof(real) == 4 ? 1.1754943508222875e-38 : 2.2250738585072014e-308);
}
// Reads a number of another thread of the warp: of thread `from`, or of the thread whose index
// differs in the bits of `bits`.
group_fn real group_shuffle(real v, index from) { return __shfl_sync(0xffffffffu, v, from); }
group_fn real group_shuffle_xor(real v, index bits) {
  return __shfl_xor_sync(0xffffffffu, v, bits);
}
// Two numbers that are read at once.
using local_pair = std::conditional_t<sizeof(real) == 4, float2, double2>;
using kernel_local_pair = local_pair;
