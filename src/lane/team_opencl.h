// SPDX-License-Identifier: BSD-3-Clause
// Words of teams (lane/team_cuda.h) for OpenCL C 1.2: with inline PTX on NVIDIA's warps; otherwise
// a team is one work-item.
#define team_member() ((int)get_local_id(0) % TEAM)
#if TEAM == 1
#define team_before(v) (v)
#define team_after(v) (v)
#define team_min(v) (v)
#define team_sync()
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
static inline void team_sync(void) { asm volatile("bar.warp.sync 0xffffffff;" ::: "memory"); }
static inline uint team_min(uint v) {
#if TEAM == 32
  uint r;
  asm volatile("redux.sync.min.u32 %0, %1, 0xffffffff;" : "=r"(r) : "r"(v));
  return r;
#endif
  for (int o = TEAM / 2; o > 0; o /= 2) v = min(v, team_other_(v, o));
  return v;
}
#endif
#if TEAM == 1  // CPU compilers process loops unchanged
#undef lane_unroll
#define lane_unroll
#endif
#if WORDS % 4 == 0 && TEAM > 1
#define WORDS_AT_ONCE_ 4
typedef uint4 words_vector_;
#elif WORDS % 2 == 0 && TEAM > 1
#define WORDS_AT_ONCE_ 2
typedef uint2 words_vector_;
#else
#define WORDS_AT_ONCE_ 1
typedef uint words_vector_;
#endif
// Load and store WORDS words.
static inline void words_load(global const uint* p, int n, uint* out) {
  lane_unroll for (int k = 0; k < WORDS / WORDS_AT_ONCE_; ++k) {
    union {
      words_vector_ v;
      uint w[WORDS_AT_ONCE_];
    } u;
    u.v = ((global const words_vector_*)p)[k];
    lane_unroll for (int j = 0; j < WORDS_AT_ONCE_; ++j) out[k * WORDS_AT_ONCE_ + j] = u.w[j];
  }
}
static inline void words_store(global uint* p, int n, const uint* v) {
  lane_unroll for (int k = 0; k < WORDS / WORDS_AT_ONCE_; ++k) {
    union {
      words_vector_ v;
      uint w[WORDS_AT_ONCE_];
    } u;
    lane_unroll for (int j = 0; j < WORDS_AT_ONCE_; ++j) u.w[j] = v[k * WORDS_AT_ONCE_ + j];
    ((global words_vector_*)p)[k] = u.v;
  }
}
#if TEAM == 1
#define words_expect(p)
#else
static inline void words_expect(global const uint* p) {
  asm volatile("prefetch.global.L2 [%0];" : : "l"(p));
}
#endif
