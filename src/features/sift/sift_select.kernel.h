// SPDX-License-Identifier: BSD-3-Clause
// Which extrema a cap can keep, before they get their directions; sift.kernels describes the
// arguments. Every extremum has a strength, that of all its points, so that those of the weak ones
// are weaker than those of the strong ones.

// As feature_strength of its points, by the same products.
group_fn real extremum_strength(global_const float* e, index octave, index layers, real sigma,
                                real scale) {
  const real own_sigma = sigma * exp2(e[2] / (real)layers);
  return e[3] * (own_sigma * (scale * (real)(1u << octave)));
}

// 32 bins an octave, from 2^-20 on: floats that are not negative have bits in their order.
group_fn index strength_bin(real strength) {
  const index bin = (index)(float_bits(strength) >> 18) - (127 - 20) * 32;
  return bin < 0 ? 0 : bin < STRENGTH_BINS ? bin : STRENGTH_BINS - 1;
}

group_kernel(sift_cut, picture, SIFT_CUT) {
  global_ptr bits32* bins = histogram + (offset)picture * STRENGTH_BINS;
  const index member = (index)group_member();
  const index each = (STRENGTH_BINS + GROUP_SIZE - 1) / GROUP_SIZE;
  // From the strongest bin on.
  const index first = member * each < STRENGTH_BINS ? member * each : STRENGTH_BINS;
  const index end = first + each < STRENGTH_BINS ? first + each : STRENGTH_BINS;
  bits32 sum = 0;
  for (index k = first; k < end; ++k) sum += bins[STRENGTH_BINS - 1 - k];
  sums[member] = sum;
  for (index o = 1; o < GROUP_SIZE; o *= 2) {
    group_barrier();
    const bits32 before = member >= o ? sums[member - o] : 0;
    group_barrier();
    sums[member] += before;
  }
  bits32 above = sums[member] - sum;
  for (index k = first; k < end; ++k) {
    const index bin = STRENGTH_BINS - 1 - k;
    const bits32 with = above + bins[bin];
    if (above < (bits32)most && with >= (bits32)most) cut[picture] = (bits32)bin;
    if (bin == 0 && with < (bits32)most) cut[picture] = 0;
    above = with;
    bins[bin] = 0;  // for the next batch
  }
  if (picture == 0 && member < 2) selected_counts[member] = 0;
  if (GROUP_SIZE == 1 && picture == 0) selected_counts[1] = 0;
}

thread_kernel(sift_select, thread, threads, room, SIFT_SELECT) {
  const bits32 count = counts[0] < (bits32)room ? counts[0] : (bits32)room;
  for (bits32 i = thread; i < count; i += threads) {
    global_const bits32* c = candidates + (offset)i * CANDIDATE_WORDS;
    global_const float* e = extrema + (offset)i * EXTREMUM_FLOATS;
    if (e[3] < lane(0)) continue;
    const bits32 picture = c[0];
    const real strength = extremum_strength(e, (index)(c[1] >> 8), layers, sigma, scale);
    const index is_taken =
        round == 0 ? strength_bin(strength) >= (index)cut[picture] : again[picture] != 0;
    if (is_taken) selected[global_atomic_add(selected_counts + round, 1u)] = i;
  }
}

group_kernel(sift_again, picture, SIFT_AGAIN) {
  const index member = (index)group_member();
  const index is_short = kept[picture] < (bits32)most && cut[picture] > 0;
  global_ptr bits32* own = rows + (offset)picture * (height + 1);
  group_barrier();
  if (member == 0) {
    again[picture] = is_short ? 1u : 0u;
    if (is_short) found[picture] = kept[picture] = 0;
  }
  for (index y = member; y <= height && is_short; y += GROUP_SIZE) own[y] = 0;
}
