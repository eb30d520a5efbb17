// SPDX-License-Identifier: BSD-3-Clause
// Camera matrices P ~ diag(f, f, 1) R, rows a, b, c, in the span of N1 to N5, from seven of eight
// equations of four points whose translation is eliminated.
//   C. Wu, P3.5P: pose estimation with unknown focal length, CVPR 2015
// The rows are orthogonal, |a| = |b|, and b x c and c x a are one multiple of a and b: without
// these cubics there are six more solutions, whose rows a and b are multiples of one another.
// This file was written by bifocal-generate from p35p_focal.problem: 10 roots, a template of 25 x
// 35, multiplication by x.
// Unknowns: x, y, z, w.
//   P = x*N1 + y*N2 + z*N3 + w*N4 + N5
//   a = row(P, 1)
//   b = row(P, 2)
//   c = row(P, 3)
//   a*b' = 0
//   a*c' = 0
//   b*c' = 0
//   a*a' - b*b' = 0
//   a'*(skew(c)*a')' - skew(b)*c'*b = 0
// The data are N1 [3][3], N2 [3][3], N3 [3][3], N4 [3][3], N5 [3][3], one after the other.

// clang-format off

// out += x*N1 + y*N2 + z*N3 + w*N4 + N5, of degree 1.
lane_fn void p35p_focal_value_P(const real* data, real* out) {
  real v0[5]; poly_clear(v0, 5);
  v0[1] = lane(1);
  poly_matrix_product_add(4, poly_matrix_of(v0, 1, 1, 1),
      poly_matrix_of(data, 0, 1, 9), lane(1), out);
  real v1[5]; poly_clear(v1, 5);
  v1[2] = lane(1);
  poly_matrix_product_add(4, poly_matrix_of(v1, 1, 1, 1),
      poly_matrix_of((data + 9), 0, 1, 9), lane(1), out);
  real v2[5]; poly_clear(v2, 5);
  v2[3] = lane(1);
  poly_matrix_product_add(4, poly_matrix_of(v2, 1, 1, 1),
      poly_matrix_of((data + 18), 0, 1, 9), lane(1), out);
  real v3[5]; poly_clear(v3, 5);
  v3[4] = lane(1);
  poly_matrix_product_add(4, poly_matrix_of(v3, 1, 1, 1),
      poly_matrix_of((data + 27), 0, 1, 9), lane(1), out);
  poly_add(4, (data + 36), 0, 9, lane(1), out, 1);
}

// out += row(P, 1), of degree 1.
lane_fn void p35p_focal_value_a(const real* P, real* out) {
  poly_add(4, P, 1, 3, lane(1), out, 1);
}

// out += row(P, 2), of degree 1.
lane_fn void p35p_focal_value_b(const real* P, real* out) {
  poly_add(4, (P + 15), 1, 3, lane(1), out, 1);
}

// out += row(P, 3), of degree 1.
lane_fn void p35p_focal_value_c(const real* P, real* out) {
  poly_add(4, (P + 30), 1, 3, lane(1), out, 1);
}

// out += a*b', of degree 3.
lane_fn void p35p_focal_equation_1(const real* a, const real* b, real* out) {
  real v0[15]; poly_clear(v0, 15);
  poly_matrix_product_add(4, poly_matrix_of(a, 1, 1, 3),
      poly_matrix_of(b, 1, 3, 1), lane(1), v0);
  poly_add(4, v0, 2, 1, lane(1), out, 3);
}

// out += a*c', of degree 3.
lane_fn void p35p_focal_equation_2(const real* a, const real* c, real* out) {
  real v0[15]; poly_clear(v0, 15);
  poly_matrix_product_add(4, poly_matrix_of(a, 1, 1, 3),
      poly_matrix_of(c, 1, 3, 1), lane(1), v0);
  poly_add(4, v0, 2, 1, lane(1), out, 3);
}

// out += b*c', of degree 3.
lane_fn void p35p_focal_equation_3(const real* b, const real* c, real* out) {
  real v0[15]; poly_clear(v0, 15);
  poly_matrix_product_add(4, poly_matrix_of(b, 1, 1, 3),
      poly_matrix_of(c, 1, 3, 1), lane(1), v0);
  poly_add(4, v0, 2, 1, lane(1), out, 3);
}

