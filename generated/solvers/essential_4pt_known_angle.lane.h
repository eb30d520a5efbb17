// SPDX-License-Identifier: BSD-3-Clause
// Rotations R by a known angle, R ~ (1 - u'u) I + 2 u u' + 2 [u], u = (x, y, z) of length
// tan(angle / 2), where b' [t] R a = 0 for four bearings a and b.
//   B. Li, L. Heng, G. H. Lee, M. Pollefeys, A 4-point algorithm for relative pose estimation of
//   a calibrated camera with a known relative rotation angle, IROS 2013
// s is the square of tan(angle / 2); aij = ai x aj, bij = bi x bj. The planes b x R a of any
// three points have a common line, t: (bi x R ai).((bj x R aj) x (bk x R ak)) = 0 is quadratic in
// R, as R aj x R ak ~ R ajk.
// This file was written by bifocal-generate from essential_4pt_known_angle.problem: 20 roots, a
// template of 36 x 56, multiplication by x.
// Unknowns: x, y, z.
//   u = [x; y; z]
//   R = (1 - s)*diag(1, 1, 1) + 2*u*u' + 2*skew(u)
//   u'*u - s = 0
//   (b13*R*a1)*(b2*R*a23) - (b23*R*a2)*(b1*R*a13) = 0
//   (b14*R*a1)*(b2*R*a24) - (b24*R*a2)*(b1*R*a14) = 0
//   (b14*R*a1)*(b3*R*a34) - (b34*R*a3)*(b1*R*a14) = 0
//   (b24*R*a2)*(b3*R*a34) - (b34*R*a3)*(b2*R*a24) = 0
// The data are a1 [3][1], a2 [3][1], a3 [3][1], a13 [3][1], a14 [3][1], a23 [3][1], a24 [3][1],
// a34 [3][1], b1 [1][3], b2 [1][3], b3 [1][3], b13 [1][3], b14 [1][3], b23 [1][3], b24 [1][3],
// b34 [1][3], s [1][1], one after the other.

// clang-format off

// out += [x; y; z], of degree 1.
lane_fn void essential_4pt_known_angle_value_u(real* out) {
  real v0[12]; poly_clear(v0, 12);
  v0[1] += lane(1);
  (v0 + 4)[2] += lane(1);
  (v0 + 8)[3] += lane(1);
  poly_add(3, v0, 1, 3, lane(1), out, 1);
}

// out += (1 - s)*diag(1, 1, 1) + 2*u*u' + 2*skew(u), of degree 2.
lane_fn void essential_4pt_known_angle_value_R(const real* data, const real* u, real* out) {
  real v0[9]; poly_clear(v0, 9);
  real v1[1]; poly_clear(v1, 1);
  v1[0] += lane(1);
  poly_add(3, (data + 48), 0, 1, lane(-1), v1, 0);
  real v2[9]; poly_clear(v2, 9);
  v2[0] += lane(1);
  (v2 + 4)[0] += lane(1);
  (v2 + 8)[0] += lane(1);
  poly_matrix_product_add(3, poly_matrix_of(v1, 0, 1, 1),
      poly_matrix_of(v2, 0, 1, 9), lane(1), v0);
  poly_add(3, v0, 0, 9, lane(1), out, 2);
  real v3[12]; poly_clear(v3, 12);
  poly_add(3, u, 1, 3, lane(2), v3, 1);
  poly_matrix_product_add(3, poly_matrix_of(v3, 1, 3, 1),
      poly_matrix_of(u, 1, 1, 3), lane(1), out);
  real v4[36]; poly_clear(v4, 36);
  poly_skew_add(3, u, 1, v4);
  poly_add(3, v4, 1, 9, lane(2), out, 2);
}

// out += u'*u - s, of degree 4.
lane_fn void essential_4pt_known_angle_equation_1(const real* data, const real* u, real* out) {
  real v0[10]; poly_clear(v0, 10);
  poly_matrix_product_add(3, poly_matrix_of(u, 1, 1, 3),
      poly_matrix_of(u, 1, 3, 1), lane(1), v0);
  poly_add(3, v0, 2, 1, lane(1), out, 4);
  poly_add(3, (data + 48), 0, 1, lane(-1), out, 4);
}

