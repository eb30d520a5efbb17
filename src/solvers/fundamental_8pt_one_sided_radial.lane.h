// SPDX-License-Identifier: BSD-3-Clause
// Fundamental matrix and radial distortion k of the first image from 8 correspondences: x2' F (x1,
// y1, 1 + k (x1^2 + y1^2)) = 0, with the centre of distortion as the origin of image 1 (the
// division model of A. W. Fitzgibbon, Simultaneous linear estimation of multiple view geometry and
// lens distortion, CVPR 2001).
//   Y. Kuang, J. E. Solem, F. Kahl, K. Astrom, Minimal solvers for relative pose with a single
//   unknown radial distortion, CVPR 2014
// Solutions: 0 to 8; solutions with F33 = 0 are not found. None for two equal points or NaN.
// Coordinates of about unit size.

// x1, y1, x2, y2: 8 points each. solutions: [8][10], F row-major with Frobenius norm 1, then k;
// unused slots are NaN.
lane_fn real fundamental_8pt_one_sided_radial(const real* x1, const real* y1, const real* x2,
                                              const real* y2, real* solutions) {
  // Columns of A: F11 F12 F21 F22 F31 F32 F23 kF23 | F13 kF13 F33 kF33
  real A[96], data[32], roots[16], own[10], kept = lane(0);
  for (index i = 0; i < 8; ++i) {
    real y[3] = {x2[i], y2[i], lane(1)}, *a = A + 12 * i, r = x1[i] * x1[i] + y1[i] * y1[i];
    for (index j = 0; j < 3; ++j) {
      a[2 * j] = y[j] * x1[i];
      a[2 * j + 1] = y[j] * y1[i];
    }
    a[6] = y2[i];
    a[7] = r * y2[i];
    a[8] = x2[i];
    a[9] = r * x2[i];
    a[10] = lane(1);
    a[11] = r;
  }
  real least = rows_eliminate(A, 8, 12, 8);
  mask independent = least > lane(1e3) * lane_epsilon();
  for (index i = 0; i < 24; ++i) data[i] = -A[12 * (i % 6) + 8 + i / 6];
  for (index i = 0; i < 8; ++i) data[24 + i] = -A[72 + 12 * (i / 4) + 8 + i % 4];
  real count = fundamental_8pt_one_sided_radial_roots(data, roots);
  for (index i = 0; i < 80; ++i) solutions[i] = lane_nan();
  for (index s = 0; s < 8 && any(count > lane(s)); ++s) {
    real x = roots[2 * s], k = roots[2 * s + 1], first[7];
    for (index i = 0; i < 7; ++i)
      first[i] = -(A[12 * i + 8] * x + A[12 * i + 9] * k * x + A[12 * i + 10] + A[12 * i + 11] * k);
    for (index i = 0; i < 6; ++i) own[3 * (i / 2) + i % 2] = first[i];
    own[2] = x;
    own[5] = first[6];
    own[8] = lane(1);
    own[9] = k;
    mat3_normalise(own);
    kept = solution_keep(independent & (count > lane(s)), own, 10, s, kept, solutions);
  }
  return kept;
}
