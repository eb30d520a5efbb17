// SPDX-License-Identifier: BSD-3-Clause
// Camera matrices P ~ diag(f, f, 1) [R t] with (u, v, 1 + k (u^2 + v^2)) ~ P X of four points, k
// the distortion in the division model.
//   M. Bujnak, Z. Kukelova, T. Pajdla, New efficient solution to the absolute pose problem for
//   camera with unknown focal length and radial distortion, ACCV 2010
//   V. Larsson, Z. Kukelova, Y. Zheng, Making minimal solvers for absolute pose estimation
//   compact and robust, ICCV 2017 (the cubics that exclude rows a and b of one direction)
// Rows a and b of diag(f, f, 1) R and their translations are in the null space of the four
// equations that k is not in, N1 to N4; the four others then give row c = x N1c + ... + N4c + k
// (x K1 + ... + K4).
// This file was written by bifocal-generate from p4p_focal_radial.problem: 12 roots, a template
// of 26 x 40, multiplication by x.
// Unknowns: x, y, z, k.
//   P = x*N1 + y*N2 + z*N3 + N4
//   a = row(P, 1)
//   b = row(P, 2)
//   c = row(P, 3) + k*(x*K1 + y*K2 + z*K3 + K4)
//   a*b' = 0
//   a*a' - b*b' = 0
//   a*c' = 0
//   b*c' = 0
//   a'*(skew(c)*a')' - skew(b)*c'*b = 0
// The data are N1 [3][3], N2 [3][3], N3 [3][3], N4 [3][3], K1 [1][3], K2 [1][3], K3 [1][3], K4
// [1][3], one after the other.

// clang-format off

// out += x*N1 + y*N2 + z*N3 + N4, of degree 1.
lane_fn void p4p_focal_radial_value_P(const real* data, real* out) {
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
  poly_add(4, (data + 27), 0, 9, lane(1), out, 1);
}

// out += row(P, 1), of degree 1.
lane_fn void p4p_focal_radial_value_a(const real* P, real* out) {
  poly_add(4, P, 1, 3, lane(1), out, 1);
}

// out += row(P, 2), of degree 1.
lane_fn void p4p_focal_radial_value_b(const real* P, real* out) {
  poly_add(4, (P + 15), 1, 3, lane(1), out, 1);
}

// out += row(P, 3) + k*(x*K1 + y*K2 + z*K3 + K4), of degree 2.
lane_fn void p4p_focal_radial_value_c(const real* data, const real* P, real* out) {
  poly_add(4, (P + 30), 1, 3, lane(1), out, 2);
  real v0[5]; poly_clear(v0, 5);
  v0[4] = lane(1);
  real v1[15]; poly_clear(v1, 15);
  real v2[5]; poly_clear(v2, 5);
  v2[1] = lane(1);
  poly_matrix_product_add(4, poly_matrix_of(v2, 1, 1, 1),
      poly_matrix_of((data + 36), 0, 1, 3), lane(1), v1);
  real v3[5]; poly_clear(v3, 5);
  v3[2] = lane(1);
  poly_matrix_product_add(4, poly_matrix_of(v3, 1, 1, 1),
      poly_matrix_of((data + 39), 0, 1, 3), lane(1), v1);
  real v4[5]; poly_clear(v4, 5);
  v4[3] = lane(1);
  poly_matrix_product_add(4, poly_matrix_of(v4, 1, 1, 1),
      poly_matrix_of((data + 42), 0, 1, 3), lane(1), v1);
  poly_add(4, (data + 45), 0, 3, lane(1), v1, 1);
  poly_matrix_product_add(4, poly_matrix_of(v0, 1, 1, 1),
      poly_matrix_of(v1, 1, 1, 3), lane(1), out);
}

// out += a*b', of degree 4.
lane_fn void p4p_focal_radial_equation_1(const real* a, const real* b, real* out) {
  real v0[15]; poly_clear(v0, 15);
  poly_matrix_product_add(4, poly_matrix_of(a, 1, 1, 3),
      poly_matrix_of(b, 1, 3, 1), lane(1), v0);
  poly_add(4, v0, 2, 1, lane(1), out, 4);
}

// out += a*a' - b*b', of degree 4.
lane_fn void p4p_focal_radial_equation_2(const real* a, const real* b, real* out) {
  real v0[15]; poly_clear(v0, 15);
  poly_matrix_product_add(4, poly_matrix_of(a, 1, 1, 3),
      poly_matrix_of(a, 1, 3, 1), lane(1), v0);
  poly_add(4, v0, 2, 1, lane(1), out, 4);
  real v1[15]; poly_clear(v1, 15);
  poly_matrix_product_add(4, poly_matrix_of(b, 1, 1, 3),
      poly_matrix_of(b, 1, 3, 1), lane(1), v1);
  poly_add(4, v1, 2, 1, lane(-1), out, 4);
}

// out += a*c', of degree 4.
lane_fn void p4p_focal_radial_equation_3(const real* a, const real* c, real* out) {
  real v0[35]; poly_clear(v0, 35);
  poly_matrix_product_add(4, poly_matrix_of(a, 1, 1, 3),
      poly_matrix_of(c, 2, 3, 1), lane(1), v0);
  poly_add(4, v0, 3, 1, lane(1), out, 4);
}