// out += a*a' - b*b', of degree 3.
lane_fn void p35p_focal_equation_4(const real* a, const real* b, real* out) {
  real v0[15]; poly_clear(v0, 15);
  poly_matrix_product_add(4, poly_matrix_of(a, 1, 1, 3),
      poly_matrix_of(a, 1, 3, 1), lane(1), v0);
  poly_add(4, v0, 2, 1, lane(1), out, 3);
  real v1[15]; poly_clear(v1, 15);
  poly_matrix_product_add(4, poly_matrix_of(b, 1, 1, 3),
      poly_matrix_of(b, 1, 3, 1), lane(1), v1);
  poly_add(4, v1, 2, 1, lane(-1), out, 3);
}

// out += a'*(skew(c)*a')' - skew(b)*c'*b, of degree 3.
lane_fn void p35p_focal_equation_5(const real* a, const real* b, const real* c, real* out) {
  real v0[45]; poly_clear(v0, 45);
  real v1[45]; poly_clear(v1, 45);
  poly_skew_add(4, c, 1, v1);
  poly_matrix_product_add(4, poly_matrix_of(v1, 1, 3, 3),
      poly_matrix_of(a, 1, 3, 1), lane(1), v0);
  poly_matrix_product_add(4, poly_matrix_of(a, 1, 3, 1),
      poly_matrix_of(v0, 2, 1, 3), lane(1), out);
  real v2[45]; poly_clear(v2, 45);
  real v3[45]; poly_clear(v3, 45);
  poly_skew_add(4, b, 1, v3);
  poly_matrix_product_add(4, poly_matrix_of(v3, 1, 3, 3),
      poly_matrix_of(c, 1, 3, 1), lane(1), v2);
  poly_matrix_product_add(4, poly_matrix_of(v2, 2, 3, 1),
      poly_matrix_of(b, 1, 1, 3), lane(-1), out);
}

// The equations D [13][35].
lane_fn void p35p_focal_equations(const real* data, real* D) {
  real P[45];
  real a[15];
  real b[15];
  real c[15];
  poly_clear(D, 455);
  poly_clear(P, 45);
  p35p_focal_value_P(data, P);
  poly_clear(a, 15);
  p35p_focal_value_a(P, a);
  poly_clear(b, 15);
  p35p_focal_value_b(P, b);
  poly_clear(c, 15);
  p35p_focal_value_c(P, c);
  p35p_focal_equation_1(a, b, D + 0);
  p35p_focal_equation_2(a, c, D + 35);
  p35p_focal_equation_3(b, c, D + 70);
  p35p_focal_equation_4(a, b, D + 105);
  p35p_focal_equation_5(a, b, c, D + 140);
}

// roots: [10][4], the unknowns of each; unused slots NaN. Returns their number.
lane_fn real p35p_focal_roots(const real* data, real* roots) {
  index monomials[35];
  for (index i = 0; i < 35; ++i) monomials[i] = i;
  // The template's columns are
  //   www zww zzw zzz yww yzw yzz yyw yyz yyy xzw xyw xxw zw yw x 1 (excess)
  //   xww xzz xyz xyy xxz xxy xxx xw (to reduce)
  //   ww zz yz yy xz xy xx w z y (basis).
  const index column[70] = {16, 15, 34, 33, 32, 31, 30, 29, 24, 28, 27, 14, 26, 13, 25, 23, 22,
      21, 12, 20, 19, 11, 18, 10, 17, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, -1, -1, -1, -1, -1, -1, -1, -1,
      -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
      -1, -1, -1, -1};
  const index equation[25] = {0, 1, 3, 4, 5, 9, 10, 11, 12, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0,
      1, 2, 3};
  const index shift[100] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1,
      0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1,
      1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  const index image[10] = {17, 18, 19, 20, 21, 22, 23, 24, 29, 30};
  const index first[5] = {0, 10, 15, 20, 22};
  const index pairs[44] = {9, 5, 8, 4, 7, 17, 6, 16, 5, 15, 4, 14, 3, 13, 2, 12, 1, 11, 0, 10, 9,
      3, 8, 2, 6, 15, 5, 13, 4, 12, 9, 2, 8, 1, 6, 14, 5, 12, 4, 11, 7, 0, 17, 10};
  const elimination_template t = {.unknowns = 4, .degree = 3, .equations = 13, .used = 35,
      .rows = 25, .reducible = 8, .basis = 10, .monomials = monomials, .equation = equation,
      .shift = shift, .column = column, .image = image, .first = first, .pairs = pairs};
  real D[455], C[455], M[875], A[100], K[163], work[185];
  p35p_focal_equations(data, D);
  return template_roots(&t, D, C, M, A, K, work, roots);
}
