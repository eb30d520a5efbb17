// SPDX-License-Identifier: BSD-3-Clause
// More words for group code that only NVIDIA's GPUs run, of groups of whole warps; the text after
// lane/opencl_begin.h. See lane/cuda_group_words.h. NVIDIA's compiler takes PTX.
#define lane_keep_loop _Pragma("unroll 1")
#define group_member() ((index)get_local_id(0))
#if REAL_IS_FLOAT
typedef float2 local_pair;
#define lane_largest() FLT_MAX
#define lane_smallest() FLT_MIN
#define power_reciprocal(v) as_float(0x7f000000 - (as_int(v) & 0x7f800000))
#else
typedef double2 local_pair;
#define lane_largest() DBL_MAX
#define lane_smallest() DBL_MIN
#define power_reciprocal(v) as_double(0x7fe0000000000000L - (as_long(v) & 0x7ff0000000000000L))
#endif

#if REAL_IS_FLOAT
#define GROUP_ASM_(name, text)                   \
  group_fn real name(real v) {                   \
    real r;                                      \
    asm(text ".f32 %0, %1;" : "=f"(r) : "f"(v)); \
    return r;                                    \
  }
#else
#define GROUP_ASM_(name, text)                   \
  group_fn real name(real v) {                   \
    real r;                                      \
    asm(text ".f64 %0, %1;" : "=d"(r) : "d"(v)); \
    return r;                                    \
  }
#endif
GROUP_ASM_(fast_reciprocal, "rcp.approx.ftz")
GROUP_ASM_(fast_rsqrt, "rsqrt.approx.ftz")
#if REAL_IS_FLOAT
GROUP_ASM_(fast_sqrt, "sqrt.approx.ftz")
group_fn real full_rsqrt(real v) {
  real r = fast_rsqrt(v);
  return r * (lane(1.5) - lane(0.5) * v * r * r);
}
#else
group_fn real fast_sqrt(real v) { return v * fast_rsqrt(v); }
group_fn real full_rsqrt(real v) {
  real r = fast_rsqrt(v);
  r = r * (lane(1.5) - lane(0.5) * v * r * r);
  return r * (lane(1.5) - lane(0.5) * v * r * r);
}
#endif

// Of a warp.
#undef group_barrier
#undef group_any
#undef GROUP_PARAM
#undef GROUP_ARG
#define GROUP_PARAM
#define GROUP_ARG
group_fn void group_warp_barrier_(void) { asm volatile("bar.warp.sync 0xffffffff;" ::: "memory"); }
group_fn int group_warp_any_(int v) {
  int r;
  asm volatile(
      "{ .reg .pred p, q; setp.ne.s32 p, %1, 0; vote.sync.any.pred q, p, 0xffffffff; "
      "selp.s32 %0, 1, 0, q; }"
      : "=r"(r)
      : "r"(v));
  return r;
}
group_fn int group_idx_int_(int v, int from) {
  int r;
  asm volatile("shfl.sync.idx.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(r) : "r"(v), "r"(from));
  return r;
}
group_fn int group_bfly_int_(int v, int bits) {
  int r;
  asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(r) : "r"(v), "r"(bits));
  return r;
}
#if REAL_IS_FLOAT
group_fn real group_idx_(real v, int from) { return as_float(group_idx_int_(as_int(v), from)); }
group_fn real group_bfly_(real v, int bits) { return as_float(group_bfly_int_(as_int(v), bits)); }
#else
group_fn real group_idx_(real v, int from) {
  int2 h = as_int2(v);
  return as_double((int2)(group_idx_int_(h.x, from), group_idx_int_(h.y, from)));
}
group_fn real group_bfly_(real v, int bits) {
  int2 h = as_int2(v);
  return as_double((int2)(group_bfly_int_(h.x, bits), group_bfly_int_(h.y, bits)));
}
#endif
#define group_barrier() group_warp_barrier_()
#define group_any(m) group_warp_any_(m)
#define group_shuffle(v, from) group_idx_((v), (from))
#define group_shuffle_xor(v, bits) group_bfly_((v), (bits))
