// SPDX-License-Identifier: BSD-3-Clause
// Costs of semi-global matching.

// A match with the right picture's row k rows away costs this much more, times k.
enum { ROWS_APART_PENALTY = 3 };

// Penalty of a jump between neighbours whose brightness differs by g of 255: jumps belong to edges.
//   H. Hirschmueller, Stereo processing by semiglobal matching and mutual information, PAMI 30(2),
//   2008.
lane_fn index jump_penalty(index P2, index contrast, index g) {
  return contrast > 0 ? P2 * contrast / (contrast + g) : P2;
}
