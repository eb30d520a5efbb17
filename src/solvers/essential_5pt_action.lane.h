// SPDX-License-Identifier: BSD-3-Clause
// Essential matrix from 5 correspondences of calibrated cameras, by eigenvectors: the second of two
// solvers of the same equations (essential_5pt.lane.h).
//   H. Stewenius, C. Engels, D. Nister, Recent developments on direct relative orientation, ISPRS
//   J. 60(4), 2006: Groebner basis by one elimination, solutions by the 10x10 action matrix.
// On E = x N0 + y N1 + z N2 + N3 the ten cubics are solved for the ten monomials of degree 3; the
// monomials of degree <= 2, a basis of all polynomials modulo the equations, are then an
// eigenvector of multiplication by z at every solution.

// Columns of M [10][20] in the order of math/cubic_forms.lane.h, brought into that of the action:
// xxx yyy xxy xyy xxz yyz xyz xzz yzz zzz | xx yy xy xz x yz y zz z 1.
lane_fn void essential_action_order(real* M) {
  for (index i = 0; i < 10; ++i) {
    real* m = M + 20 * i;
    real xx = m[5], yy = m[7], xy = m[9], xz = m[11], x = m[12];
    m[5] = m[6];
    m[6] = m[8];
    m[7] = m[10];
    m[8] = m[13];
    m[9] = m[16];
    m[16] = m[15];
    m[15] = m[14];
    m[10] = xx;
    m[11] = yy;
    m[12] = xy;
    m[13] = xz;
    m[14] = x;
  }
}

// A [10][10]: z b = A b at every solution, with b = (xx yy xy xz x yz y zz z 1), on the null space
// N [4][9].
lane_fn void essential_action_matrix(const real* N, real* A) {
  real M[200];
  essential_constraints(N, M);
  essential_action_order(M);
  essential_eliminate(M);  // rows 4 to 9: xxz yyz xyz xzz yzz zzz
  for (index i = 0; i < 100; ++i) A[i] = lane(0);
  for (index j = 0; j < 10; ++j) {
    for (index i = 0; i < 4; ++i) A[10 * i + j] = -M[20 * (4 + i) + 10 + j];
    A[50 + j] = -M[170 + j];
    A[70 + j] = -M[190 + j];
  }
  A[43] = lane(1);  // z x = xz
  A[65] = lane(1);  // z y = yz
  A[87] = lane(1);  // z z = zz
  A[98] = lane(1);  // z 1 = z
}

// E from an eigenvector b. The products of (x, y, z, 1) with each of its elements are all in b: the
// products with the largest element are what is least disturbed, also where a solution is far away.
lane_fn void essential_at_eigenvector(const real* N, const real* b, real* E) {
  real w0 = b[4], w1 = b[6], w2 = b[8], w3 = b[9];
  real best = fabs(b[9]);
  mask better = fabs(b[7]) > best;
  best = fmax(best, fabs(b[7]));
  w0 = select(better, b[3], w0);
  w1 = select(better, b[5], w1);
  w2 = select(better, b[7], w2);
  w3 = select(better, b[8], w3);
  better = fabs(b[1]) > best;
  best = fmax(best, fabs(b[1]));
  w0 = select(better, b[2], w0);
  w1 = select(better, b[1], w1);
  w2 = select(better, b[5], w2);
  w3 = select(better, b[6], w3);
  better = fabs(b[0]) > best;
  w0 = select(better, b[0], w0);
  w1 = select(better, b[2], w1);
  w2 = select(better, b[3], w2);
  w3 = select(better, b[4], w3);
  // The basis is orthonormal.
  real scale = lane(1) / sqrt(w0 * w0 + w1 * w1 + w2 * w2 + w3 * w3);
  w0 = w0 * scale;
  w1 = w1 * scale;
  w2 = w2 * scale;
  w3 = w3 * scale;
  for (index i = 0; i < 9; ++i) E[i] = w0 * N[i] + w1 * N[9 + i] + w2 * N[18 + i] + w3 * N[27 + i];
}
