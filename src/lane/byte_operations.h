// SPDX-License-Identifier: BSD-3-Clause
// Operations on the four bytes of a word, for kernels in CUDA and OpenCL C. Included after
// lane/cuda_begin.h or lane/opencl_begin.h.
//   bytes_dot(a, b, sum)   sum + the products of the bytes of two words
#ifdef __OPENCL_VERSION__
#if defined(INLINE_PTX) && NVIDIA_CAPABILITY >= 61
static inline uint bytes_dot(uint a, uint b, uint sum) {
  uint r;
  asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(sum));
  return r;
}
#else
static inline uint bytes_dot(uint a, uint b, uint sum) {
  return sum + (a & 255u) * (b & 255u) + (a >> 8 & 255u) * (b >> 8 & 255u) +
         (a >> 16 & 255u) * (b >> 16 & 255u) + (a >> 24) * (b >> 24);
}
#endif
#else
group_fn bits32 bytes_dot(bits32 a, bits32 b, bits32 sum) { return __dp4a(a, b, sum); }
#endif
