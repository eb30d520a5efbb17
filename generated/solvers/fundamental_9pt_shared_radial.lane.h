// SPDX-License-Identifier: BSD-3-Clause
// Fundamental matrices F with x2(k)' F x1(k) = 0, x(k) = (u, v, 1 + k (u^2 + v^2)), k the
// distortion of both cameras in the division model.
//   A. W. Fitzgibbon, Simultaneous linear estimation of multiple view geometry and lens
//   distortion, CVPR 2001
// b = (x, y, z, w) are F13, F23, F31, F32 where F33 = 1. The nine equations are solved for the
// other four elements of F, which follow from b and k, and for k b and k^2 = D (b, 1, k).
// This file was written by bifocal-generate from fundamental_9pt_shared_radial.problem: 6 roots,
// a template of 5 x 11, multiplication by k.
// Unknowns: x, y, z, w, k.
//   b = [x; y; z; w]
//   k*[b; k] - D*[b; 1; k] = 0
// The data are D [5][6], one after the other.

// clang-format off

// out += [x; y; z; w], of degree 1.
lane_fn void fundamental_9pt_shared_radial_value_b(real* out) {
  real v0[24]; poly_clear(v0, 24);
  v0[1] += lane(1);
  (v0 + 6)[2] += lane(1);
  (v0 + 12)[3] += lane(1);
  (v0 + 18)[4] += lane(1);
  poly_add(5, v0, 1, 4, lane(1), out, 1);
}

// out += k*[b; k] - D*[b; 1; k], of degree 2.
lane_fn void fundamental_9pt_shared_radial_equation_1(const real* data, const real* b, real* out) {
  real v0[6]; poly_clear(v0, 6);
  v0[5] = lane(1);
  real v1[30]; poly_clear(v1, 30);
  for (index i = 0; i < 4; ++i) poly_add(5, b + 6 * i, 1, 1, lane(1), v1 + 6 * i, 1);
  (v1 + 24)[5] += lane(1);
  poly_matrix_product_add(5, poly_matrix_of(v0, 1, 1, 1),
      poly_matrix_of(v1, 1, 1, 5), lane(1), out);
  real v2[30]; poly_clear(v2, 30);
  real v3[36]; poly_clear(v3, 36);
  for (index i = 0; i < 4; ++i) poly_add(5, b + 6 * i, 1, 1, lane(1), v3 + 6 * i, 1);
  (v3 + 24)[0] += lane(1);
  (v3 + 30)[5] += lane(1);
  poly_matrix_product_add(5, poly_matrix_of(data, 0, 5, 6),
      poly_matrix_of(v3, 1, 6, 1), lane(1), v2);
  poly_add(5, v2, 1, 5, lane(-1), out, 2);
}

// The equations D [5][21].
lane_fn void fundamental_9pt_shared_radial_equations(const real* data, real* D) {
  real b[24];
  poly_clear(D, 105);
  poly_clear(b, 24);
  fundamental_9pt_shared_radial_value_b(b);
  fundamental_9pt_shared_radial_equation_1(data, b, D + 0);
}

// roots: [6][5], the unknowns of each; unused slots NaN. Returns their number.
lane_fn real fundamental_9pt_shared_radial_roots(const real* data, real* roots) {
  const index monomials[11] = {0, 1, 2, 3, 4, 5, 10, 14, 17, 19, 20};
  // The template's columns are
  //   kk wk zk yk xk (to reduce)
  //   k w z y x 1 (basis).
  const index column[21] = {10, 9, 8, 7, 6, 5, -1, -1, -1, -1, 4, -1, -1, -1, 3, -1, -1, 2, -1, 1,
      0};
  const index equation[5] = {0, 1, 2, 3, 4};
  const index shift[25] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
      0};
  const index image[6] = {0, 1, 2, 3, 4, 5};
  const index first[6] = {0, 2, 4, 6, 8, 14};
  const index pairs[28] = {5, 4, 0, 10, 5, 3, 0, 9, 5, 2, 0, 8, 5, 1, 0, 7, 5, 0, 4, 10, 3, 9, 2,
      8, 1, 7, 0, 6};
  const elimination_template t = {.unknowns = 5, .degree = 2, .equations = 5, .used = 11,
      .rows = 5, .reducible = 5, .basis = 6, .monomials = monomials, .equation = equation,
      .shift = shift, .column = column, .image = image, .first = first, .pairs = pairs};
  real D[105], C[55], M[55], A[36], K[75], work[72];
  fundamental_9pt_shared_radial_equations(data, D);
  return template_roots(&t, D, C, M, A, K, work, roots);
}
