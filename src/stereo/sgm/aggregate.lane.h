// SPDX-License-Identifier: BSD-3-Clause
// Costs of semi-global matching, shared by all devices.

// Additional cost, per row of distance, of a match with another row of the right image.
enum { ROWS_APART_PENALTY = 3 };

// Returns the penalty of a disparity jump between neighbours whose brightness differs by g of 255.
// Contrast lowers the penalty, because jumps belong to edges.
//   H. Hirschmueller, Stereo processing by semiglobal matching and mutual information, PAMI
//   30(2), 2008.
lane_fn index jump_penalty(index P2, index contrast, index g) {
  return contrast > 0 ? P2 * contrast / (contrast + g) : P2;
}
