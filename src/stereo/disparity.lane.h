// SPDX-License-Identifier: BSD-3-Clause
// What a pixel's disparity is made of, in whole numbers, so that every device gives the same bits.
// Inside the matcher a disparity is `steps`: (d - min_disparity) in 1/32 px, or UNKNOWN_STEPS.

// A match with the right picture's row k rows away costs this much more, times k.
enum { ROWS_APART_PENALTY = 3 };
// Of subpixel_offset, in 1/16 of what a step of one disparity costs all paths.
enum { SUBPIXEL_SHARED = 10, SUBPIXEL_DAMPING = 3 };
// Of filling: how much a level of contrast counts against a pixel of way.
enum { CONTRAST_WEIGHT = 3 };
enum { STEPS = 32, UNKNOWN_STEPS = 0xffff, NO_CANDIDATE = 0xffff };

// A census code says which of the 9 x 7 neighbours are brighter than the centre. Sparse
// takes every other one, as on a chess board; symmetric compares neighbours that face each other.
//   R. Zabih, J. Woodfill, Non-parametric local transforms, ECCV 1994;  R. Spangenberg, T. Langner,
//   R. Rojas, Weighted semi-global matching and center-symmetric census transform, CAIP 2013.
enum { CENSUS_SPARSE, CENSUS_SYMMETRIC, CENSUS_FULL };
enum { CENSUS_RX = 4, CENSUS_RY = 3 };

// Does the neighbour at (i, j) of the centre take part?
lane_fn index census_takes(index kind, index i, index j) {
  if (kind == CENSUS_SYMMETRIC) return j < 0 || (j == 0 && i < 0);
  if (i == 0 && j == 0) return 0;
  return kind == CENSUS_FULL || ((i + j) & 1) == 0;
}

// The pictures are smoothed a little for the census: 1 4 1 across and 1 8 1 down, of a sum of 60.
// Down, it bears rows that are not quite aligned; both break the ties of flat regions.
lane_fn index smooth_weight(index i, index j) { return (i == 0 ? 4 : 1) * (j == 0 ? 8 : 1); }

// A neighbour is brighter when it is so by more than this, in smoothed units: a quarter of a level
// of 255. Pictures of 16 bits are smoothed to 60 / 64 of theirs.
lane_fn index census_margin(index white, index eight_bits) {
  return (eight_bits ? white * 60 : white / 64 * 60) / 1020;
}

// 0 to 255.
lane_fn index brightness_of(index value, index white) {
  index scale = (white + 128) / 257;
  index b = scale > 1 ? value / scale : value;
  return b < 255 ? b : 255;
}

// Penalty of a jump between neighbours whose brightness differs by g of 255: jumps belong to edges.
//   H. Hirschmueller, Stereo processing by semiglobal matching and mutual information, PAMI 30(2),
//   2008.
lane_fn index jump_penalty(index P2, index contrast, index g) {
  return contrast > 0 ? P2 * contrast / (contrast + g) : P2;
}

// Offset of the minimum from the lowest of three neighbouring sums, in steps, -15 to 15: where two
// straight lines of one slope through them meet, (1 - low / high) / 2. Before that SUBPIXEL_SHARED
// is taken from both: next to the winner a path costs up to P1 more only because it came over from
// the winner, and that pulls the position to whole pixels. SUBPIXEL_DAMPING keeps costs that hardly
// differ from deciding. `step_cost`: paths * P1. docs/stereo.md has the bias that is left.
//   M. Shimizu, M. Okutomi, Sub-pixel estimation error cancellation on area-based matching, IJCV
//   63(3), 2005, has the effect;  I. Haller, S. Nedevschi, Design of interpolation functions for
//   subpixel-accuracy stereo-vision systems, IEEE TIP 21(2), 2012, the kind of remedy.
lane_fn index subpixel_offset(index below, index best, index above, index step_cost) {
  index low = 16 * ((below < above ? below : above) - best) - SUBPIXEL_SHARED * step_cost;
  index high = 16 * ((below < above ? above : below) - best) - SUBPIXEL_SHARED * step_cost;
  if (low < 0) low = 0;
  if (high < 0) high = 0;
  index whole = high + SUBPIXEL_DAMPING * step_cost;
  if (whole <= 0) return 0;
  index offset = (STEPS * (high - low) + whole) / (2 * whole);
  if (offset > STEPS / 2 - 1) offset = STEPS / 2 - 1;
  return below < above ? -offset : offset;
}

// Offset of the vertex of a parabola through three neighbouring sums of squares, in steps, -15 to
// 15. 33 times the largest sum, 65025 of 31 x 31 px, still fits an int.
lane_fn index parabola_offset(index below, index best, index above) {
  index low = (below < above ? below : above) - best, high = (below < above ? above : below) - best;
  index whole = low + high;
  if (low < 0 || whole == 0) return 0;  // a neighbour is better: not the winner yet
  index offset = (STEPS * (high - low) + whole) / (2 * whole);
  if (offset > STEPS / 2 - 1) offset = STEPS / 2 - 1;
  return below < above ? -offset : offset;
}

// Is the best cost lower than the best one elsewhere by `uniqueness` per cent of it?
lane_fn index is_unique(index best, index elsewhere, index uniqueness) {
  return elsewhere == NO_CANDIDATE || best * 100 <= elsewhere * (100 - uniqueness);
}

// How much better the winner is than the best one elsewhere: 1 to 255.
lane_fn index winner_confidence(index best, index elsewhere) {
  if (elsewhere <= 0) return 1;
  index c = (elsewhere - best) * 255 / elsewhere;
  return c < 1 ? 1 : c;
}

// Does the right picture's winner at x - d agree?
lane_fn index directions_agree(index steps, index right_index, index tolerance_steps) {
  index d = (steps + STEPS / 2) / STEPS * STEPS - right_index * STEPS;
  return right_index != NO_CANDIDATE && (d < 0 ? -d : d) <= tolerance_steps;
}
