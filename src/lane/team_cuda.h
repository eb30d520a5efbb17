// SPDX-License-Identifier: BSD-3-Clause
// Words of teams. A team is TEAM threads of one warp (a power of two); each thread holds WORDS
// 32-bit words of one object. All teams of a warp call these functions together. Included inside a
// class body, after lane/cuda_begin.h.
group_fn index team_member() { return static_cast<index>(threadIdx.x) % TEAM; }
// The value of the previous and of the next member; the first and the last member get their
// own value.
group_fn bits32 team_before(bits32 v) { return __shfl_up_sync(0xffffffffu, v, 1, TEAM); }
group_fn bits32 team_after(bits32 v) { return __shfl_down_sync(0xffffffffu, v, 1, TEAM); }
group_fn bits32 team_min(bits32 v) {
#if __CUDA_ARCH__ >= 800
  if constexpr (TEAM == 32) {
    return __reduce_min_sync(0xffffffffu, v);
  } else
#endif
  {
    for (int o = TEAM / 2; o > 0; o /= 2) v = min(v, __shfl_xor_sync(0xffffffffu, v, o));
    return v;
  }
}
// After it, the team can read the shared memory that its members wrote.
group_fn void team_sync() { __syncwarp(); }
// Load and store n words, n constant, aligned to the largest power of two that divides n.
group_fn void words_load(const bits32* p, index n, bits32* out) {
  lane_unroll for (index k = 0; k < n;) {
    if (n % 4 == 0) {
      const uint4 v = *reinterpret_cast<const uint4*>(p + k);
      out[k] = v.x;
      out[k + 1] = v.y;
      out[k + 2] = v.z;
      out[k + 3] = v.w;
      k += 4;
    } else if (n % 2 == 0) {
      const uint2 v = *reinterpret_cast<const uint2*>(p + k);
      out[k] = v.x;
      out[k + 1] = v.y;
      k += 2;
    } else {
      out[k] = p[k];
      k += 1;
    }
  }
}
// The words are not read again soon.
group_fn void words_store(bits32* p, index n, const bits32* v) {
  lane_unroll for (index k = 0; k < n;) {
    if (n % 4 == 0) {
      __stcs(reinterpret_cast<uint4*>(p + k), make_uint4(v[k], v[k + 1], v[k + 2], v[k + 3]));
      k += 4;
    } else if (n % 2 == 0) {
      __stcs(reinterpret_cast<uint2*>(p + k), make_uint2(v[k], v[k + 1]));
      k += 2;
    } else {
      __stcs(p + k, v[k]);
      k += 1;
    }
  }
}
// Prefetches a cache line that is read soon; the address need not be valid.
group_fn void words_expect(const bits32* p) { asm volatile("prefetch.global.L2 [%0];" ::"l"(p)); }
