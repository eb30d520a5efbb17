// SPDX-License-Identifier: BSD-3-Clause
// The words of ssd.kernel.h for OpenCL.
#define local_lowest(p, v) atomic_min((volatile local uint*)(p), (v))
#define global_lowest(p, v) atomic_min((volatile global uint*)(p), (v))
#ifdef __NV_CL_C_VERSION
// NVIDIA's work-items run in warps, and its compiler takes PTX.
#define ssd_unroll _Pragma("unroll")
#define group_in_step() 32
static inline uint group_lowest_(uint v) {
#if NVIDIA_CAPABILITY >= 80
  uint r;
  asm volatile("redux.sync.min.u32 %0, %1, 0xffffffff;" : "=r"(r) : "r"(v));
  return r;
#else
  for (int o = 16; o > 0; o /= 2) {
    uint r;
    asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(r) : "r"(v), "r"(o));
    v = min(v, r);
  }
  return v;
#endif
}
#else
#define ssd_unroll
#define group_in_step() 1
#define group_lowest_(v) (v)
#endif
