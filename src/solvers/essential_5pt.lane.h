// SPDX-License-Identifier: BSD-3-Clause
// Essential matrix from 5 correspondences of calibrated cameras. The equations are x2' E x1 = 0,
// det E = 0 and 2 E E' E - trace(E E') E = 0.
//   D. Nister, An efficient solution to the five-point relative pose problem, PAMI 26(6), 2004;
//   H. Stewenius, C. Engels, D. Nister, Recent developments on direct relative orientation, ISPRS
//   J. 60(4), 2006 (the ten equations).
// The null space of the five linear equations gives E = x N0 + y N1 + z N2 + N3. The ten cubics
// in x, y, z are reduced by elimination to a 3x3 matrix of polynomials in z that is singular at
// the solutions.
// Solutions: 0 to 10, an even number unless rounding merges two. None for dependent equations
// (two equal points, ...) or NaN. Planar scenes are solved, with a second family of solutions;
// without translation the solutions are arbitrary members of [t]x R. Points are normalised by
// the intrinsics.

// Computes a row of the 3x3 matrix of polynomials in z from rows `a` (times 1) and `b` (times -z)
// of the eliminated system: the coefficients of x (4), y (4) and 1 (5), lowest power first.
lane_fn void essential_row(const real* a, const real* b, real* out) {
  out[0] = a[12];
  out[1] = a[11] - b[12];
  out[2] = a[10] - b[11];
  out[3] = -b[10];
  out[4] = a[15];
  out[5] = a[14] - b[15];
  out[6] = a[13] - b[14];
  out[7] = -b[13];
  out[8] = a[19];
  out[9] = a[18] - b[19];
  out[10] = a[17] - b[18];
  out[11] = a[16] - b[17];
  out[12] = -b[16];
}

// Computes the determinant of the matrix of polynomials B [3][13]: 11 coefficients.
lane_fn void essential_polynomial(const real* B, real* p) {
  for (index i = 0; i < 11; ++i) p[i] = lane(0);
  for (index r = 0; r < 3; ++r) {
    const real* a = B + 13 * ((r + 1) % 3);
    const real* b = B + 13 * ((r + 2) % 3);
    real minor[7];
    for (index i = 0; i < 7; ++i) minor[i] = lane(0);
    for (index i = 0; i < 4; ++i) {
      for (index j = 0; j < 4; ++j) minor[i + j] += a[i] * b[4 + j] - a[4 + i] * b[j];
    }
    for (index i = 0; i < 7; ++i) {
      for (index j = 0; j < 5; ++j) p[i + j] += minor[i] * B[13 * r + 8 + j];
    }
  }
}

// Computes E at the root z, in homogeneous form: (u, 1) with u = z for |z| <= 1, and (1, u) with u
// = 1 / z otherwise.
lane_fn void essential_at_root(const real* N, const real* B, real z, real* E) {
  mask beyond = fabs(z) > lane(1);
  real u = select(beyond, lane(1) / z, z);
  real rows[9];
  for (index r = 0; r < 3; ++r) {
    const real* b = B + 13 * r;
    for (index k = 0; k < 2; ++k) {
      real v = select(beyond, b[4 * k], b[4 * k + 3]);
      for (index i = 2; i >= 0; --i) v = v * u + select(beyond, b[4 * k + 3 - i], b[4 * k + i]);
      rows[3 * r + k] = v;
    }
    real v = select(beyond, b[8], b[12]);
    for (index i = 3; i >= 0; --i) v = v * u + select(beyond, b[12 - i], b[8 + i]);
    rows[3 * r + 2] = v;
  }
  // The null vector of the singular matrix: the longest cross product of two rows.
  real crosses[9];
  mat3_cofactors(rows, crosses);
  real best = vec3_dot(crosses, crosses);
  for (index r = 1; r < 3; ++r) {
    real length2 = vec3_dot(crosses + 3 * r, crosses + 3 * r);
    mask better = length2 > best;
    best = fmax(best, length2);
    for (index k = 0; k < 3; ++k) crosses[k] = select(better, crosses[3 * r + k], crosses[k]);
  }
  real s = select(beyond, lane(1), u) * crosses[2], t = select(beyond, u, lane(1)) * crosses[2];
  // The basis is orthonormal. A matrix of rank 1 or less, for example from identical images, leaves
  // x and y undetermined; then E is N3.
  real length2 = crosses[0] * crosses[0] + crosses[1] * crosses[1] + s * s + t * t;
  real scale = lane(1) / sqrt(length2);
  mask known = (scale > lane(0)) & (length2 > lane(0));
  real w0 = select(known, scale * crosses[0], lane(0));
  real w1 = select(known, scale * crosses[1], lane(0));
  real w2 = select(known, scale * s, lane(0)), w3 = select(known, scale * t, lane(1));
  for (index i = 0; i < 9; ++i) E[i] = w0 * N[i] + w1 * N[9 + i] + w2 * N[18 + i] + w3 * N[27 + i];
}

// Computes the null space N [4][9], the matrix of polynomials B [3][13] and the values of z [10]
// for which essential_at_root returns E. x1, y1, x2, y2: 5 normalised points each. Returns the
// number of solutions.
lane_fn real essential_5pt_roots(const real* x1, const real* y1, const real* x2, const real* y2,
                                 real* N, real* B, real* roots) {
  real A[45], M[200], p[11];
  for (index i = 0; i < 5; ++i) epipolar_equation(x1[i], y1[i], x2[i], y2[i], A + 9 * i);
  real sine = essential_null_space(A, N);
  essential_constraints(N, M);
  essential_eliminate(M);
  for (index r = 0; r < 3; ++r) essential_row(M + 80 + 40 * r, M + 100 + 40 * r, B + 13 * r);
  essential_polynomial(B, p);
  real count = real_roots_10(p, roots);
  return select(sine > lane(1e2) * lane_epsilon(), count, lane(0));
}

// E: [10][9], row-major with Frobenius norm 1; unused slots are NaN.
lane_fn real essential_5pt(const real* x1, const real* y1, const real* x2, const real* y2,
                           real* E) {
  real N[36], B[39], roots[10];
  real count = essential_5pt_roots(x1, y1, x2, y2, N, B, roots);
  for (index s = 0; s < 10; ++s) {
    mask valid = count > lane(s);
    for (index i = 0; i < 9; ++i) E[9 * s + i] = lane_nan();
    if (any(valid)) {
      real candidate[9];
      essential_at_root(N, B, roots[s], candidate);
      for (index i = 0; i < 9; ++i) E[9 * s + i] = select(valid, candidate[i], E[9 * s + i]);
    }
  }
  return count;
}
