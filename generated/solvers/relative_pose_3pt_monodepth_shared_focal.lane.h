// SPDX-License-Identifier: BSD-3-Clause
// Focal length f, q = 1 / f^2, with depths a_i of the first and s (b_i + u) of the second
// picture: distances of points are the same in both, w = s^2.
//   Y. Ding, V. Kocur, V. Vavra, Z. B. Haladova, J. Yang, T. Sattler, Z. Kukelova, RePoseD:
//   Efficient relative pose estimation with known depth information, ICCV 2025
// For points i, j: A = |a_i x_i - a_j x_j|^2, B = (a_i - a_j)^2; |(b_i + u) y_i - (b_j + u)
// y_j|^2 = C0 + C1 u + C2 u^2 and D = (b_i - b_j)^2, three pairs in a column.
// This file was written by bifocal-generate from
// relative_pose_3pt_monodepth_shared_focal.problem: 4 roots, a template of 6 x 10, multiplication
// by q.
// Unknowns: q, w, u.
//   A*q + B - w*(q*(C0 + u*C1 + u*u*C2) + D) = 0
// The data are A [3][1], B [3][1], C0 [3][1], C1 [3][1], C2 [3][1], D [3][1], one after the
// other.

// clang-format off

// out += A*q + B - w*(q*(C0 + u*C1 + u*u*C2) + D), of degree 4.
lane_fn void relative_pose_3pt_monodepth_shared_focal_equation_1(const real* data, real* out) {
  real v0[12]; poly_clear(v0, 12);
  real v1[4]; poly_clear(v1, 4);
  v1[1] = lane(1);
  poly_matrix_product_add(3, poly_matrix_of(data, 0, 3, 1),
      poly_matrix_of(v1, 1, 1, 1), lane(1), v0);
  poly_add(3, v0, 1, 3, lane(1), out, 4);
  poly_add(3, (data + 3), 0, 3, lane(1), out, 4);
  real v2[4]; poly_clear(v2, 4);
  v2[2] = lane(1);
  real v3[60]; poly_clear(v3, 60);
  real v4[4]; poly_clear(v4, 4);
  v4[1] = lane(1);
  real v5[30]; poly_clear(v5, 30);
  poly_add(3, (data + 6), 0, 3, lane(1), v5, 2);
  real v6[12]; poly_clear(v6, 12);
  real v7[4]; poly_clear(v7, 4);
  v7[3] = lane(1);
  poly_matrix_product_add(3, poly_matrix_of(v7, 1, 1, 1),
      poly_matrix_of((data + 9), 0, 1, 3), lane(1), v6);
  poly_add(3, v6, 1, 3, lane(1), v5, 2);
  real v8[10]; poly_clear(v8, 10);
  real v9[4]; poly_clear(v9, 4);
  v9[3] = lane(1);
  real v10[4]; poly_clear(v10, 4);
  v10[3] = lane(1);
  poly_matrix_product_add(3, poly_matrix_of(v9, 1, 1, 1),
      poly_matrix_of(v10, 1, 1, 1), lane(1), v8);
  poly_matrix_product_add(3, poly_matrix_of(v8, 2, 1, 1),
      poly_matrix_of((data + 12), 0, 1, 3), lane(1), v5);
  poly_matrix_product_add(3, poly_matrix_of(v4, 1, 1, 1),
      poly_matrix_of(v5, 2, 1, 3), lane(1), v3);
  poly_add(3, (data + 15), 0, 3, lane(1), v3, 3);
  poly_matrix_product_add(3, poly_matrix_of(v2, 1, 1, 1),
      poly_matrix_of(v3, 3, 1, 3), lane(-1), out);
}

// The equations D [3][35].
lane_fn void relative_pose_3pt_monodepth_shared_focal_equations(const real* data, real* D) {
  poly_clear(D, 105);
  relative_pose_3pt_monodepth_shared_focal_equation_1(data, D + 0);
}

// roots: [4][3], the unknowns of each; unused slots NaN. Returns their number.
lane_fn real relative_pose_3pt_monodepth_shared_focal_roots(const real* data, real* roots) {
  const index monomials[6] = {0, 1, 2, 5, 14, 28};
  // The template's columns are
  //   qwuuu qwuu (excess)
  //   qwu qu qw q (to reduce)
  //   wu u w 1 (basis).
  const index column[56] = {9, 5, 8, 7, -1, 4, 3, -1, 6, -1, -1, -1, -1, -1, 2, -1, -1, -1, -1,
      -1, -1, -1, -1, -1, -1, -1, -1, -1, 1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
      -1, -1, -1, -1, -1, -1, 0, -1, -1, -1, -1, -1, -1, -1};
  const index equation[6] = {0, 1, 2, 0, 1, 2};
  const index shift[18] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  const index image[4] = {2, 3, 4, 5};
  const index first[4] = {0, 4, 8, 12};
  const index pairs[24] = {3, 7, 2, 6, 1, 5, 0, 4, 3, 2, 7, 6, 1, 0, 5, 4, 3, 1, 7, 5, 2, 0, 6,
      4};
  const elimination_template t = {.unknowns = 3, .degree = 4, .equations = 3, .used = 6, .rows = 6,
      .reducible = 4, .basis = 4, .monomials = monomials, .equation = equation, .shift = shift,
      .column = column, .image = image, .first = first, .pairs = pairs};
  real D[105], C[18], M[60], A[16], K[43], work[28];
  relative_pose_3pt_monodepth_shared_focal_equations(data, D);
  return template_roots(&t, D, C, M, A, K, work, roots);
}
