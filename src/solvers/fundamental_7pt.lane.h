// SPDX-License-Identifier: BSD-3-Clause
// Fundamental matrix from 7 correspondences: x2' F x1 = 0, det F = 0.
// The equations leave a pencil F0 + s F1; its singular members are the roots of a cubic (R.
// Hartley, A. Zisserman, Multiple View Geometry, 2nd ed., 11.1.2). Solutions: 1 or 3; 0 for
// dependent equations (equal points, 4 collinear, ...), when every member of the pencil is singular
// (6 of the points on a plane and others), or for NaN.
// Coordinates about unit size (pixels divided by about half the image's width, origin anywhere
// inside the image).

// x1, y1, x2, y2: 7 points each. F: [3][9], row-major, Frobenius norm 1; unused slots NaN.
lane_fn real fundamental_7pt(const real* x1, const real* y1, const real* x2, const real* y2,
                             real* F) {
  real A[63], N[18];
  for (index i = 0; i < 7; ++i) epipolar_equation(x1[i], y1[i], x2[i], y2[i], A + 9 * i);
  real sine = null_space_9(A, 7, N);

  // det(s N0 + t N1) is a cubic form. It cannot vanish in four directions unless it is zero, so one
  // of (1,0), (0,1), (1,1), (1,-1) is far from all roots; that one becomes the infinite direction
  // F1.
  real cofactors0[9], cofactors1[9];
  mat3_cofactors(N, cofactors0);
  mat3_cofactors(N + 9, cofactors1);
  real c0 = vec3_dot(N, cofactors0), c3 = vec3_dot(N + 9, cofactors1);
  real c1 = mat3_dot(cofactors0, N + 9), c2 = mat3_dot(cofactors1, N);
  real plus = c0 + c1 + c2 + c3, minus = c0 - c1 + c2 - c3;
  real s = lane(1), t = lane(0), best = fabs(c0);
  mask better = fabs(c3) > best;
  s = select(better, lane(0), s);
  t = select(better, lane(1), t);
  best = fmax(best, fabs(c3));
  // The diagonals' vectors are longer by sqrt(2), their determinants by sqrt(8).
  better = lane(0.35355339059327373) * fabs(plus) > best;
  s = select(better, lane(0.70710678118654752), s);
  t = select(better, lane(0.70710678118654752), t);
  best = fmax(best, lane(0.35355339059327373) * fabs(plus));
  better = lane(0.35355339059327373) * fabs(minus) > best;
  s = select(better, lane(0.70710678118654752), s);
  t = select(better, lane(-0.70710678118654752), t);
  best = fmax(best, lane(0.35355339059327373) * fabs(minus));

  real F0[9], F1[9];
  for (index i = 0; i < 9; ++i) {
    F1[i] = s * N[i] + t * N[9 + i];
    F0[i] = s * N[9 + i] - t * N[i];
  }
  mat3_cofactors(F0, cofactors0);
  mat3_cofactors(F1, cofactors1);
  real inverse = lane(1) / vec3_dot(F1, cofactors1);
  real roots[3];
  real count = cubic_roots(inverse * mat3_dot(cofactors1, F0), inverse * mat3_dot(cofactors0, F1),
                           inverse * vec3_dot(F0, cofactors0), roots);
  mask valid = (sine > lane(1e2) * lane_epsilon()) & (best > lane(1e2) * lane_epsilon());
  count = select(valid, count, lane(0));
  for (index k = 0; k < 3; ++k) {
    // F0 and F1 are orthonormal.
    real f1 = lane(1) / sqrt(lane(1) + roots[k] * roots[k]);
    f1 = select(count > lane(k), f1, lane_nan());
    real f0 = f1;
    f1 = f1 * roots[k];
    for (index i = 0; i < 9; ++i) F[9 * k + i] = f0 * F0[i] + f1 * F1[i];
  }
  return count;
}
