// SPDX-License-Identifier: BSD-3-Clause
// Sums in a fixed order, a plain number an item.

// Sums side by side hide the latency of loads.
#define SIDES 8
group_fn scalar sum_of_sides(const scalar* sides) {
  return ((sides[0] + sides[1]) + (sides[2] + sides[3])) +
         ((sides[4] + sides[5]) + (sides[6] + sides[7]));
}

map_kernel(sum_chunks, item, ADJUST_SUM_CHUNKS) {
  const index component = item / images, image = item % images;
  const index end = first_chunk[image + 1];
  scalar sides[SIDES];
  lane_unroll for (index s = 0; s < SIDES; ++s) sides[s] = 0;
  for (index k = first_chunk[image]; k < end; k += SIDES) {
    lane_unroll for (index s = 0; s < SIDES; ++s) {
      sides[s] += k + s < end ? sums[component * lanes + chunk_lane[k + s]] : 0;
    }
  }
  totals[image * components + component] = sum_of_sides(sides);
}

map_kernel(reduce, item, ADJUST_REDUCE) {
  const index from = item * REDUCTION, to = from + REDUCTION < size ? from + REDUCTION : size;
  scalar sum = numbers[from];
  for (index i = from + 1; i < to; ++i) {
    sum = is_largest == 0 ? sum + numbers[i] : numbers[i] > sum ? numbers[i] : sum;
  }
  reduced[item] = sum;
}
