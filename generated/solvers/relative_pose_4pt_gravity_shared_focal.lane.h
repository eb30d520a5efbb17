// SPDX-License-Identifier: BSD-3-Clause
// Turns R by an angle about the y axis, q = tan(angle / 2), and u = 1 / f, where b' [t] R a = 0
// for four points with the rays a = g + u c and b = h + u d in frames whose y axes are vertical.
//   Y. Ding, J. Yang, J. Ponce, H. Kong, Minimal solutions to relative pose estimation from two
//   views sharing a common direction with unknown focal length, CVPR 2020
// g and h are the axes of the cameras, the rows of c and d the points (x, y, 0), in those frames.
// Rows of A and B belong to the pairs 12, 13, 14, 23, 24: (ai x aj) / u and (bi x bj) / u. The
// planes b x R a of three points have a common line, t: their determinant is u^2 (1 + q^2) times
// what is quadratic in R below, as R ai x R aj ~ R (ai x aj).
// This file was written by bifocal-generate from relative_pose_4pt_gravity_shared_focal.problem:
// 20 roots, a template of 8 x 28, multiplication by q, eigenvectors by 5 x 5 polynomials.
// Unknowns: q, u.
//   R = [1 - q*q, 0, 2*q; 0, 1 + q*q, 0; -2*q, 0, 1 - q*q]
//   V = (B0 + u*B1)*R*([a0, a0, a0] + u*a1')
//   W = (A0 + u*A1)*R'*([b0, b0, b0] + u*b1')
//   element(V, 1, 1)*element(W, 2, 2) - element(V, 2, 2)*element(W, 1, 1) = 0
//   element(V, 1, 1)*element(W, 3, 3) - element(V, 3, 3)*element(W, 1, 1) = 0
//   element(V, 2, 2)*element(W, 3, 3) - element(V, 3, 3)*element(W, 2, 2) = 0
//   element(V, 4, 2)*element(W, 5, 3) - element(V, 5, 3)*element(W, 4, 2) = 0
// The data are a0 [3][1], a1 [3][3], b0 [3][1], b1 [3][3], A0 [5][3], A1 [5][3], B0 [5][3], B1
// [5][3], one after the other.

// clang-format off

// out += [1 - q*q, 0, 2*q; 0, 1 + q*q, 0; -2*q, 0, 1 - q*q], of degree 2.
lane_fn void relative_pose_4pt_gravity_shared_focal_value_R(real* out) {
  real v0[54]; poly_clear(v0, 54);
  v0[0] += lane(1);
  real v1[3]; poly_clear(v1, 3);
  v1[1] = lane(1);
  real v2[3]; poly_clear(v2, 3);
  v2[1] = lane(1);
  poly_matrix_product_add(2, poly_matrix_of(v1, 1, 1, 1),
      poly_matrix_of(v2, 1, 1, 1), lane(-1), v0);
  (v0 + 12)[1] += lane(2);
  (v0 + 24)[0] += lane(1);
  real v3[3]; poly_clear(v3, 3);
  v3[1] = lane(1);
  real v4[3]; poly_clear(v4, 3);
  v4[1] = lane(1);
  poly_matrix_product_add(2, poly_matrix_of(v3, 1, 1, 1),
      poly_matrix_of(v4, 1, 1, 1), lane(1), (v0 + 24));
  (v0 + 36)[1] += lane(-2);
  (v0 + 48)[0] += lane(1);
  real v5[3]; poly_clear(v5, 3);
  v5[1] = lane(1);
  real v6[3]; poly_clear(v6, 3);
  v6[1] = lane(1);
  poly_matrix_product_add(2, poly_matrix_of(v5, 1, 1, 1),
      poly_matrix_of(v6, 1, 1, 1), lane(-1), (v0 + 48));
  poly_add(2, v0, 2, 9, lane(1), out, 2);
}

