// SPDX-License-Identifier: BSD-3-Clause
// Fundamental matrices F = x F1 + y F2 + F3 in the null space of six epipolar equations, where F
// diag(f, f, 1) is an essential matrix and q = 1 / f^2.
//   M. Bujnak, Z. Kukelova, T. Pajdla, 3D reconstruction from image collections with a single
//   known focal length, ICCV 2009
// F1 to F3 span the null space, best orthonormally, of points of about unit size.
// This file was written by bifocal-generate from relative_pose_6pt_one_sided_focal.problem: 9
// roots, a template of 11 x 20, multiplication by x.
// Unknowns: x, y, q.
//   F = x*F1 + y*F2 + F3
//   G = F*diag(1, 1, q)*F'
//   det(F) = 0
//   2*G*F - trace(G)*F = 0
// The data are F1 [3][3], F2 [3][3], F3 [3][3], one after the other.

// clang-format off

// out += x*F1 + y*F2 + F3, of degree 1.
lane_fn void relative_pose_6pt_one_sided_focal_value_F(const real* data, real* out) {
  real v0[4]; poly_clear(v0, 4);
  v0[1] = lane(1);
  poly_matrix_product_add(3, poly_matrix_of(v0, 1, 1, 1),
      poly_matrix_of(data, 0, 1, 9), lane(1), out);
  real v1[4]; poly_clear(v1, 4);
  v1[2] = lane(1);
  poly_matrix_product_add(3, poly_matrix_of(v1, 1, 1, 1),
      poly_matrix_of((data + 9), 0, 1, 9), lane(1), out);
  poly_add(3, (data + 18), 0, 9, lane(1), out, 1);
}

// out += F*diag(1, 1, q)*F', of degree 3.
lane_fn void relative_pose_6pt_one_sided_focal_value_G(const real* F, real* out) {
  real v0[90]; poly_clear(v0, 90);
  real v1[36]; poly_clear(v1, 36);
  v1[0] += lane(1);
  (v1 + 16)[0] += lane(1);
  (v1 + 32)[3] += lane(1);
  poly_matrix_product_add(3, poly_matrix_of(F, 1, 3, 3),
      poly_matrix_of(v1, 1, 3, 3), lane(1), v0);
  real v2[36]; poly_clear(v2, 36);
  poly_transpose_add(3, F, 1, 3, 3, v2);
  poly_matrix_product_add(3, poly_matrix_of(v0, 2, 3, 3),
      poly_matrix_of(v2, 1, 3, 3), lane(1), out);
}

// out += det(F), of degree 4.
lane_fn void relative_pose_6pt_one_sided_focal_equation_1(const real* F, real* out) {
  real v0[20]; poly_clear(v0, 20);
  real minor1[10];
  poly_determinant_add(3, F, 1, minor1, v0);
  poly_add(3, v0, 3, 1, lane(1), out, 4);
}

// out += 2*G*F - trace(G)*F, of degree 4.
lane_fn void relative_pose_6pt_one_sided_focal_equation_2(const real* F, const real* G, real* out) {
  real v0[180]; poly_clear(v0, 180);
  poly_add(3, G, 3, 9, lane(2), v0, 3);
  poly_matrix_product_add(3, poly_matrix_of(v0, 3, 3, 3),
      poly_matrix_of(F, 1, 3, 3), lane(1), out);
  real v1[20]; poly_clear(v1, 20);
  for (index i = 0; i < 3; ++i) poly_add(3, G + 80 * i, 3, 1, lane(1), v1, 3);
  poly_matrix_product_add(3, poly_matrix_of(v1, 3, 1, 1),
      poly_matrix_of(F, 1, 1, 9), lane(-1), out);
}

// The equations D [10][35].
lane_fn void relative_pose_6pt_one_sided_focal_equations(const real* data, real* D) {
  real F[36];
  real G[180];
  poly_clear(D, 350);
  poly_clear(F, 36);
  relative_pose_6pt_one_sided_focal_value_F(data, F);
  poly_clear(G, 180);
  relative_pose_6pt_one_sided_focal_value_G(F, G);
  relative_pose_6pt_one_sided_focal_equation_1(F, D + 0);
  relative_pose_6pt_one_sided_focal_equation_2(F, G, D + 35);
}

// roots: [9][3], the unknowns of each; unused slots NaN. Returns their number.
lane_fn real relative_pose_6pt_one_sided_focal_roots(const real* data, real* roots) {
  const index monomials[20] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 16, 17, 22, 24, 27,
      31};
  // The template's columns are
  //   yyyq xxyq yyy xyy yy (excess)
  //   xyyq xxxq xyq xxy xxx x (to reduce)
  //   yyq xxq yq xq xy xx q y 1 (basis).
  const index column[56] = {19, 10, 18, 17, 16, 15, 14, 4, 13, -1, 9, 8, 12, 3, 7, -1, 2, 11, -1,
      -1, -1, -1, 6, -1, 1, -1, -1, 5, -1, -1, -1, 0, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
      -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
  const index equation[11] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0};
  const index shift[33] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
      0, 0, 0, 0, 0, 0, 1, 1, 1};
  const index image[9] = {5, 6, 7, 12, 8, 9, 14, 15, 10};
  const index first[4] = {0, 10, 17, 23};
  const index pairs[46] = {8, 17, 17, 5, 7, 4, 6, 3, 5, 14, 4, 13, 3, 1, 2, 11, 1, 10, 0, 9, 8, 7,
      17, 4, 6, 2, 5, 13, 3, 11, 2, 0, 11, 9, 8, 6, 17, 3, 7, 2, 5, 1, 4, 11, 14, 10};
  const elimination_template t = {.unknowns = 3, .degree = 4, .equations = 10, .used = 20,
      .rows = 11, .reducible = 6, .basis = 9, .monomials = monomials, .equation = equation,
      .shift = shift, .column = column, .image = image, .first = first, .pairs = pairs};
  real D[350], C[200], M[220], A[81], K[138], work[89];
  relative_pose_6pt_one_sided_focal_equations(data, D);
  return template_roots(&t, D, C, M, A, K, work, roots);
}