// out += (b13*R*a1)*(b2*R*a23) - (b23*R*a2)*(b1*R*a13), of degree 4.
lane_fn void essential_4pt_known_angle_equation_2(const real* data, const real* R, real* out) {
  real v0[10]; poly_clear(v0, 10);
  real v1[30]; poly_clear(v1, 30);
  poly_matrix_product_add(3, poly_matrix_of((data + 33), 0, 1, 3),
      poly_matrix_of(R, 2, 3, 3), lane(1), v1);
  poly_matrix_product_add(3, poly_matrix_of(v1, 2, 1, 3),
      poly_matrix_of(data, 0, 3, 1), lane(1), v0);
  real v2[10]; poly_clear(v2, 10);
  real v3[30]; poly_clear(v3, 30);
  poly_matrix_product_add(3, poly_matrix_of((data + 27), 0, 1, 3),
      poly_matrix_of(R, 2, 3, 3), lane(1), v3);
  poly_matrix_product_add(3, poly_matrix_of(v3, 2, 1, 3),
      poly_matrix_of((data + 15), 0, 3, 1), lane(1), v2);
  poly_matrix_product_add(3, poly_matrix_of(v0, 2, 1, 1),
      poly_matrix_of(v2, 2, 1, 1), lane(1), out);
  real v4[10]; poly_clear(v4, 10);
  real v5[30]; poly_clear(v5, 30);
  poly_matrix_product_add(3, poly_matrix_of((data + 39), 0, 1, 3),
      poly_matrix_of(R, 2, 3, 3), lane(1), v5);
  poly_matrix_product_add(3, poly_matrix_of(v5, 2, 1, 3),
      poly_matrix_of((data + 3), 0, 3, 1), lane(1), v4);
  real v6[10]; poly_clear(v6, 10);
  real v7[30]; poly_clear(v7, 30);
  poly_matrix_product_add(3, poly_matrix_of((data + 24), 0, 1, 3),
      poly_matrix_of(R, 2, 3, 3), lane(1), v7);
  poly_matrix_product_add(3, poly_matrix_of(v7, 2, 1, 3),
      poly_matrix_of((data + 9), 0, 3, 1), lane(1), v6);
  poly_matrix_product_add(3, poly_matrix_of(v4, 2, 1, 1),
      poly_matrix_of(v6, 2, 1, 1), lane(-1), out);
}

// out += (b14*R*a1)*(b2*R*a24) - (b24*R*a2)*(b1*R*a14), of degree 4.
lane_fn void essential_4pt_known_angle_equation_3(const real* data, const real* R, real* out) {
  real v0[10]; poly_clear(v0, 10);
  real v1[30]; poly_clear(v1, 30);
  poly_matrix_product_add(3, poly_matrix_of((data + 36), 0, 1, 3),
      poly_matrix_of(R, 2, 3, 3), lane(1), v1);
  poly_matrix_product_add(3, poly_matrix_of(v1, 2, 1, 3),
      poly_matrix_of(data, 0, 3, 1), lane(1), v0);
  real v2[10]; poly_clear(v2, 10);
  real v3[30]; poly_clear(v3, 30);
  poly_matrix_product_add(3, poly_matrix_of((data + 27), 0, 1, 3),
      poly_matrix_of(R, 2, 3, 3), lane(1), v3);
  poly_matrix_product_add(3, poly_matrix_of(v3, 2, 1, 3),
      poly_matrix_of((data + 18), 0, 3, 1), lane(1), v2);
  poly_matrix_product_add(3, poly_matrix_of(v0, 2, 1, 1),
      poly_matrix_of(v2, 2, 1, 1), lane(1), out);
  real v4[10]; poly_clear(v4, 10);
  real v5[30]; poly_clear(v5, 30);
  poly_matrix_product_add(3, poly_matrix_of((data + 42), 0, 1, 3),
      poly_matrix_of(R, 2, 3, 3), lane(1), v5);
  poly_matrix_product_add(3, poly_matrix_of(v5, 2, 1, 3),
      poly_matrix_of((data + 3), 0, 3, 1), lane(1), v4);
  real v6[10]; poly_clear(v6, 10);
  real v7[30]; poly_clear(v7, 30);
  poly_matrix_product_add(3, poly_matrix_of((data + 24), 0, 1, 3),
      poly_matrix_of(R, 2, 3, 3), lane(1), v7);
  poly_matrix_product_add(3, poly_matrix_of(v7, 2, 1, 3),
      poly_matrix_of((data + 12), 0, 3, 1), lane(1), v6);
  poly_matrix_product_add(3, poly_matrix_of(v4, 2, 1, 1),
      poly_matrix_of(v6, 2, 1, 1), lane(-1), out);
}

