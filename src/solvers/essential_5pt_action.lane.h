// SPDX-License-Identifier: BSD-3-Clause
// Essential matrix from 5 correspondences of calibrated cameras, by eigenvectors: the second of two
// solvers of the same equations (essential_5pt.lane.h).
//   H. Stewenius, C. Engels, D. Nister, Recent developments on direct relative orientation, ISPRS
//   J. 60(4), 2006: Groebner basis by one elimination, solutions by the 10x10 action matrix.
// With E = x N0 + y N1 + z N2 + N3, the ten cubics are solved for the ten monomials of degree
// 3. The monomials of degree <= 2, a basis of all polynomials modulo the equations, are then an
// eigenvector of multiplication by z at every solution. No polynomial of degree 10 is formed,
// and distant solutions are read from the eigenvector like all others. The solver therefore
// fails rarely, at a little over twice the time. Solutions, degenerate samples and units are as
// in essential_5pt.lane.h.

// Reorders the columns of M [10][20] from the order of math/cubic_forms.lane.h to the order of the
// action matrix: xxx yyy xxy xyy xxz yyz xyz xzz yzz zzz | xx yy xy xz x yz y zz z 1.
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

// Computes A [10][10] with z b = A b at every solution, where b = (xx yy xy xz x yz y zz z 1), on
// the null space N [4][9]. A is laid out as real_eigenvalues requires.
lane_fn void essential_action_matrix(const real* N, lane_array A) {
  const index pitch = lane_pitch(10);
  real M[200];
  essential_constraints(N, M);
  essential_action_order(M);
  essential_eliminate(M);  // rows 4 to 9: xxz yyz xyz xzz yzz zzz
  for (index i = 0; i < 10; ++i) {
    for (index j = 0; j < 10; ++j) lane_at(A, pitch * i + j) = lane(0);
  }
  for (index j = 0; j < 10; ++j) {
    for (index i = 0; i < 4; ++i) lane_at(A, pitch * i + j) = -M[20 * (4 + i) + 10 + j];
    lane_at(A, pitch * 5 + j) = -M[170 + j];
    lane_at(A, pitch * 7 + j) = -M[190 + j];
  }
  lane_at(A, pitch * 4 + 3) = lane(1);  // z x = xz
  lane_at(A, pitch * 6 + 5) = lane(1);  // z y = yz
  lane_at(A, pitch * 8 + 7) = lane(1);  // z z = zz
  lane_at(A, pitch * 9 + 8) = lane(1);  // z 1 = z
}

// Computes E from an eigenvector b. The products of (x, y, z, 1) with each of x, y, z, 1 are
// all in b. The products with the largest factor have the smallest relative error, even for
// distant solutions.
lane_fn void essential_at_eigenvector(const real* N, const real* b, real* E) {
  real w0 = b[4], w1 = b[6], w2 = b[8], w3 = b[9];
  real largest = b[9], best = fabs(largest);
  mask better = fabs(b[7]) > best;
  largest = select(better, b[7], largest);
  best = fabs(largest);
  w0 = select(better, b[3], w0);
  w1 = select(better, b[5], w1);
  w2 = select(better, b[7], w2);
  w3 = select(better, b[8], w3);
  better = fabs(b[1]) > best;
  largest = select(better, b[1], largest);
  best = fabs(largest);
  w0 = select(better, b[2], w0);
  w1 = select(better, b[1], w1);
  w2 = select(better, b[5], w2);
  w3 = select(better, b[6], w3);
  better = fabs(b[0]) > best;
  largest = select(better, b[0], largest);
  w0 = select(better, b[0], w0);
  w1 = select(better, b[2], w1);
  w2 = select(better, b[3], w2);
  w3 = select(better, b[4], w3);
  // The basis is orthonormal; the sign makes the largest element positive.
  real scale = copysign(lane(1) / sqrt(w0 * w0 + w1 * w1 + w2 * w2 + w3 * w3), largest);
  w0 = w0 * scale;
  w1 = w1 * scale;
  w2 = w2 * scale;
  w3 = w3 * scale;
  for (index i = 0; i < 9; ++i) E[i] = w0 * N[i] + w1 * N[9 + i] + w2 * N[18 + i] + w3 * N[27 + i];
}

// x1, y1, x2, y2: 5 normalised points each. E: [10][9], row-major with Frobenius norm 1; unused
// slots are NaN. The matrix is not balanced, because balancing was measured to lose accuracy here.
lane_fn real essential_5pt_action(const real* x1, const real* y1, const real* x2, const real* y2,
                                  real* E) {
  real A[100], K[163];  // the matrix, and K for real_eigenvalues with n = 10
  real equations[45], N[36], b[10];
  for (index i = 0; i < 5; ++i) epipolar_equation(x1[i], y1[i], x2[i], y2[i], equations + 9 * i);
  real sine = essential_null_space(equations, N);
  essential_action_matrix(N, A);
  lane_int status;
  lane_int found = real_eigenvalues(A, K, 10, 0, 30, &status);
  mask independent = sine > lane(1e2) * lane_epsilon();
  found = select_int(independent, found, lane_int_of(0));
  real_eigenvalues_sort(K, 10, found);
  real count = lane(0);
  for (index i = 0; i < 90; ++i) E[i] = lane_nan();
  for (index s = 0; s < lanes_max(found); ++s) {
    mask valid = lane_int_of(s) < found;
    real candidate[9];
    real_eigenvector(A, K, 10, 0, s, b);
    essential_at_eigenvector(N, b, candidate);
    for (index i = 0; i < 9; ++i) E[9 * s + i] = select(valid, candidate[i], E[9 * s + i]);
    count = select(valid, lane(s + 1), count);
  }
  return count;
}
