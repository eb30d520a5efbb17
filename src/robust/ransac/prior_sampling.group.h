// SPDX-License-Identifier: BSD-3-Clause
// Draws samples in proportion to the weights of the matches, and samples from the best matches
// first. A sample is a function of the seed and its index (iteration).
//   O. Chum, J. Matas, Matching with PROSAC, progressive sample consensus, CVPR 2005.

// Number of samples after which the growing set contains all matches (T_N of the paper).
enum { GROWTH_ITERATIONS = 200000 };

// The source of a pair's samples. cumulative_weights [n]: running sums of the weights, whole
// numbers below 2^53; ranking [n]: the point of each rank. Ranks follow the quality if `ranked` is
// 1, else rank k is point k.
struct sample_source {
  index n, weighted, ranked;
  global_const double* cumulative_weights;
  global_const int* ranking;
};

// Returns the number of ordered samples of `size` matches.
lane_fn double samples_of(index size) {
  double samples = 1;
  for (index i = 0; i < SAMPLE_SIZE; ++i) samples *= (double)(size - i);
  return samples;
}

// Returns the number of best matches, out of n, that the growing sample `iteration` is drawn from.
// It is the smallest set for which the growth function reaches the iteration; it grows by at most
// one match per sample. The growth function is GROWTH_ITERATIONS times the fraction of all samples
// that lie within the set. Only whole numbers and products are compared, so that all devices agree.
lane_fn index grown_size(index n, index iteration) {
  const double wanted = ((double)iteration + 1) * samples_of(n);
  index low = SAMPLE_SIZE, high = iteration < n - SAMPLE_SIZE ? SAMPLE_SIZE + iteration : n;
  while (low < high) {
    const index middle = low + (high - low) / 2;
    if ((double)GROWTH_ITERATIONS * samples_of(middle) >= wanted) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

// Returns the first rank below `pool` whose running sum is above `at`.
group_fn index rank_at(global_const double* cumulative_weights, index pool, double at) {
  index first = 0;
  while (pool > 1) {
    const index step = pool / 2;
    first = cumulative_weights[first + step - 1] > at ? first : first + step;
    pool -= step;
  }
  return first;
}

// Returns a whole number in [0, end) from a random number of 32 bits.
lane_fn double number_below(bits32 number, double end) {
  return (double)(offset)((double)number * (end * 2.3283064365386963e-10));
}

// Draws a rank below `pool` in proportion to the weights, without the `count` ranks already taken.
group_fn index other_rank(bits32 number, global_const double* cumulative_weights, index pool,
                          const index* taken, index count) {
  index sorted[SAMPLE_SIZE];
  double left = cumulative_weights[pool - 1];
  for (index k = 0; k < count; ++k) {
    index place = k;
    for (; place > 0 && sorted[place - 1] > taken[k]; --place) sorted[place] = sorted[place - 1];
    sorted[place] = taken[k];
    left -= cumulative_weights[taken[k]] - (taken[k] > 0 ? cumulative_weights[taken[k] - 1] : 0);
  }
  double at = number_below(number, left);  // shifted past the weights of taken ranks
  for (index i = 0; i < count; ++i) {
    const double before = sorted[i] > 0 ? cumulative_weights[sorted[i] - 1] : 0;
    if (at >= before) at += cumulative_weights[sorted[i]] - before;
  }
  return rank_at(cumulative_weights, pool, at);
}

// The random numbers of the sample `iteration`. ready: as in sample_draw.
struct sample_numbers {
  bits32 seed0, seed1, iteration;
  const bits32* ready;
  index ready_blocks;
};

// Draws `count` distinct ranks below `pool`, each in proportion to the remaining weights, with at
// most two binary searches per rank.
group_fn void weighted_draw(const struct sample_numbers* of,
                            global_const double* cumulative_weights, index pool, index count,
                            index* sample) {
  const double all = cumulative_weights[pool - 1];
  bits32 own[4];
  const bits32* numbers = own;
  for (index k = 0; k < count; ++k) {
    if (k % 4 == 0) {
      bits32 counter[4] = {(bits32)(k / 4), 0, of->iteration, 0};
      numbers = own;
      if (k / 4 < of->ready_blocks) {
        numbers = of->ready + k;
      } else {
        philox(counter, of->seed0, of->seed1, own);
      }
    }
    sample[k] = rank_at(cumulative_weights, pool, number_below(numbers[k % 4], all));
    index fresh = 1;
    for (index i = 0; i < k; ++i) fresh = fresh && sample[i] != sample[k];
    if (fresh) continue;
    bits32 counter[4] = {(bits32)k, 1, of->iteration, 0}, other[4];
    philox(counter, of->seed0, of->seed1, other);
    sample[k] = other_rank(other[0], cumulative_weights, pool, sample, k);
  }
}

// Draws the points of the sample `iteration`. With qualities, every second sample is drawn from the
// best matches and contains the last of them. The remaining samples are drawn from all matches, so
// that bad qualities cost at most twice the iterations. ready: as in sample_draw.
group_fn void prior_draw(bits32 seed0, bits32 seed1, index iteration,
                         const struct sample_source* source, const bits32* ready,
                         index ready_blocks, index* sample) {
  index pool = source->n, drawn = 0;
  if (source->ranked && iteration % 2 == 0) {
    const index size = grown_size(source->n, iteration / 2);
    if (size < source->n) {
      sample[0] = pool = size - 1;
      drawn = 1;
    }
  }
  if (drawn == SAMPLE_SIZE) {  // a sample of one match, drawn already
  } else if (source->weighted) {
    const struct sample_numbers numbers = {seed0, seed1, (bits32)iteration, ready, ready_blocks};
    weighted_draw(&numbers, source->cumulative_weights, pool, SAMPLE_SIZE - drawn, sample + drawn);
  } else {
    sample_draw(seed0, seed1, (bits32)iteration, pool, SAMPLE_SIZE - drawn, ready, ready_blocks,
                sample + drawn);
  }
  if (!source->ranked) return;
  for (index k = 0; k < SAMPLE_SIZE; ++k) sample[k] = source->ranking[sample[k]];
}
