// SPDX-License-Identifier: BSD-3-Clause
// The sums of a pixel become its winner in semi-global matching.

// subpixel_offset takes these, in 1/16 of what a step of one disparity costs all paths.
enum { SUBPIXEL_SHARED = 10, SUBPIXEL_DAMPING = 3 };

// Offset of the minimum from the lowest of three neighbouring sums, in 1/32 px, -15 to 15: where
// two straight lines of one slope through them meet, (1 - low / high) / 2. Before that
// SUBPIXEL_SHARED is taken from both: next to the winner a path costs up to P1 more only because it
// came over from the winner, and that pulls the position to whole pixels. SUBPIXEL_DAMPING keeps
// costs that hardly differ from deciding. `step_cost`: paths * P1. docs/stereo.md has the bias that
// is left.
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
  index offset = (SUBPIXELS * (high - low) + whole) / (2 * whole);
  if (offset > SUBPIXELS / 2 - 1) offset = SUBPIXELS / 2 - 1;
  return below < above ? -offset : offset;
}

// Is the best cost lower than the best one elsewhere, and by `uniqueness` per cent of it?
lane_fn index is_unique(index best, index elsewhere, index uniqueness) {
  return elsewhere == NO_CANDIDATE ||
         (best < elsewhere && best * 100 <= elsewhere * (100 - uniqueness));
}

// The winner is better than the best one elsewhere by this: 1 to 255.
lane_fn index winner_confidence(index best, index elsewhere) {
  if (elsewhere <= 0) return 1;
  index c = (elsewhere - best) * 255 / elsewhere;
  return c < 1 ? 1 : c;
}

// The winner i as a fixed-point disparity, between whole pixels where both neighbours are
// candidates; UNKNOWN_DISPARITY when it is not unique.
lane_fn index winner_disparity(index i, index best, index elsewhere, index below, index above,
                               index has_neighbours, index uniqueness, index step_cost) {
  if (!is_unique(best, elsewhere, uniqueness)) return UNKNOWN_DISPARITY;
  index between = has_neighbours ? subpixel_offset(below, best, above, step_cost) : 0;
  return i * SUBPIXELS + between;
}