// out += b*c', of degree 4.
lane_fn void p4p_focal_radial_equation_4(const real* b, const real* c, real* out) {
  real v0[35]; poly_clear(v0, 35);
  poly_matrix_product_add(4, poly_matrix_of(b, 1, 1, 3),
      poly_matrix_of(c, 2, 3, 1), lane(1), v0);
  poly_add(4, v0, 3, 1, lane(1), out, 4);
}

// out += a'*(skew(c)*a')' - skew(b)*c'*b, of degree 4.
lane_fn void p4p_focal_radial_equation_5(const real* a, const real* b, const real* c, real* out) {
  real v0[105]; poly_clear(v0, 105);
  real v1[135]; poly_clear(v1, 135);
  poly_skew_add(4, c, 2, v1);
  poly_matrix_product_add(4, poly_matrix_of(v1, 2, 3, 3),
      poly_matrix_of(a, 1, 3, 1), lane(1), v0);
  poly_matrix_product_add(4, poly_matrix_of(a, 1, 3, 1),
      poly_matrix_of(v0, 3, 1, 3), lane(1), out);
  real v2[105]; poly_clear(v2, 105);
  real v3[45]; poly_clear(v3, 45);
  poly_skew_add(4, b, 1, v3);
  poly_matrix_product_add(4, poly_matrix_of(v3, 1, 3, 3),
      poly_matrix_of(c, 2, 3, 1), lane(1), v2);
  poly_matrix_product_add(4, poly_matrix_of(v2, 3, 3, 1),
      poly_matrix_of(b, 1, 1, 3), lane(-1), out);
}

// The equations D [13][70].
lane_fn void p4p_focal_radial_equations(const real* data, real* D) {
  real P[45];
  real a[15];
  real b[15];
  real c[45];
  poly_clear(D, 910);
  poly_clear(P, 45);
  p4p_focal_radial_value_P(data, P);
  poly_clear(a, 15);
  p4p_focal_radial_value_a(P, a);
  poly_clear(b, 15);
  p4p_focal_radial_value_b(P, b);
  poly_clear(c, 45);
  p4p_focal_radial_value_c(data, P, c);
  p4p_focal_radial_equation_1(a, b, D + 0);
  p4p_focal_radial_equation_2(a, b, D + 70);
  p4p_focal_radial_equation_3(a, c, D + 140);
  p4p_focal_radial_equation_4(b, c, D + 210);
  p4p_focal_radial_equation_5(a, b, c, D + 280);
}

// roots: [14][4], the unknowns of each; unused slots NaN. Returns their number.
lane_fn real p4p_focal_radial_roots(const real* data, real* roots) {
  const index monomials[40] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 17, 18, 19,
      20, 21, 22, 23, 25, 26, 27, 28, 29, 31, 32, 38, 41, 43, 47, 49, 52, 57, 59, 62, 66};
  // The template's columns are
  //   zzzk yzzk yyzk yyyk xzzk xxzk xxyk zzk zzz yzz yyz yyy xyk yk z (excess)
  //   xyzk xyyk xxxk xzk xzz xyz xyy xxz xxy xxx x (to reduce)
  //   yzk yyk xxk zk zz yz yy xk xz xy xx k y 1 (basis).
  const index column[210] = {39, 25, 38, 14, 37, 36, 35, 34, 33, 32, 31, 13, 30, 29, -1, 24, 23,
      22, 28, 21, 20, 12, 19, 18, -1, 11, 10, 27, 9, 26, -1, 8, 7, -1, -1, -1, -1, -1, 17, -1, -1,
      6, -1, 5, -1, -1, -1, 16, -1, 15, -1, -1, 4, -1, -1, -1, -1, 3, -1, 2, -1, -1, 1, -1, -1, -1,
      0, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
      -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
      -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
      -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
      -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
      -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
      -1, -1, -1, -1, -1, -1};
  const index equation[26] = {0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1,
      0, 1, 0, 1};
  const index shift[104] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0,
      0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1, 1,
      1, 1, 1, 2, 1, 1, 1, 2, 1, 1, 1, 2, 2, 1, 1, 2, 2, 1, 1};
  const index image[14] = {15, 16, 17, 18, 19, 20, 21, 28, 22, 23, 24, 33, 35, 25};
  const index first[5] = {0, 15, 23, 30, 39};
  const index pairs[78] = {13, 27, 27, 10, 12, 9, 11, 7, 10, 24, 9, 23, 8, 22, 7, 2, 6, 20, 5, 19,
      4, 18, 3, 17, 2, 16, 1, 15, 0, 14, 13, 12, 27, 9, 12, 6, 10, 23, 9, 20, 8, 19, 3, 0, 17, 14,
      27, 8, 12, 5, 11, 3, 10, 22, 9, 19, 8, 18, 7, 17, 13, 11, 27, 7, 10, 2, 8, 17, 6, 1, 5, 0,
      24, 16, 20, 15, 19, 14};
  const elimination_template t = {.unknowns = 4, .degree = 4, .equations = 13, .used = 40,
      .rows = 26, .reducible = 11, .basis = 14, .monomials = monomials, .equation = equation,
      .shift = shift, .column = column, .image = image, .first = first, .pairs = pairs};
  real D[910], C[520], M[1040], A[196], K[283], work[214];
  p4p_focal_radial_equations(data, D);
  return template_roots(&t, D, C, M, A, K, work, roots);
}
