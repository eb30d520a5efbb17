// SPDX-License-Identifier: BSD-3-Clause
// Fundamental matrix and radial distortion k shared by both images of one camera, from 9
// correspondences: x2(k)' F x1(k) = 0 with x(k) = (x, y, 1 + k (x^2 + y^2)), with the centre
// of distortion as the origin. det F = 0 is not enforced: nine points are one more than a
// minimal sample.
//   A. W. Fitzgibbon, Simultaneous linear estimation of multiple view geometry and lens distortion,
//   CVPR 2001
// Solutions: 0 to 6; solutions with F33 = 0 are not found. None for two equal points or NaN.
// Coordinates of about unit size.

// x1, y1, x2, y2: 9 points each. solutions: [6][10], F row-major with Frobenius norm 1, then k;
// unused slots are NaN.
lane_fn real fundamental_9pt_shared_radial(const real* x1, const real* y1, const real* x2,
                                           const real* y2, real* solutions) {
  // Columns of A: F11 F12 F21 F22 kF13 kF23 kF31 kF32 k^2F33 | F13 F23 F31 F32 F33 kF33
  real A[135], data[30], roots[30], own[10], kept = lane(0);
  for (index i = 0; i < 9; ++i) {
    real *a = A + 15 * i, r = x1[i] * x1[i] + y1[i] * y1[i], s = x2[i] * x2[i] + y2[i] * y2[i];
    real single[4] = {x2[i], y2[i], x1[i], y1[i]};
    for (index j = 0; j < 4; ++j) {
      a[j] = single[j / 2] * single[2 + j % 2];
      a[4 + j] = (j < 2 ? r : s) * single[j];
      a[9 + j] = single[j];
    }
    a[8] = r * s;
    a[13] = lane(1);
    a[14] = r + s;
  }
  real least = rows_eliminate(A, 9, 15, 9);
  mask independent = least > lane(3e3) * lane_epsilon();
  for (index i = 0; i < 30; ++i) data[i] = -A[60 + 15 * (i / 6) + 9 + i % 6];
  real count = fundamental_9pt_shared_radial_roots(data, roots);
  for (index i = 0; i < 60; ++i) solutions[i] = lane_nan();
  for (index s = 0; s < 6 && any(count > lane(s)); ++s) {
    const real* b = roots + 5 * s;  // F13 F23 F31 F32 k
    for (index i = 0; i < 4; ++i) {
      const real* a = A + 15 * i + 9;
      own[3 * (i / 2) + i % 2] =
          -(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] + a[5] * b[4]);
    }
    own[2] = b[0];
    own[5] = b[1];
    own[6] = b[2];
    own[7] = b[3];
    own[8] = lane(1);
    own[9] = b[4];
    mat3_normalise(own);
    kept = solution_keep(independent & (count > lane(s)), own, 10, s, kept, solutions);
  }
  return kept;
}
