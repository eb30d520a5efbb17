// SPDX-License-Identifier: BSD-3-Clause
// Functions of match_warp_group.kernel.h that CUDA needs in PTX. Addresses are of shared memory.

group_fn bits32 shared_address(const void* at) {
  return static_cast<bits32>(__cvta_generic_to_shared(at));
}

// Copies 16 bytes to shared memory asynchronously, or zeros unless `exists`.
group_fn void warp_group_copy(bits32 to, const words4* from, bool exists) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
               "r"(exists ? 16 : 0)
               : "memory");
}
// Waits for all copies of the thread and makes them visible to products.
group_fn void warp_group_copies_wait() {
  asm volatile("cp.async.wait_all;\n fence.proxy.async.shared::cta;" ::: "memory");
}

// Barriers in shared memory, from phase_begin to phase_end: a phase ends when `arrivals` warps have
// arrived.
group_fn void phase_begin(bits32 barrier, int arrivals) {
  asm volatile(
      "mbarrier.init.shared::cta.b64 [%0], %1;\n fence.mbarrier_init.release.cluster;" ::"r"(
          barrier),
      "r"(arrivals)
      : "memory");
}
group_fn void phase_arrive(bits32 barrier) {
  asm volatile(
      "{\n .reg .b64 state;\n mbarrier.arrive.shared::cta.b64 state, [%0];\n}" ::"r"(barrier)
      : "memory");
}
group_fn void phase_end(bits32 barrier) {
  asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
}
// Waits for the end of the phase of the given parity.
group_fn void phase_wait(bits32 barrier, int parity) {
  asm volatile(
      "{\n .reg .pred over;\n again: mbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n"
      " @over bra done;\n bra again;\n done:\n}" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

// The warp groups multiply in turn: each waits for the turn that its predecessor passes on.
group_fn void turn_wait(index warp_group) {
  asm volatile("bar.sync %0, 256;" ::"r"(warp_group + 1) : "memory");
}
group_fn void turn_pass(index warp_group) {
  asm volatile("bar.arrive %0, 256;" ::"r"((warp_group + 1) % WARP_GROUPS + 1) : "memory");
}

// Half of a descriptor of 64 bits: rows of 128 bytes whose 16-byte words are permuted, word w of
// row r at w ^ (r % 8). The tile begins at a multiple of 1024 bytes.
group_fn bits32 product_operand(bits32 at) { return (at & 0x3ffff) >> 4 | 1u << 16; }

// Begins c = a b, or c += a b if `adds`, for matrices of 64 x 32 and 32 x 128 bytes. With g = lane
// / 4 and t = lane % 4, warp w of the warp group gets c[4 j] and c[4 j + 1]: row 16 w + g, columns
// 8 j
// + 2 t and 8 j + 2 t + 1; c[4 j + 2] and c[4 j + 3]: row 16 w + g + 8.
group_fn void product_begin(bits32 a, bits32 b, int adds, int* c) {
  asm volatile(
      "{\n .reg .b64 a, b;\n .reg .pred adds;\n mov.b64 a, {%64, %66};\n mov.b64 b, {%65, %66};\n"
      " setp.ne.b32 adds, %67, 0;\n wgmma.mma_async.sync.aligned.m64n128k32.s32.u8.u8 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
      "a, b, adds;\n}"
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3]), "+r"(c[4]), "+r"(c[5]), "+r"(c[6]),
        "+r"(c[7]), "+r"(c[8]), "+r"(c[9]), "+r"(c[10]), "+r"(c[11]), "+r"(c[12]), "+r"(c[13]),
        "+r"(c[14]), "+r"(c[15]), "+r"(c[16]), "+r"(c[17]), "+r"(c[18]), "+r"(c[19]), "+r"(c[20]),
        "+r"(c[21]), "+r"(c[22]), "+r"(c[23]), "+r"(c[24]), "+r"(c[25]), "+r"(c[26]), "+r"(c[27]),
        "+r"(c[28]), "+r"(c[29]), "+r"(c[30]), "+r"(c[31]), "+r"(c[32]), "+r"(c[33]), "+r"(c[34]),
        "+r"(c[35]), "+r"(c[36]), "+r"(c[37]), "+r"(c[38]), "+r"(c[39]), "+r"(c[40]), "+r"(c[41]),
        "+r"(c[42]), "+r"(c[43]), "+r"(c[44]), "+r"(c[45]), "+r"(c[46]), "+r"(c[47]), "+r"(c[48]),
        "+r"(c[49]), "+r"(c[50]), "+r"(c[51]), "+r"(c[52]), "+r"(c[53]), "+r"(c[54]), "+r"(c[55]),
        "+r"(c[56]), "+r"(c[57]), "+r"(c[58]), "+r"(c[59]), "+r"(c[60]), "+r"(c[61]), "+r"(c[62]),
        "+r"(c[63])
      : "r"(a), "r"(b), "r"(0x40000040), "r"(adds));
}
group_fn void products_order() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
group_fn void products_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
group_fn void products_wait() { asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory"); }
// Keeps the compiler from moving uses of a product across the call.
group_fn void product_touch(int (&c)[64]) {
  lane_unroll for (index e = 0; e < 64; ++e) asm volatile("" : "+r"(c[e])::"memory");
}

template <class T>
group_fn T warp_exchange(T v, int bits) {
  return __shfl_xor_sync(0xffffffffu, v, bits);
}
// The index of the thread's warp group, which the compiler knows to be equal in a warp.
group_fn index warp_group_index() {
  return __shfl_sync(0xffffffffu, static_cast<int>(block_member()) / 128, 0);
}
group_fn void warp_group_join() { __syncwarp(); }
group_fn int warp_group_min3(int a, int b, int c) { return __vimin3_s32(a, b, c); }
