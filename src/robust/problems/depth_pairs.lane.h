// SPDX-License-Identifier: BSD-3-Clause
// Family of problems, included before the family epipolar: matches with monocular depth predictions
// for both points. Only the solvers of samples use the depths; errors do not depend on them.

enum {
  COLUMNS = 6,  // numbers per point: x1 y1 x2 y2 depth1 depth2
  DEPTHS = 2    // the last two numbers
};
