// SPDX-License-Identifier: BSD-3-Clause
// Rules that derive the winner of a pixel from its sums in semi-global matching.

// Parameters of subpixel_offset, in 1/16 of the cost of a step of one disparity in all paths.
enum { SUBPIXEL_SHARED = 10, SUBPIXEL_DAMPING = 3 };

// Returns the offset of the minimum from the lowest of three neighbouring sums, in 1/32 px, -15 to
// 15. The minimum is the intersection of two straight lines with opposite slopes through the sums,
// (1 - low / high) / 2. SUBPIXEL_SHARED is first subtracted from both differences: next to the
// winner a path costs up to P1 more only because it came from the winner, and this pulls the
// position to whole pixels. SUBPIXEL_DAMPING keeps nearly equal costs from deciding. step_cost:
// paths * P1. docs/stereo.md has the remaining bias.
//   M. Shimizu, M. Okutomi, Sub-pixel estimation error cancellation on area-based matching, IJCV
//   63(3), 2005, has the effect; I. Haller, S. Nedevschi, Design of interpolation functions for
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

// Returns whether the best cost is lower than the best cost elsewhere, and lower by at least
// `uniqueness` per cent of the latter.
lane_fn index is_unique(index best, index elsewhere, index uniqueness) {
  return elsewhere == NO_CANDIDATE ||
         (best < elsewhere && best * 100 <= elsewhere * (100 - uniqueness));
}

// Returns the relative distance of the winner to the best cost elsewhere, 1 to 255.
lane_fn index winner_confidence(index best, index elsewhere) {
  if (elsewhere <= 0) return 1;
  index c = (elsewhere - best) * 255 / elsewhere;
  return c < 1 ? 1 : c;
}

// Returns winner i as a fixed-point disparity, between whole pixels if both neighbours are
// candidates, or UNKNOWN_DISPARITY if the winner is not unique.
lane_fn index winner_disparity(index i, index best, index elsewhere, index below, index above,
                               index has_neighbours, index uniqueness, index step_cost) {
  if (!is_unique(best, elsewhere, uniqueness)) return UNKNOWN_DISPARITY;
  index between = has_neighbours ? subpixel_offset(below, best, above, step_cost) : 0;
  return i * SUBPIXELS + between;
}
