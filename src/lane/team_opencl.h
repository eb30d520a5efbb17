// SPDX-License-Identifier: BSD-3-Clause
// Words of teams (lane/team_cuda.h) for OpenCL C 1.2: on NVIDIA's warps by inline PTX; elsewhere a
// team is one work-item.
#define team_member() ((int)get_local_id(0) % TEAM)
#if TEAM == 1
#define team_before(v) (v)
#define team_after(v) (v)
#define team_min(v) (v)
#define team_and(v) (v)
#define teams_most(k) (k)
#else
#define TEAM_CLAMP_ ((32 - TEAM) << 8)
static inline uint team_before(uint v) {
  uint r;
  asm volatile("shfl.sync.up.b32 %0, %1, 1, %2, 0xffffffff;" : "=r"(r) : "r"(v), "r"(TEAM_CLAMP_));
  return r;
}
static inline uint team_after(uint v) {
  uint r;
  asm volatile("shfl.sync.down.b32 %0, %1, 1, %2, 0xffffffff;"
               : "=r"(r)
               : "r"(v), "r"(TEAM_CLAMP_ | 0x1f));
  return r;
}
static inline uint team_other_(uint v, int o) {
  uint r;
  asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(r) : "r"(v), "r"(o));
  return r;
}
static inline uint team_min(uint v) {
  for (int o = TEAM / 2; o > 0; o /= 2) v = min(v, team_other_(v, o));
  return v;
}
static inline uint team_and(uint v) {
  for (int o = TEAM / 2; o > 0; o /= 2) v &= team_other_(v, o);
  return v;
}
static inline int teams_most(int k) {
  for (int o = 16; o > 0; o /= 2) k = max(k, (int)team_other_((uint)k, o));
  return k;
}
#endif
#define pair_min(a, b) as_uint(min(as_ushort2((uint)(a)), as_ushort2((uint)(b))))
#define pair_add_min(a, b, c) pair_min((a) + (b), c)
#define pair_join(a, b) (((uint)(a) >> 16) | ((uint)(b) << 16))
#define bits_count(v) ((int)popcount((uint)(v)))
#define words_load(p, n, out)                                            \
  do {                                                                   \
    _Pragma("unroll") for (int k_ = 0; k_ < (n); ++k_)(out)[k_] = (p)[k_]; \
  } while (0)
#define words_store(p, n, v)                                           \
  do {                                                                 \
    _Pragma("unroll") for (int k_ = 0; k_ < (n); ++k_)(p)[k_] = (v)[k_]; \
  } while (0)
#define local_atomic_min(p, v) atomic_min((volatile local uint*)(p), (uint)(v))
