// SPDX-License-Identifier: BSD-3-Clause
// Operations on whole numbers for kernels in CUDA and OpenCL C. Included after lane/cuda_begin.h or
// lane/opencl_begin.h. A pair is two 16-bit whole numbers in one word.
//   pair_min, pair_max, pair_min3      elementwise
//   pair_join(a, b)                    the high half of a below the low half of b
//   pair_high(w)                       bytes 1 and 3 of a word as a pair
//   bits_leading_zeros
//   local_atomic_min, _or, _add        in memory that the group shares; min and add return the
//                                      previous value
//   global_atomic_min, _add
//   local_atomic_read, global_atomic_read   of a number that concurrent threads may change
//   lockstep_width(), lockstep_min(v)  members that run in lockstep, and the minimum over them
#ifdef __OPENCL_VERSION__
#if NVIDIA_CAPABILITY >= 90
static inline uint pair_min(uint a, uint b) {
  uint r;
  asm("min.u16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
  return r;
}
#else
#define pair_min(a, b) as_uint(min(as_ushort2((uint)(a)), as_ushort2((uint)(b))))
#endif
#define pair_max(a, b) as_uint(max(as_ushort2((uint)(a)), as_ushort2((uint)(b))))
#define pair_min3(a, b, c) pair_min(pair_min(a, b), c)
#define pair_join(a, b) (((uint)(a) >> 16) | ((uint)(b) << 16))
#define pair_high(w) (((uint)(w) >> 8) & 0x00ff00ffu)
#define bits_leading_zeros(v) ((int)clz((uint)(v)))
#define local_atomic_min(p, v) atomic_min((volatile local uint*)(p), (uint)(v))
#define local_atomic_or(p, v) ((void)atomic_or((volatile local uint*)(p), (uint)(v)))
#define local_atomic_add(p, v) atomic_add((volatile local uint*)(p), (uint)(v))
#define global_atomic_min(p, v) atomic_min((volatile global uint*)(p), (uint)(v))
#define global_atomic_add(p, v) atomic_add((volatile global uint*)(p), (uint)(v))
#define local_atomic_read(p) (*(volatile local uint*)(p))
#define global_atomic_read(p) (*(volatile global uint*)(p))
#ifdef INLINE_PTX
#define lockstep_width() 32
static inline uint lockstep_min(uint v) {
  uint r;
#if NVIDIA_CAPABILITY >= 80
  asm volatile("redux.sync.min.u32 %0, %1, 0xffffffff;" : "=r"(r) : "r"(v));
  return r;
#else
  for (int o = 16; o > 0; o /= 2) {
    asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(r) : "r"(v), "r"(o));
    v = min(v, r);
  }
  return v;
#endif
}
#else
#define lockstep_width() 1
#define lockstep_min(v) (v)
#endif
#elif !defined(__CUDACC__)  // a CPU: a group is one thread; several threads share global memory
group_fn bits32 global_atomic_read(const bits32* p) { return __atomic_load_n(p, __ATOMIC_RELAXED); }
group_fn bits32 global_atomic_add(bits32* p, bits32 v) {
  return __atomic_fetch_add(p, v, __ATOMIC_RELAXED);
}
group_fn bits32 global_atomic_min(bits32* p, bits32 v) {
  bits32 before = global_atomic_read(p);
  while (v < before &&
         !__atomic_compare_exchange_n(p, &before, v, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return before;
}
group_fn void local_atomic_or(bits32* p, bits32 v) { *p |= v; }
group_fn bits32 local_atomic_add(bits32* p, bits32 v) {
  const bits32 before = *p;
  *p += v;
  return before;
}
#else
group_fn bits32 pair_min(bits32 a, bits32 b) { return __vminu2(a, b); }
group_fn bits32 pair_max(bits32 a, bits32 b) { return __vmaxu2(a, b); }
group_fn bits32 pair_min3(bits32 a, bits32 b, bits32 c) { return __vimin3_u16x2(a, b, c); }
group_fn bits32 pair_join(bits32 a, bits32 b) { return __funnelshift_r(a, b, 16); }
group_fn bits32 pair_high(bits32 word) { return __byte_perm(word, 0, 0x4341); }
group_fn index bits_leading_zeros(bits32 v) { return __clz(static_cast<int>(v)); }
group_fn bits32 local_atomic_min(bits32* p, bits32 v) { return atomicMin(p, v); }
group_fn void local_atomic_or(bits32* p, bits32 v) { atomicOr(p, v); }
group_fn bits32 local_atomic_add(bits32* p, bits32 v) { return atomicAdd(p, v); }
group_fn bits32 global_atomic_min(bits32* p, bits32 v) { return atomicMin(p, v); }
group_fn bits32 global_atomic_add(bits32* p, bits32 v) { return atomicAdd(p, v); }
group_fn bits32 local_atomic_read(bits32* p) {
  return __nv_atomic_load_n(p, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
}
group_fn bits32 global_atomic_read(bits32* p) {
  return __nv_atomic_load_n(p, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}
group_fn constexpr index lockstep_width() { return 32; }
group_fn bits32 lockstep_min(bits32 v) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_min_sync(0xffffffffu, v);
#else
  for (int o = 16; o > 0; o /= 2) v = min(v, __shfl_xor_sync(0xffffffffu, v, o));
  return v;
#endif
}
#endif