// out += (B0 + u*B1)*R*([a0, a0, a0] + u*a1'), of degree 4.
lane_fn void relative_pose_4pt_gravity_shared_focal_value_V(const real* data, const real* R,
    real* out) {
  real v0[150]; poly_clear(v0, 150);
  real v1[45]; poly_clear(v1, 45);
  poly_add(2, (data + 54), 0, 15, lane(1), v1, 1);
  real v2[3]; poly_clear(v2, 3);
  v2[2] = lane(1);
  poly_matrix_product_add(2, poly_matrix_of(v2, 1, 1, 1),
      poly_matrix_of((data + 69), 0, 1, 15), lane(1), v1);
  poly_matrix_product_add(2, poly_matrix_of(v1, 1, 5, 3),
      poly_matrix_of(R, 2, 3, 3), lane(1), v0);
  real v3[27]; poly_clear(v3, 27);
  real v4[9]; poly_clear(v4, 9);
  for (index i = 0; i < 3; ++i) poly_add(2, data + 1 * i, 0, 1, lane(1), v4 + 3 * i, 0);
  for (index i = 0; i < 3; ++i) poly_add(2, data + 1 * i, 0, 1, lane(1), (v4 + 1) + 3 * i, 0);
  for (index i = 0; i < 3; ++i) poly_add(2, data + 1 * i, 0, 1, lane(1), (v4 + 2) + 3 * i, 0);
  poly_add(2, v4, 0, 9, lane(1), v3, 1);
  real v5[3]; poly_clear(v5, 3);
  v5[2] = lane(1);
  real v6[9]; poly_clear(v6, 9);
  poly_transpose_add(2, (data + 3), 0, 3, 3, v6);
  poly_matrix_product_add(2, poly_matrix_of(v5, 1, 1, 1),
      poly_matrix_of(v6, 0, 1, 9), lane(1), v3);
  poly_matrix_product_add(2, poly_matrix_of(v0, 3, 5, 3),
      poly_matrix_of(v3, 1, 3, 3), lane(1), out);
}

// out += (A0 + u*A1)*R'*([b0, b0, b0] + u*b1'), of degree 4.
lane_fn void relative_pose_4pt_gravity_shared_focal_value_W(const real* data, const real* R,
    real* out) {
  real v0[150]; poly_clear(v0, 150);
  real v1[45]; poly_clear(v1, 45);
  poly_add(2, (data + 24), 0, 15, lane(1), v1, 1);
  real v2[3]; poly_clear(v2, 3);
  v2[2] = lane(1);
  poly_matrix_product_add(2, poly_matrix_of(v2, 1, 1, 1),
      poly_matrix_of((data + 39), 0, 1, 15), lane(1), v1);
  real v3[54]; poly_clear(v3, 54);
  poly_transpose_add(2, R, 2, 3, 3, v3);
  poly_matrix_product_add(2, poly_matrix_of(v1, 1, 5, 3),
      poly_matrix_of(v3, 2, 3, 3), lane(1), v0);
  real v4[27]; poly_clear(v4, 27);
  real v5[9]; poly_clear(v5, 9);
  for (index i = 0; i < 3; ++i) poly_add(2, (data + 12) + 1 * i, 0, 1, lane(1), v5 + 3 * i, 0);
  for (index i = 0; i < 3; ++i) poly_add(2, (data + 12) + 1 * i, 0, 1, lane(1), (v5 + 1) + 3 * i,
      0);
  for (index i = 0; i < 3; ++i) poly_add(2, (data + 12) + 1 * i, 0, 1, lane(1), (v5 + 2) + 3 * i,
      0);
  poly_add(2, v5, 0, 9, lane(1), v4, 1);
  real v6[3]; poly_clear(v6, 3);
  v6[2] = lane(1);
  real v7[9]; poly_clear(v7, 9);
  poly_transpose_add(2, (data + 15), 0, 3, 3, v7);
  poly_matrix_product_add(2, poly_matrix_of(v6, 1, 1, 1),
      poly_matrix_of(v7, 0, 1, 9), lane(1), v4);
  poly_matrix_product_add(2, poly_matrix_of(v0, 3, 5, 3),
      poly_matrix_of(v4, 1, 3, 3), lane(1), out);
}

// out += element(V, 1, 1)*element(W, 2, 2) - element(V, 2, 2)*element(W, 1, 1), of degree 8.
lane_fn void relative_pose_4pt_gravity_shared_focal_equation_1(const real* V, const real* W,
    real* out) {
  poly_matrix_product_add(2, poly_matrix_of(V, 4, 1, 1),
      poly_matrix_of((W + 60), 4, 1, 1), lane(1), out);
  poly_matrix_product_add(2, poly_matrix_of((V + 60), 4, 1, 1),
      poly_matrix_of(W, 4, 1, 1), lane(-1), out);
}

// out += element(V, 1, 1)*element(W, 3, 3) - element(V, 3, 3)*element(W, 1, 1), of degree 8.
lane_fn void relative_pose_4pt_gravity_shared_focal_equation_2(const real* V, const real* W,
    real* out) {
  poly_matrix_product_add(2, poly_matrix_of(V, 4, 1, 1),
      poly_matrix_of((W + 120), 4, 1, 1), lane(1), out);
  poly_matrix_product_add(2, poly_matrix_of((V + 120), 4, 1, 1),
      poly_matrix_of(W, 4, 1, 1), lane(-1), out);
}

