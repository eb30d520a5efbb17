// SPDX-License-Identifier: BSD-3-Clause
// Essential matrices E with x2' E (u, v, 1 + k (u^2 + v^2)) = 0 for six points, k the distortion
// of the first camera in the division model.
//   Y. Kuang, J. E. Solem, F. Kahl, K. Astrom, Minimal solvers for relative pose with a single
//   unknown radial distortion, CVPR 2014
// The six equations are solved for the first two columns of E, by what the last column (x, y, 1)
// and k times it are multiplied by.
// This file was written by bifocal-generate from essential_6pt_one_sided_radial.problem: 26
// roots, a template of 14 x 40, multiplication by k.
// Unknowns: x, y, k.
//   E = [x*N1 + y*N2 + N3 + k*(x*K1 + y*K2 + K3), [x; y; 1]]
//   G = E*E'
//   det(E) = 0
//   2*G*E - trace(G)*E = 0
// The data are N1 [3][2], N2 [3][2], N3 [3][2], K1 [3][2], K2 [3][2], K3 [3][2], one after the
// other.

// clang-format off

// out += [x*N1 + y*N2 + N3 + k*(x*K1 + y*K2 + K3), [x; y; 1]], of degree 2.
lane_fn void essential_6pt_one_sided_radial_value_E(const real* data, real* out) {
  real v0[90]; poly_clear(v0, 90);
  real v1[60]; poly_clear(v1, 60);
  real v2[24]; poly_clear(v2, 24);
  real v3[4]; poly_clear(v3, 4);
  v3[1] = lane(1);
  poly_matrix_product_add(3, poly_matrix_of(v3, 1, 1, 1),
      poly_matrix_of(data, 0, 1, 6), lane(1), v2);
  poly_add(3, v2, 1, 6, lane(1), v1, 2);
  real v4[24]; poly_clear(v4, 24);
  real v5[4]; poly_clear(v5, 4);
  v5[2] = lane(1);
  poly_matrix_product_add(3, poly_matrix_of(v5, 1, 1, 1),
      poly_matrix_of((data + 6), 0, 1, 6), lane(1), v4);
  poly_add(3, v4, 1, 6, lane(1), v1, 2);
  poly_add(3, (data + 12), 0, 6, lane(1), v1, 2);
  real v6[4]; poly_clear(v6, 4);
  v6[3] = lane(1);
  real v7[24]; poly_clear(v7, 24);
  real v8[4]; poly_clear(v8, 4);
  v8[1] = lane(1);
  poly_matrix_product_add(3, poly_matrix_of(v8, 1, 1, 1),
      poly_matrix_of((data + 18), 0, 1, 6), lane(1), v7);
  real v9[4]; poly_clear(v9, 4);
  v9[2] = lane(1);
  poly_matrix_product_add(3, poly_matrix_of(v9, 1, 1, 1),
      poly_matrix_of((data + 24), 0, 1, 6), lane(1), v7);
  poly_add(3, (data + 30), 0, 6, lane(1), v7, 1);
  poly_matrix_product_add(3, poly_matrix_of(v6, 1, 1, 1),
      poly_matrix_of(v7, 1, 1, 6), lane(1), v1);
  for (index i = 0; i < 3; ++i) poly_add(3, v1 + 20 * i, 2, 2, lane(1), v0 + 30 * i, 2);
  real v10[12]; poly_clear(v10, 12);
  v10[1] += lane(1);
  (v10 + 4)[2] += lane(1);
  (v10 + 8)[0] += lane(1);
  for (index i = 0; i < 3; ++i) poly_add(3, v10 + 4 * i, 1, 1, lane(1), (v0 + 20) + 30 * i, 2);
  poly_add(3, v0, 2, 9, lane(1), out, 2);
}

// out += E*E', of degree 4.
lane_fn void essential_6pt_one_sided_radial_value_G(const real* E, real* out) {
  real v0[90]; poly_clear(v0, 90);
  poly_transpose_add(3, E, 2, 3, 3, v0);
  poly_matrix_product_add(3, poly_matrix_of(E, 2, 3, 3),
      poly_matrix_of(v0, 2, 3, 3), lane(1), out);
}

// out += det(E), of degree 6.
lane_fn void essential_6pt_one_sided_radial_equation_1(const real* E, real* out) {
  real v0[84]; poly_clear(v0, 84);
  real minor1[35];
  poly_determinant_add(3, E, 2, minor1, v0);
  poly_add(3, v0, 6, 1, lane(1), out, 6);
}

