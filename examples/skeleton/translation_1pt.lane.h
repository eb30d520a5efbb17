// SPDX-License-Identifier: BSD-3-Clause
// Template of a minimal solver: copy, rename, replace. As src/solvers/translation_1pt.lane.h it is
// part of the library once two lists contain its name (README.md in this folder).
//
// The head of the file describes the problem, the method and its source. Here: the translation
// between two images, x2 = x1 + t, from one correspondence, as the homography
// H = [1 0 tx; 0 1 ty; 0 0 1]. It states the number of solutions (one), the degenerate samples
// (none) and the unit of the input (any).

// The function has the name of the file. `real` holds one number for each lane: a float or double,
// a SIMD register of floats or doubles, or the number of a GPU thread. It cannot be the condition
// of an `if`; use select(). The arguments of a solver for two views are the m points of a sample,
// x1[m] y1[m] x2[m] y2[m], and memory for its solutions. The comment gives their shapes: H is
// row-major with Frobenius norm 1.
lane_fn real translation_1pt(const real* x1, const real* y1, const real* x2, const real* y2,
                             real* H) {
  real tx = x2[0] - x1[0], ty = y2[0] - y1[0];
  // Constants are written lane(1), so that they have the type of a lane.
  real scale = lane(1) / sqrt(lane(3) + tx * tx + ty * ty);
  for (index i = 0; i < 9; ++i) H[i] = lane(0);
  H[0] = H[4] = H[8] = scale;
  H[2] = tx * scale;
  H[5] = ty * scale;
  // Returns the number of solutions in each lane: 0 if the sample is not finite.
  return select(fabs(tx) + fabs(ty) < lane(1e30), lane(1), lane(0));
}
