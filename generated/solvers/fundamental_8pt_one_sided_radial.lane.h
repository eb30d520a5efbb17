// SPDX-License-Identifier: BSD-3-Clause
// Fundamental matrices F with x2' F (u, v, 1 + k (u^2 + v^2)) = 0 for eight points, k the
// distortion of the first camera in the division model.
//   Y. Kuang, J. E. Solem, F. Kahl, K. Astrom, Minimal solvers for relative pose with a single
//   unknown radial distortion, CVPR 2014
// F = [A, (x, x2, 1)'] with x2 = (x, k x, 1, k) c; the eight equations are solved for the first
// two columns A, for c, and for d with k x2 = (x, k x, 1, k) d.
// This file was written by bifocal-generate from fundamental_8pt_one_sided_radial.problem: 8
// roots, a template of 7 x 15, multiplication by k.
// Unknowns: x, k.
//   m = [x; k*x; 1; k]
//   F = [x*A1 + k*x*A2 + A3 + k*A4, [x; c*m; 1]]
//   k*c*m - d*m = 0
//   det(F) = 0
// The data are A1 [3][2], A2 [3][2], A3 [3][2], A4 [3][2], c [1][4], d [1][4], one after the
// other.

// clang-format off

// out += [x; k*x; 1; k], of degree 2.
lane_fn void fundamental_8pt_one_sided_radial_value_m(real* out) {
  real v0[24]; poly_clear(v0, 24);
  v0[1] += lane(1);
  real v1[3]; poly_clear(v1, 3);
  v1[2] = lane(1);
  real v2[3]; poly_clear(v2, 3);
  v2[1] = lane(1);
  poly_matrix_product_add(2, poly_matrix_of(v1, 1, 1, 1),
      poly_matrix_of(v2, 1, 1, 1), lane(1), (v0 + 6));
  (v0 + 12)[0] += lane(1);
  (v0 + 18)[2] += lane(1);
  poly_add(2, v0, 2, 4, lane(1), out, 2);
}

// out += [x*A1 + k*x*A2 + A3 + k*A4, [x; c*m; 1]], of degree 2.
lane_fn void fundamental_8pt_one_sided_radial_value_F(const real* data, const real* m, real* out) {
  real v0[54]; poly_clear(v0, 54);
  real v1[36]; poly_clear(v1, 36);
  real v2[18]; poly_clear(v2, 18);
  real v3[3]; poly_clear(v3, 3);
  v3[1] = lane(1);
  poly_matrix_product_add(2, poly_matrix_of(v3, 1, 1, 1),
      poly_matrix_of(data, 0, 1, 6), lane(1), v2);
  poly_add(2, v2, 1, 6, lane(1), v1, 2);
  real v4[6]; poly_clear(v4, 6);
  real v5[3]; poly_clear(v5, 3);
  v5[2] = lane(1);
  real v6[3]; poly_clear(v6, 3);
  v6[1] = lane(1);
  poly_matrix_product_add(2, poly_matrix_of(v5, 1, 1, 1),
      poly_matrix_of(v6, 1, 1, 1), lane(1), v4);
  poly_matrix_product_add(2, poly_matrix_of(v4, 2, 1, 1),
      poly_matrix_of((data + 6), 0, 1, 6), lane(1), v1);
  poly_add(2, (data + 12), 0, 6, lane(1), v1, 2);
  real v7[18]; poly_clear(v7, 18);
  real v8[3]; poly_clear(v8, 3);
  v8[2] = lane(1);
  poly_matrix_product_add(2, poly_matrix_of(v8, 1, 1, 1),
      poly_matrix_of((data + 18), 0, 1, 6), lane(1), v7);
  poly_add(2, v7, 1, 6, lane(1), v1, 2);
  for (index i = 0; i < 3; ++i) poly_add(2, v1 + 12 * i, 2, 2, lane(1), v0 + 18 * i, 2);
  real v9[18]; poly_clear(v9, 18);
  v9[1] += lane(1);
  poly_matrix_product_add(2, poly_matrix_of((data + 24), 0, 1, 4),
      poly_matrix_of(m, 2, 4, 1), lane(1), (v9 + 6));
  (v9 + 12)[0] += lane(1);
  for (index i = 0; i < 3; ++i) poly_add(2, v9 + 6 * i, 2, 1, lane(1), (v0 + 12) + 18 * i, 2);
  poly_add(2, v0, 2, 9, lane(1), out, 2);
}

