// SPDX-License-Identifier: BSD-3-Clause
// Samples of matches that are not alike: in proportion to their weights, and from the best ones
// first. A trial is a function of seed and trial, as without.
//   O. Chum, J. Matas, Matching with PROSAC, progressive sample consensus, CVPR 2005.

// Trials after which the best matches are all matches (T_N of the paper).
enum { GROWTH_TRIALS = 200000 };

// What the trials of a pair draw from. masses [n]: running sum of the weights, whole numbers below
// 2^53, and ranking [n]: point of each rank, both in the order of quality where `ranked` is 1, else
// in that of the points.
struct sample_source {
  index n, weighted, ranked;
  global_const double* masses;
  global_const int* ranking;
};

// Samples of `size` matches, in order.
lane_fn double samples_of(index size) {
  double samples = 1;
  for (index i = 0; i < SAMPLE_SIZE; ++i) samples *= (double)(size - i);
  return samples;
}

// How many of the best of n matches the growing trial draws from: as few as the growth function
// allows, which is GROWTH_TRIALS times the share of all samples that lie within them; and one more
// a trial at most. Whole numbers and products alone decide, so that all devices do alike.
lane_fn index grown_size(index n, index trial) {
  const double wanted = ((double)trial + 1) * samples_of(n);
  index low = SAMPLE_SIZE, high = trial < n - SAMPLE_SIZE ? SAMPLE_SIZE + trial : n;
  while (low < high) {
    const index middle = low + (high - low) / 2;
    if ((double)GROWTH_TRIALS * samples_of(middle) >= wanted) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

// The first rank below `pool` whose running sum is above `at`.
group_fn index rank_at(global_const double* masses, index pool, double at) {
  index first = 0;
  while (pool > 1) {
    const index step = pool / 2;
    first = masses[first + step - 1] > at ? first : first + step;
    pool -= step;
  }
  return first;
}

// A whole number in [0, mass), from a random one of 32 bits.
lane_fn double mass_at(bits32 number, double mass) {
  return (double)(offset)((double)number * (mass * 2.3283064365386963e-10));
}

// A rank below `pool` that is none of the `count` taken ones, in proportion to the weights.
group_fn index other_rank(bits32 number, global_const double* masses, index pool,
                          const index* taken, index count) {
  index sorted[SAMPLE_SIZE];
  double left = masses[pool - 1];
  for (index k = 0; k < count; ++k) {
    index place = k;
    for (; place > 0 && sorted[place - 1] > taken[k]; --place) sorted[place] = sorted[place - 1];
    sorted[place] = taken[k];
    left -= masses[taken[k]] - (taken[k] > 0 ? masses[taken[k] - 1] : 0);
  }
  double at = mass_at(number, left);  // then past the masses of the taken ones
  for (index i = 0; i < count; ++i) {
    const double before = sorted[i] > 0 ? masses[sorted[i] - 1] : 0;
    if (at >= before) at += masses[sorted[i]] - before;
  }
  return rank_at(masses, pool, at);
}

// `count` different ranks below `pool`, the next always in proportion to the weights of those that
// are left: at most two searches each. ready: as in sample_draw.
group_fn void weighted_draw(bits32 seed0, bits32 seed1, bits32 trial, global_const double* masses,
                            index pool, index count, const bits32* ready, index ready_blocks,
                            index* sample) {
  const double all = masses[pool - 1];
  bits32 own[4];
  const bits32* numbers = own;
  for (index k = 0; k < count; ++k) {
    if (k % 4 == 0) {
      bits32 counter[4] = {(bits32)(k / 4), 0, trial, 0};
      numbers = own;
      if (k / 4 < ready_blocks) {
        numbers = ready + k;
      } else {
        philox(counter, seed0, seed1, own);
      }
    }
    sample[k] = rank_at(masses, pool, mass_at(numbers[k % 4], all));
    index fresh = 1;
    for (index i = 0; i < k; ++i) fresh = fresh && sample[i] != sample[k];
    if (fresh) continue;
    bits32 counter[4] = {(bits32)k, 1, trial, 0}, other[4];
    philox(counter, seed0, seed1, other);
    sample[k] = other_rank(other[0], masses, pool, sample, k);
  }
}

// The sample of a trial: points. With qualities every second trial draws from the best matches, the
// last of which is always in; the others draw from all, so that bad qualities cost no more than
// twice the trials. ready: as in sample_draw.
group_fn void prior_draw(bits32 seed0, bits32 seed1, index trial,
                         const struct sample_source* source, const bits32* ready,
                         index ready_blocks, index* sample) {
  index pool = source->n, drawn = 0;
  if (source->ranked && trial % 2 == 0) {
    const index size = grown_size(source->n, trial / 2);
    if (size < source->n) {
      sample[0] = pool = size - 1;
      drawn = 1;
    }
  }
  if (source->weighted) {
    weighted_draw(seed0, seed1, (bits32)trial, source->masses, pool, SAMPLE_SIZE - drawn, ready,
                  ready_blocks, sample + drawn);
  } else {
    sample_draw(seed0, seed1, (bits32)trial, pool, SAMPLE_SIZE - drawn, ready, ready_blocks,
                sample + drawn);
  }
  if (!source->ranked) return;
  for (index k = 0; k < SAMPLE_SIZE; ++k) sample[k] = source->ranking[sample[k]];
}