// out += (b14*R*a1)*(b3*R*a34) - (b34*R*a3)*(b1*R*a14), of degree 4.
lane_fn void essential_4pt_known_angle_equation_4(const real* data, const real* R, real* out) {
  real v0[10]; poly_clear(v0, 10);
  real v1[30]; poly_clear(v1, 30);
  poly_matrix_product_add(3, poly_matrix_of((data + 36), 0, 1, 3),
      poly_matrix_of(R, 2, 3, 3), lane(1), v1);
  poly_matrix_product_add(3, poly_matrix_of(v1, 2, 1, 3),
      poly_matrix_of(data, 0, 3, 1), lane(1), v0);
  real v2[10]; poly_clear(v2, 10);
  real v3[30]; poly_clear(v3, 30);
  poly_matrix_product_add(3, poly_matrix_of((data + 30), 0, 1, 3),
      poly_matrix_of(R, 2, 3, 3), lane(1), v3);
  poly_matrix_product_add(3, poly_matrix_of(v3, 2, 1, 3),
      poly_matrix_of((data + 21), 0, 3, 1), lane(1), v2);
  poly_matrix_product_add(3, poly_matrix_of(v0, 2, 1, 1),
      poly_matrix_of(v2, 2, 1, 1), lane(1), out);
  real v4[10]; poly_clear(v4, 10);
  real v5[30]; poly_clear(v5, 30);
  poly_matrix_product_add(3, poly_matrix_of((data + 45), 0, 1, 3),
      poly_matrix_of(R, 2, 3, 3), lane(1), v5);
  poly_matrix_product_add(3, poly_matrix_of(v5, 2, 1, 3),
      poly_matrix_of((data + 6), 0, 3, 1), lane(1), v4);
  real v6[10]; poly_clear(v6, 10);
  real v7[30]; poly_clear(v7, 30);
  poly_matrix_product_add(3, poly_matrix_of((data + 24), 0, 1, 3),
      poly_matrix_of(R, 2, 3, 3), lane(1), v7);
  poly_matrix_product_add(3, poly_matrix_of(v7, 2, 1, 3),
      poly_matrix_of((data + 12), 0, 3, 1), lane(1), v6);
  poly_matrix_product_add(3, poly_matrix_of(v4, 2, 1, 1),
      poly_matrix_of(v6, 2, 1, 1), lane(-1), out);
}

// out += (b24*R*a2)*(b3*R*a34) - (b34*R*a3)*(b2*R*a24), of degree 4.
lane_fn void essential_4pt_known_angle_equation_5(const real* data, const real* R, real* out) {
  real v0[10]; poly_clear(v0, 10);
  real v1[30]; poly_clear(v1, 30);
  poly_matrix_product_add(3, poly_matrix_of((data + 42), 0, 1, 3),
      poly_matrix_of(R, 2, 3, 3), lane(1), v1);
  poly_matrix_product_add(3, poly_matrix_of(v1, 2, 1, 3),
      poly_matrix_of((data + 3), 0, 3, 1), lane(1), v0);
  real v2[10]; poly_clear(v2, 10);
  real v3[30]; poly_clear(v3, 30);
  poly_matrix_product_add(3, poly_matrix_of((data + 30), 0, 1, 3),
      poly_matrix_of(R, 2, 3, 3), lane(1), v3);
  poly_matrix_product_add(3, poly_matrix_of(v3, 2, 1, 3),
      poly_matrix_of((data + 21), 0, 3, 1), lane(1), v2);
  poly_matrix_product_add(3, poly_matrix_of(v0, 2, 1, 1),
      poly_matrix_of(v2, 2, 1, 1), lane(1), out);
  real v4[10]; poly_clear(v4, 10);
  real v5[30]; poly_clear(v5, 30);
  poly_matrix_product_add(3, poly_matrix_of((data + 45), 0, 1, 3),
      poly_matrix_of(R, 2, 3, 3), lane(1), v5);
  poly_matrix_product_add(3, poly_matrix_of(v5, 2, 1, 3),
      poly_matrix_of((data + 6), 0, 3, 1), lane(1), v4);
  real v6[10]; poly_clear(v6, 10);
  real v7[30]; poly_clear(v7, 30);
  poly_matrix_product_add(3, poly_matrix_of((data + 27), 0, 1, 3),
      poly_matrix_of(R, 2, 3, 3), lane(1), v7);
  poly_matrix_product_add(3, poly_matrix_of(v7, 2, 1, 3),
      poly_matrix_of((data + 18), 0, 3, 1), lane(1), v6);
  poly_matrix_product_add(3, poly_matrix_of(v4, 2, 1, 1),
      poly_matrix_of(v6, 2, 1, 1), lane(-1), out);
}