// out += 2*G*E - trace(G)*E, of degree 6.
lane_fn void essential_6pt_one_sided_radial_equation_2(const real* E, const real* G, real* out) {
  real v0[315]; poly_clear(v0, 315);
  poly_add(3, G, 4, 9, lane(2), v0, 4);
  poly_matrix_product_add(3, poly_matrix_of(v0, 4, 3, 3),
      poly_matrix_of(E, 2, 3, 3), lane(1), out);
  real v1[35]; poly_clear(v1, 35);
  for (index i = 0; i < 3; ++i) poly_add(3, G + 140 * i, 4, 1, lane(1), v1, 4);
  poly_matrix_product_add(3, poly_matrix_of(v1, 4, 1, 1),
      poly_matrix_of(E, 2, 1, 9), lane(-1), out);
}

// The equations D [10][84].
lane_fn void essential_6pt_one_sided_radial_equations(const real* data, real* D) {
  real E[90];
  real G[315];
  poly_clear(D, 840);
  poly_clear(E, 90);
  essential_6pt_one_sided_radial_value_E(data, E);
  poly_clear(G, 315);
  essential_6pt_one_sided_radial_value_G(E, G);
  essential_6pt_one_sided_radial_equation_1(E, D + 0);
  essential_6pt_one_sided_radial_equation_2(E, G, D + 84);
}

// roots: [26][3], the unknowns of each; unused slots NaN. Returns their number.
lane_fn real essential_6pt_one_sided_radial_roots(const real* data, real* roots) {
  const index monomials[40] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18,
      19, 22, 24, 25, 27, 28, 29, 31, 32, 33, 40, 43, 44, 47, 48, 52, 53, 65, 69, 74, 80};
  // The template's columns are
  //   xykkk xy 1 (excess)
  //   yyykkk xyykkk xxykkk xxxkkk yykkk xxkkk ykkk xkkk xykk xxyk kkk (to reduce)
  //   yyykk xyykk xxykk xxxkk yykk yyyk xyyk xxkk xxxk ykk yyk yyy xkk xyk xyy xxk xxy xxx kk yk yy xk xx k y x (basis).
  const index column[120] = {2, 39, 38, 37, 36, 1, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24,
      23, 13, -1, -1, 22, -1, 12, 21, -1, 20, 11, 10, -1, 19, 18, 9, -1, -1, -1, -1, -1, -1, 17,
      -1, -1, 16, 8, -1, -1, 15, 0, -1, -1, -1, 14, 7, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
      6, -1, -1, -1, 5, -1, -1, -1, -1, 4, -1, -1, -1, -1, -1, 3, -1, -1, -1, -1, -1, -1, -1, -1,
      -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
      -1, -1, -1, -1, -1, -1, -1, -1};
  const index equation[14] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 3, 6, 9};
  const index shift[42] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
      0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  const index image[26] = {3, 4, 5, 6, 7, 14, 15, 8, 17, 9, 18, 19, 10, 11, 20, 21, 12, 22, 13,
      23, 24, 26, 29, 32, 33, 35};
  const index first[4] = {0, 19, 38, 65};
  const index pairs[130] = {25, 22, 23, 21, 22, 17, 21, 15, 20, 14, 19, 13, 18, 12, 15, 8, 13, 42,
      12, 7, 10, 6, 9, 39, 44, 38, 7, 3, 39, 2, 38, 33, 4, 1, 33, 29, 30, 27, 24, 20, 23, 19, 22,
      16, 21, 13, 20, 11, 19, 10, 18, 9, 15, 42, 13, 6, 12, 39, 10, 5, 9, 4, 44, 35, 7, 2, 39, 1,
      4, 0, 35, 30, 33, 28, 30, 26, 25, 21, 24, 19, 23, 18, 22, 15, 21, 12, 20, 10, 19, 9, 18, 44,
      17, 8, 16, 42, 15, 7, 14, 6, 13, 39, 12, 38, 11, 5, 10, 4, 9, 35, 8, 3, 42, 2, 7, 33, 6, 1,
      5, 0, 4, 30, 3, 29, 2, 28, 1, 27, 0, 26};
  const elimination_template t = {.unknowns = 3, .degree = 6, .equations = 10, .used = 40,
      .rows = 14, .reducible = 11, .basis = 26, .monomials = monomials, .equation = equation,
      .shift = shift, .column = column, .image = image, .first = first, .pairs = pairs};
  real D[840], C[400], M[560], A[676], K[835], work[186];
  essential_6pt_one_sided_radial_equations(data, D);
  return template_roots(&t, D, C, M, A, K, work, roots);
}
