// SPDX-License-Identifier: BSD-3-Clause
// Family of problems, in front of the family epipolar: matches with the depths that a network has
// told of their points from each picture alone. Samples are solved by them; errors are without.

enum {
  COLUMNS = 6,  // numbers of a point: x1 y1 x2 y2 depth1 depth2
  DEPTHS = 2    // of these, the last ones
};