// The equations D [5][35].
lane_fn void essential_4pt_known_angle_equations(const real* data, real* D) {
  real u[12];
  real R[90];
  poly_clear(D, 175);
  poly_clear(u, 12);
  essential_4pt_known_angle_value_u(u);
  poly_clear(R, 90);
  essential_4pt_known_angle_value_R(data, u, R);
  essential_4pt_known_angle_equation_1(data, u, D + 0);
  essential_4pt_known_angle_equation_2(data, R, D + 35);
  essential_4pt_known_angle_equation_3(data, R, D + 70);
  essential_4pt_known_angle_equation_4(data, R, D + 105);
  essential_4pt_known_angle_equation_5(data, R, D + 140);
}

// roots: [20][3], the unknowns of each; unused slots NaN. Returns their number.
lane_fn real essential_4pt_known_angle_roots(const real* data, real* roots) {
  index monomials[35];
  for (index i = 0; i < 35; ++i) monomials[i] = i;
  // The template's columns are
  //   zzzzz yzzzz yyzzz yyyzz yyyyz yyyyy xyyyz xyyyy xxzzz xxyzz xxxzz xxxxz xxxxx yyyz yyyy xzzz xyzz xxxz zzz yzz xyz xyy yz yy y (excess)
  //   xzzzz xyzzz xyyzz xxyyz xxyyy xxxyz xxxyy xxxxy xxzz xxxx xxz (to reduce)
  //   zzzz yzzz yyzz xyyz xyyy xxyz xxyy xxxy yyz yyy xzz xxy xxx zz xz xy xx z x 1 (basis).
  const index column[120] = {55, 54, 24, 53, 52, 51, 50, 23, 22, 49, 48, 47, 35, 21, 20, 46, 45,
      44, 19, 18, 34, 43, 17, 42, 41, 33, 40, 39, 16, 15, 14, 13, 38, 37, 36, 12, 32, 11, 31, 30,
      10, 29, 28, 9, 8, 7, 6, 27, 26, 25, 5, 4, 3, 2, 1, 0, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
      -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
      -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
      -1, -1, -1, -1, -1, -1, -1, -1};
  const index equation[36] = {0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 0, 0,
      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  const index shift[108] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0,
      0, 1, 0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1,
      1, 1, 1, 1, 1, 1, 2, 0, 0, 2, 1, 0, 2, 1, 1, 2, 2, 0, 2, 2, 1, 2, 2, 2, 3, 0, 0, 3, 1, 0, 3,
      1, 1, 3, 2, 0, 3, 2, 1, 3, 2, 2, 3, 3, 0, 3, 3, 1, 3, 3, 2, 3, 3, 3};
  const index image[20] = {25, 26, 27, 28, 29, 30, 31, 32, 39, 40, 33, 43, 34, 46, 35, 47, 48, 50,
      52, 54};
  const index first[4] = {0, 20, 29, 40};
  const index pairs[80] = {19, 18, 18, 16, 17, 14, 16, 12, 15, 11, 14, 34, 13, 10, 12, 32, 11, 7,
      10, 30, 9, 4, 8, 3, 7, 27, 6, 26, 5, 25, 4, 24, 3, 23, 2, 22, 1, 21, 0, 20, 18, 15, 16, 11,
      12, 7, 11, 6, 34, 5, 32, 27, 7, 26, 6, 24, 5, 23, 19, 17, 18, 14, 17, 13, 16, 34, 14, 10, 11,
      5, 34, 30, 8, 2, 7, 25, 6, 23, 3, 22};
  const elimination_template t = {.unknowns = 3, .degree = 4, .equations = 5, .used = 35,
      .rows = 36, .reducible = 11, .basis = 20, .monomials = monomials, .equation = equation,
      .shift = shift, .column = column, .image = image, .first = first, .pairs = pairs};
  real D[175], C[175], M[2016], A[400], K[523], work[160];
  essential_4pt_known_angle_equations(data, D);
  return template_roots(&t, D, C, M, A, K, work, roots);
}
