// SPDX-License-Identifier: BSD-3-Clause
// Are two disparities that are no neighbours equally good? `first`, `last` are those of the lowest
// cost; nothing is known of such a pixel.
lane_fn index is_tied(index first, index last) { return last - first > 1; }

// Offset of the vertex of a parabola through three neighbouring sums of squares, in 1/32 px, -15 to
// 15. 33 times the largest sum, 65025 of 31 x 31 px, still fits an int.
lane_fn index parabola_offset(index below, index best, index above) {
  index low = (below < above ? below : above) - best, high = (below < above ? above : below) - best;
  index whole = low + high;
  if (low < 0 || whole == 0) return 0;  // a neighbour is better: not the winner yet
  index offset = (SUBPIXELS * (high - low) + whole) / (2 * whole);
  if (offset > SUBPIXELS / 2 - 1) offset = SUBPIXELS / 2 - 1;
  return below < above ? -offset : offset;
}