// out += element(V, 2, 2)*element(W, 3, 3) - element(V, 3, 3)*element(W, 2, 2), of degree 8.
lane_fn void relative_pose_4pt_gravity_shared_focal_equation_3(const real* V, const real* W,
    real* out) {
  poly_matrix_product_add(2, poly_matrix_of((V + 60), 4, 1, 1),
      poly_matrix_of((W + 120), 4, 1, 1), lane(1), out);
  poly_matrix_product_add(2, poly_matrix_of((V + 120), 4, 1, 1),
      poly_matrix_of((W + 60), 4, 1, 1), lane(-1), out);
}

// out += element(V, 4, 2)*element(W, 5, 3) - element(V, 5, 3)*element(W, 4, 2), of degree 8.
lane_fn void relative_pose_4pt_gravity_shared_focal_equation_4(const real* V, const real* W,
    real* out) {
  poly_matrix_product_add(2, poly_matrix_of((V + 150), 4, 1, 1),
      poly_matrix_of((W + 210), 4, 1, 1), lane(1), out);
  poly_matrix_product_add(2, poly_matrix_of((V + 210), 4, 1, 1),
      poly_matrix_of((W + 150), 4, 1, 1), lane(-1), out);
}

// The equations D [4][45].
lane_fn void relative_pose_4pt_gravity_shared_focal_equations(const real* data, real* D) {
  real R[54];
  real V[225];
  real W[225];
  poly_clear(D, 180);
  poly_clear(R, 54);
  relative_pose_4pt_gravity_shared_focal_value_R(R);
  poly_clear(V, 225);
  relative_pose_4pt_gravity_shared_focal_value_V(data, R, V);
  poly_clear(W, 225);
  relative_pose_4pt_gravity_shared_focal_value_W(data, R, W);
  relative_pose_4pt_gravity_shared_focal_equation_1(V, W, D + 0);
  relative_pose_4pt_gravity_shared_focal_equation_2(V, W, D + 45);
  relative_pose_4pt_gravity_shared_focal_equation_3(V, W, D + 90);
  relative_pose_4pt_gravity_shared_focal_equation_4(V, W, D + 135);
}

// roots: [20][2], the unknowns of each; unused slots NaN. Returns their number.
lane_fn real relative_pose_4pt_gravity_shared_focal_roots(const real* data, real* roots) {
  const index monomials[25] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 18, 19,
      23, 24, 25, 31, 32, 40};
  // The template's columns are
  //   qqqq qqq qq (excess)
  //   qqqquuuuu qqqquuuu qqqquuu qqqquu qqqqu (to reduce)
  //   qqquuuuu qquuuuu qqquuuu quuuuu qquuuu qqquuu uuuuu quuuu qquuu qqquu uuuu quuu qquu qqqu uuu quu qqu uu qu u (basis).
  const index column[55] = {-1, -1, 27, 2, 26, 25, 1, 24, 23, 22, 0, 21, 20, 19, 18, -1, 7, 17,
      16, 15, 14, -1, -1, 6, 13, 12, 11, -1, -1, -1, -1, 5, 10, 9, -1, -1, -1, -1, -1, -1, 4, 8,
      -1, -1, -1, -1, -1, -1, -1, -1, 3, -1, -1, -1, -1};
  const index equation[8] = {0, 1, 2, 3, 0, 1, 2, 3};
  const index shift[16] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1};
  const index image[20] = {3, 8, 4, 9, 10, 5, 11, 12, 13, 6, 15, 16, 17, 7, 19, 20, 21, 23, 24,
      26};
  const index first[3] = {0, 20, 40};
  const index pairs[80] = {19, 18, 18, 16, 17, 15, 16, 13, 15, 12, 14, 11, 13, 33, 12, 9, 11, 8,
      10, 7, 9, 29, 8, 5, 7, 4, 6, 3, 5, 25, 4, 2, 3, 1, 2, 22, 1, 0, 0, 20, 19, 17, 18, 15, 17,
      14, 16, 12, 15, 11, 14, 10, 13, 9, 12, 8, 11, 7, 10, 6, 33, 29, 9, 5, 8, 4, 7, 3, 29, 25, 5,
      2, 4, 1, 25, 22, 2, 0, 22, 20};
  const index length[5] = {4, 4, 4, 4, 4};
  const index element[20] = {6, 3, 1, 0, 10, 7, 4, 2, 14, 11, 8, 5, 17, 15, 12, 9, 19, 18, 16,
      13};
  const elimination_template t = {.unknowns = 2, .degree = 8, .equations = 4, .used = 25,
      .rows = 8, .reducible = 5, .basis = 20, .monomials = monomials, .equation = equation,
      .shift = shift, .column = column, .image = image, .first = first, .pairs = pairs};
  const template_chains chains = {.of = &t, .length = length, .element = element};
  real D[180], C[100], M[224], A[400], K[523], work[95];
  relative_pose_4pt_gravity_shared_focal_equations(data, D);
  return template_roots_hidden(&chains, D, C, M, A, K, work, roots);
}