// out += k*c*m - d*m, of degree 6.
lane_fn void fundamental_8pt_one_sided_radial_equation_1(const real* data, const real* m,
    real* out) {
  real v0[10]; poly_clear(v0, 10);
  real v1[12]; poly_clear(v1, 12);
  real v2[3]; poly_clear(v2, 3);
  v2[2] = lane(1);
  poly_matrix_product_add(2, poly_matrix_of(v2, 1, 1, 1),
      poly_matrix_of((data + 24), 0, 1, 4), lane(1), v1);
  poly_matrix_product_add(2, poly_matrix_of(v1, 1, 1, 4),
      poly_matrix_of(m, 2, 4, 1), lane(1), v0);
  poly_add(2, v0, 3, 1, lane(1), out, 6);
  real v3[6]; poly_clear(v3, 6);
  poly_matrix_product_add(2, poly_matrix_of((data + 28), 0, 1, 4),
      poly_matrix_of(m, 2, 4, 1), lane(1), v3);
  poly_add(2, v3, 2, 1, lane(-1), out, 6);
}

// out += det(F), of degree 6.
lane_fn void fundamental_8pt_one_sided_radial_equation_2(const real* F, real* out) {
  real v0[28]; poly_clear(v0, 28);
  real minor1[15];
  poly_determinant_add(2, F, 2, minor1, v0);
  poly_add(2, v0, 6, 1, lane(1), out, 6);
}

// The equations D [2][28].
lane_fn void fundamental_8pt_one_sided_radial_equations(const real* data, real* D) {
  real m[24];
  real F[54];
  poly_clear(D, 56);
  poly_clear(m, 24);
  fundamental_8pt_one_sided_radial_value_m(m);
  poly_clear(F, 54);
  fundamental_8pt_one_sided_radial_value_F(data, m, F);
  fundamental_8pt_one_sided_radial_equation_1(data, m, D + 0);
  fundamental_8pt_one_sided_radial_equation_2(F, D + 28);
}

// roots: [8][2], the unknowns of each; unused slots NaN. Returns their number.
lane_fn real fundamental_8pt_one_sided_radial_roots(const real* data, real* roots) {
  const index monomials[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 17, 18, 24};
  // The template's columns are
  //   xxxkkk xxkkk xkkk (excess)
  //   xxxkk xxkk xkk kk (to reduce)
  //   xxxk xxk xxx xk xx k x 1 (basis).
  const index column[55] = {14, 13, 12, 11, 10, 6, 9, 8, 5, -1, -1, 7, 4, 2, -1, -1, -1, 3, 1, -1,
      -1, -1, -1, -1, 0, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
      -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
  const index equation[7] = {0, 1, 0, 0, 0, 0, 0};
  const index shift[14] = {0, 0, 0, 0, 1, 0, 1, 1, 2, 0, 2, 1, 3, 1};
  const index image[8] = {3, 4, 7, 5, 8, 6, 10, 12};
  const index first[3] = {0, 9, 17};
  const index pairs[34] = {7, 6, 6, 4, 5, 3, 4, 2, 3, 1, 13, 11, 1, 0, 11, 9, 9, 8, 7, 5, 6, 3, 5,
      13, 4, 1, 3, 11, 2, 0, 1, 9, 0, 8};
  const elimination_template t = {.unknowns = 2, .degree = 6, .equations = 2, .used = 16,
      .rows = 7, .reducible = 4, .basis = 8, .monomials = monomials, .equation = equation,
      .shift = shift, .column = column, .image = image, .first = first, .pairs = pairs};
  real D[56], C[32], M[105], A[72], K[123], work[56];
  fundamental_8pt_one_sided_radial_equations(data, D);
  return template_roots(&t, D, C, M, A, K, work, roots);
}
