// SPDX-License-Identifier: BSD-3-Clause
// A minimal solver to start from: copy, rename, replace. As src/solvers/translation_1pt.lane.h it
// is in the library once its name stands in two lists (README.md beside this file).
//
// The head says what is solved and where it comes from. Here: the translation between two images,
// x2 = x1 + t, from one correspondence, as the homography H = [1 0 tx; 0 1 ty; 0 0 1]. It names the
// number of solutions (one), the degenerate samples (none) and the unit of the input (any).

// The name of the function is the name of the file. `real` is one number a lane: a float or double,
// a whole SIMD register of them, or a thread's own on a GPU; so there is no `if` on it, but
// select(). The arguments of a solver of two views are the m points of a sample, x1[m] y1[m] x2[m]
// y2[m], and room for its solutions. The docstring gives their shapes: H row-major, Frobenius
// norm 1.
lane_fn real translation_1pt(const real* x1, const real* y1, const real* x2, const real* y2,
                             real* H) {
  real tx = x2[0] - x1[0], ty = y2[0] - y1[0];
  // Constants are written lane(1), so that they have the type of the lane.
  real scale = lane(1) / sqrt(lane(3) + tx * tx + ty * ty);
  for (index i = 0; i < 9; ++i) H[i] = lane(0);
  H[0] = H[4] = H[8] = scale;
  H[2] = tx * scale;
  H[5] = ty * scale;
  // The value is how many solutions there are, in each lane: none where the sample is not finite.
  return select(fabs(tx) + fabs(ty) < lane(1e30), lane(1), lane(0));
}
