// SPDX-License-Identifier: BSD-3-Clause
// Returns whether two disparities that are not neighbours are equally good, which makes the pixel
// unknown. first, last: first and last disparity with the lowest cost.
lane_fn index is_tied(index first, index last) { return last - first > 1; }

// Returns the offset of the vertex of a parabola through three neighbouring sums of squares, in
// 1/32 px, -15 to 15. The largest sum, 65025 in 31 x 31 px, still fits an int if multiplied by 33.
lane_fn index parabola_offset(index below, index best, index above) {
  index low = (below < above ? below : above) - best, high = (below < above ? above : below) - best;
  index whole = low + high;
  if (low < 0 || whole == 0) return 0;  // a neighbour is better: not yet the winner
  index offset = (SUBPIXELS * (high - low) + whole) / (2 * whole);
  if (offset > SUBPIXELS / 2 - 1) offset = SUBPIXELS / 2 - 1;
  return below < above ? -offset : offset;
}
