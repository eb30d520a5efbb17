// SPDX-License-Identifier: BSD-3-Clause
// Fundamental matrix of rank 2 from 8 correspondences: x2' F x1 = 0.
//   R. Hartley, In defense of the eight-point algorithm, PAMI 19(6), 1997: points shifted and
//   scaled to mean distance sqrt(2), linear null vector, smallest singular value removed.
// Solutions: 1; 0 for dependent equations (two equal points, a plane, ...) or NaN. Coordinates in
// any unit, because the solver normalises them.

// Converts F to the original coordinates of the points: T2' F T1.
lane_fn void fundamental_denormalise(real* F, const real* normal1, const real* normal2) {
  for (index i = 0; i < 3; ++i) {
    F[3 * i + 2] -= normal1[0] * (F[3 * i] * normal1[1] + F[3 * i + 1] * normal1[2]);
    F[3 * i] = F[3 * i] * normal1[0];
    F[3 * i + 1] = F[3 * i + 1] * normal1[0];
  }
  for (index j = 0; j < 3; ++j) {
    F[6 + j] -= normal2[0] * (F[j] * normal2[1] + F[3 + j] * normal2[2]);
    F[j] = F[j] * normal2[0];
    F[3 + j] = F[3 + j] * normal2[0];
  }
}

// Replaces A by the nearest matrix of rank 2 in the Frobenius norm, A (I - v v') with v the last
// right singular vector. v is the leading right singular vector of the cofactors, computed by
// repeated squaring of their Gram matrix. Six squarings separate singular values that differ by 20
// %. If they differ less, the result is still singular and nearly as close.
lane_fn void mat3_rank2(real* A) {
  real cofactors[9], gram[9], squared[9], v[3], Av[3];
  mat3_cofactors(A, cofactors);
  for (index i = 0; i < 3; ++i) {
    for (index j = 0; j < 3; ++j) {
      gram[3 * i + j] = cofactors[i] * cofactors[j] + cofactors[3 + i] * cofactors[3 + j] +
                        cofactors[6 + i] * cofactors[6 + j];
    }
  }
  for (index k = 0; k < 6; ++k) {
    mat3_scale(gram, lane(1) / (gram[0] + gram[4] + gram[8]));
    mat3_mul(gram, gram, squared);
    for (index i = 0; i < 9; ++i) gram[i] = squared[i];
  }
  mask second = gram[4] > gram[0];
  mask third = gram[8] > fmax(gram[0], gram[4]);
  for (index i = 0; i < 3; ++i)
    v[i] = select(third, gram[6 + i], select(second, gram[3 + i], gram[i]));
  mat3_apply(A, v, Av);
  real scale = lane(1) / vec3_dot(v, v);
  for (index i = 0; i < 9; ++i) A[i] -= scale * Av[i / 3] * v[i % 3];
}

// x1, y1, x2, y2: 8 points each. F: [9], row-major with Frobenius norm 1; NaN without a solution.
lane_fn real fundamental_8pt(const real* x1, const real* y1, const real* x2, const real* y2,
                             real* F) {
  real a[8], b[8], c[8], d[8], normal1[3], normal2[3], A[72];
  points_normalise(x1, y1, 8, a, b, normal1);
  points_normalise(x2, y2, 8, c, d, normal2);
  for (index i = 0; i < 8; ++i) epipolar_equation(a[i], b[i], c[i], d[i], A + 9 * i);
  real sine = null_space(A, 8, 9, F);
  mat3_rank2(F);
  fundamental_denormalise(F, normal1, normal2);
  mask valid = sine > lane(1e2) * lane_epsilon();
  mat3_scale(F, select(valid, lane(1) / sqrt(mat3_dot(F, F)), lane_nan()));
  return select(valid, lane(1), lane(0));
}
