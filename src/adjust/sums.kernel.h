// SPDX-License-Identifier: BSD-3-Clause
// Sums in a fixed order, a plain number an item.

map_kernel(sum_chunks, item, ADJUST_SUM_CHUNKS) {
  const index component = item / images, image = item % images;
  scalar sum = 0;
  for (index k = first_chunk[image]; k < first_chunk[image + 1]; ++k) {
    sum += sums[component * lanes + chunk_lane[k]];
  }
  totals[image * components + component] = sum;
}

map_kernel(reduce, item, ADJUST_REDUCE) {
  const index from = item * REDUCTION, to = from + REDUCTION < size ? from + REDUCTION : size;
  scalar sum = numbers[from];
  for (index i = from + 1; i < to; ++i) {
    sum = is_largest == 0 ? sum + numbers[i] : numbers[i] > sum ? numbers[i] : sum;
  }
  reduced[item] = sum;
}
