// SPDX-License-Identifier: BSD-3-Clause
// Essential matrix and radial distortion k of the first image from 6 correspondences of calibrated
// cameras: x2' E (x1, y1, 1 + k (x1^2 + y1^2)) = 0 (the division model of A. W. Fitzgibbon,
// Simultaneous linear estimation of multiple view geometry and lens distortion, CVPR 2001). Only k
// is unknown in the calibration.
//   Y. Kuang, J. E. Solem, F. Kahl, K. Astrom, Minimal solvers for relative pose with a single
//   unknown radial distortion, CVPR 2014
// Solutions: 0 to 26; solutions with E33 = 0 are not found. None for two equal points or NaN.

// x1, y1, x2, y2: 6 points each. solutions: [26][10], E row-major with Frobenius norm 1, then k;
// unused slots are NaN.
lane_fn real essential_6pt_one_sided_radial(const real* x1, const real* y1, const real* x2,
                                            const real* y2, real* solutions) {
  // Columns of A: E11 E12 E21 E22 E31 E32 | E13 E23 E33 kE13 kE23 kE33
  real A[72], data[36], roots[78], own[10], kept = lane(0);
  for (index i = 0; i < 6; ++i) {
    real y[3] = {x2[i], y2[i], lane(1)}, *a = A + 12 * i, r = x1[i] * x1[i] + y1[i] * y1[i];
    for (index j = 0; j < 3; ++j) {
      a[2 * j] = y[j] * x1[i];
      a[2 * j + 1] = y[j] * y1[i];
      a[6 + j] = y[j];
      a[9 + j] = r * y[j];
    }
  }
  real least = rows_eliminate(A, 6, 12, 6);
  mask independent = least > lane(1e3) * lane_epsilon();
  for (index i = 0; i < 36; ++i) data[i] = -A[12 * (i % 6) + 6 + i / 6];
  real count = essential_6pt_one_sided_radial_roots(data, roots);
  for (index i = 0; i < 260; ++i) solutions[i] = lane_nan();
  for (index s = 0; s < 26 && any(count > lane(s)); ++s) {
    real x = roots[3 * s], y = roots[3 * s + 1], k = roots[3 * s + 2];
    for (index i = 0; i < 6; ++i) {
      const real* a = data + i;
      own[3 * (i / 2) + i % 2] = a[0] * x + a[6] * y + a[12] + k * (a[18] * x + a[24] * y + a[30]);
    }
    own[2] = x;
    own[5] = y;
    own[8] = lane(1);
    own[9] = k;
    mat3_normalise(own);
    kept = solution_keep(independent & (count > lane(s)), own, 10, s, kept, solutions);
  }
  return kept;
}
