// SPDX-License-Identifier: BSD-3-Clause
// Homographies H with (u2, v2, 1 + k r2^2) ~ H (u1, v1, 1 + k r1^2), k the distortion of both
// pictures in the division model.
//   Z. Kukelova, J. Heller, M. Bujnak, T. Pajdla, Radial distortion homography, CVPR 2015
// H23 = 1 and x = H13. Five equations without the third row give H11, H12, H21, H22 and k x = d
// (x, 1, k); four with it then give H31, H32, H33 = L (x, 1, k, k^2) and k H33 = M (x, 1, k,
// k^2).
// This file was written by bifocal-generate from homography_5pt_shared_radial.problem: 4 roots, a
// template of 2 x 6, multiplication by k.
// Unknowns: x, k.
//   m = [x; 1; k; k*k]
//   k*x - d*[x; 1; k] = 0
//   k*L*m - M*m = 0
// The data are d [1][3], L [1][4], M [1][4], one after the other.

// clang-format off

// out += [x; 1; k; k*k], of degree 2.
lane_fn void homography_5pt_shared_radial_value_m(real* out) {
  real v0[24]; poly_clear(v0, 24);
  v0[1] += lane(1);
  (v0 + 6)[0] += lane(1);
  (v0 + 12)[2] += lane(1);
  real v1[3]; poly_clear(v1, 3);
  v1[2] = lane(1);
  real v2[3]; poly_clear(v2, 3);
  v2[2] = lane(1);
  poly_matrix_product_add(2, poly_matrix_of(v1, 1, 1, 1),
      poly_matrix_of(v2, 1, 1, 1), lane(1), (v0 + 18));
  poly_add(2, v0, 2, 4, lane(1), out, 2);
}

// out += k*x - d*[x; 1; k], of degree 3.
lane_fn void homography_5pt_shared_radial_equation_1(const real* data, real* out) {
  real v0[6]; poly_clear(v0, 6);
  real v1[3]; poly_clear(v1, 3);
  v1[2] = lane(1);
  real v2[3]; poly_clear(v2, 3);
  v2[1] = lane(1);
  poly_matrix_product_add(2, poly_matrix_of(v1, 1, 1, 1),
      poly_matrix_of(v2, 1, 1, 1), lane(1), v0);
  poly_add(2, v0, 2, 1, lane(1), out, 3);
  real v3[3]; poly_clear(v3, 3);
  real v4[9]; poly_clear(v4, 9);
  v4[1] += lane(1);
  (v4 + 3)[0] += lane(1);
  (v4 + 6)[2] += lane(1);
  poly_matrix_product_add(2, poly_matrix_of(data, 0, 1, 3),
      poly_matrix_of(v4, 1, 3, 1), lane(1), v3);
  poly_add(2, v3, 1, 1, lane(-1), out, 3);
}

// out += k*L*m - M*m, of degree 3.
lane_fn void homography_5pt_shared_radial_equation_2(const real* data, const real* m, real* out) {
  real v0[12]; poly_clear(v0, 12);
  real v1[3]; poly_clear(v1, 3);
  v1[2] = lane(1);
  poly_matrix_product_add(2, poly_matrix_of(v1, 1, 1, 1),
      poly_matrix_of((data + 3), 0, 1, 4), lane(1), v0);
  poly_matrix_product_add(2, poly_matrix_of(v0, 1, 1, 4),
      poly_matrix_of(m, 2, 4, 1), lane(1), out);
  real v2[6]; poly_clear(v2, 6);
  poly_matrix_product_add(2, poly_matrix_of((data + 7), 0, 1, 4),
      poly_matrix_of(m, 2, 4, 1), lane(1), v2);
  poly_add(2, v2, 2, 1, lane(-1), out, 3);
}

// The equations D [2][10].
lane_fn void homography_5pt_shared_radial_equations(const real* data, real* D) {
  real m[24];
  poly_clear(D, 20);
  poly_clear(m, 24);
  homography_5pt_shared_radial_value_m(m);
  homography_5pt_shared_radial_equation_1(data, D + 0);
  homography_5pt_shared_radial_equation_2(data, m, D + 10);
}

// roots: [4][2], the unknowns of each; unused slots NaN. Returns their number.
lane_fn real homography_5pt_shared_radial_roots(const real* data, real* roots) {
  const index monomials[6] = {0, 1, 2, 4, 5, 9};
  // The template's columns are
  //   kkk xk (to reduce)
  //   kk k x 1 (basis).
  const index column[10] = {5, 4, 3, -1, 1, 2, -1, -1, -1, 0};
  const index equation[2] = {0, 1};
  const index shift[4] = {0, 0, 0, 0};
  const index image[4] = {0, 2, 1, 3};
  const index first[3] = {0, 2, 6};
  const index pairs[12] = {3, 2, 1, 6, 3, 1, 2, 6, 1, 0, 0, 4};
  const elimination_template t = {.unknowns = 2, .degree = 3, .equations = 2, .used = 6, .rows = 2,
      .reducible = 2, .basis = 4, .monomials = monomials, .equation = equation, .shift = shift,
      .column = column, .image = image, .first = first, .pairs = pairs};
  real D[20], C[12], M[12], A[16], K[43], work[22];
  homography_5pt_shared_radial_equations(data, D);
  return template_roots(&t, D, C, M, A, K, work, roots);
}
