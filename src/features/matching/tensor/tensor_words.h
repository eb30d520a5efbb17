// SPDX-License-Identifier: BSD-3-Clause
// Functions of match_tensor.kernel.h that CUDA needs in PTX.

// Computes c += a b for matrices of 16 x 32 and 32 x 8 bytes. With g = lane / 4 and t = lane % 4:
// a0 and a1 hold bytes 4 t to 4 t + 3 of rows g and g + 8; a2 and a3 hold bytes 16 + 4 t to 19 + 4
// t of these rows; b0 and b1 hold the same bytes of column g; c[0] and c[1] are row g, columns 2 t
// and 2 t + 1; c[2] and c[3] are row g + 8.
group_fn void tensor_multiply(bits32 a0, bits32 a1, bits32 a2, bits32 a3, bits32 b0, bits32 b1,
                              int* c) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
#else
  const bits32 a[4] = {a0, a2, a1, a3}, b[2] = {b0, b1};
  lane_unroll for (int e = 0; e < 4; ++e) asm(
      "mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};" :
      "+r"(c[e / 2 * 2]), "+r"(c[e / 2 * 2 + 1]) : "r"(a[e]), "r"(b[e % 2]));
#endif
}

// Copies 16 bytes to shared memory asynchronously, or zeros unless `exists`. tensor_copies_wait
// waits for all copies of the thread.
group_fn void tensor_copy(words4* to, const words4* from, bool exists) {
#if __CUDA_ARCH__ >= 800
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(from),
               "r"(exists ? 16 : 0)
               : "memory");
#else
  *to = exists ? *from : make_uint4(0, 0, 0, 0);
#endif
}
group_fn void tensor_copies_wait() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

template <class T>
group_fn T tensor_exchange(T v, int bits) {
  return __shfl_xor_sync(0xffffffffu, v, bits);
}
group_fn int tensor_min3(int a, int b, int c) { return __vimin3_s32(a, b, c); }
