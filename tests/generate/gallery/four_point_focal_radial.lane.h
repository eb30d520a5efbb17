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
// This file was written by bifocal-generate from four_point_focal_radial.problem: 12 roots, a
// template of 26 x 40, multiplication by x.
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
// Polynomials are those of polynomials_4.lane.h.
// The data are N1 [3][3], N2 [3][3], N3 [3][3], N4 [3][3], K1 [1][3], K2 [1][3], K3 [1][3], K4
// [1][3], one after the other.

// clang-format off

// out += x*N1 + y*N2 + z*N3 + N4, of degree 1.
lane_fn void four_point_focal_radial_value_P(const real* data, real* out) {
  real v0[5]; poly4_clear(v0, 5);
  v0[1] = lane(1);
  poly4_matrix_product_add(v0, 1, data, 0, 1, 1, 9, lane(1), out);
  real v1[5]; poly4_clear(v1, 5);
  v1[2] = lane(1);
  poly4_matrix_product_add(v1, 1, (data + 9), 0, 1, 1, 9, lane(1), out);
  real v2[5]; poly4_clear(v2, 5);
  v2[3] = lane(1);
  poly4_matrix_product_add(v2, 1, (data + 18), 0, 1, 1, 9, lane(1), out);
  poly4_add((data + 27), 0, 9, lane(1), out, 1);
}

// out += row(P, 1), of degree 1.
lane_fn void four_point_focal_radial_value_a(const real* P, real* out) {
  poly4_add(P, 1, 3, lane(1), out, 1);
}

// out += row(P, 2), of degree 1.
lane_fn void four_point_focal_radial_value_b(const real* P, real* out) {
  poly4_add((P + 15), 1, 3, lane(1), out, 1);
}

// out += row(P, 3) + k*(x*K1 + y*K2 + z*K3 + K4), of degree 2.
lane_fn void four_point_focal_radial_value_c(const real* data, const real* P, real* out) {
  poly4_add((P + 30), 1, 3, lane(1), out, 2);
  real v0[5]; poly4_clear(v0, 5);
  v0[4] = lane(1);
  real v1[15]; poly4_clear(v1, 15);
  real v2[5]; poly4_clear(v2, 5);
  v2[1] = lane(1);
  poly4_matrix_product_add(v2, 1, (data + 36), 0, 1, 1, 3, lane(1), v1);
  real v3[5]; poly4_clear(v3, 5);
  v3[2] = lane(1);
  poly4_matrix_product_add(v3, 1, (data + 39), 0, 1, 1, 3, lane(1), v1);
  real v4[5]; poly4_clear(v4, 5);
  v4[3] = lane(1);
  poly4_matrix_product_add(v4, 1, (data + 42), 0, 1, 1, 3, lane(1), v1);
  poly4_add((data + 45), 0, 3, lane(1), v1, 1);
  poly4_matrix_product_add(v0, 1, v1, 1, 1, 1, 3, lane(1), out);
}

// out += a*b', of degree 4.
lane_fn void four_point_focal_radial_equation_1(const real* a, const real* b, real* out) {
  real v0[15]; poly4_clear(v0, 15);
  poly4_matrix_product_add(a, 1, b, 1, 1, 3, 1, lane(1), v0);
  poly4_add(v0, 2, 1, lane(1), out, 4);
}

// out += a*a' - b*b', of degree 4.
lane_fn void four_point_focal_radial_equation_2(const real* a, const real* b, real* out) {
  real v0[15]; poly4_clear(v0, 15);
  poly4_matrix_product_add(a, 1, a, 1, 1, 3, 1, lane(1), v0);
  poly4_add(v0, 2, 1, lane(1), out, 4);
  real v1[15]; poly4_clear(v1, 15);
  poly4_matrix_product_add(b, 1, b, 1, 1, 3, 1, lane(1), v1);
  poly4_add(v1, 2, 1, lane(-1), out, 4);
}

// out += a*c', of degree 4.
lane_fn void four_point_focal_radial_equation_3(const real* a, const real* c, real* out) {
  real v0[35]; poly4_clear(v0, 35);
  poly4_matrix_product_add(a, 1, c, 2, 1, 3, 1, lane(1), v0);
  poly4_add(v0, 3, 1, lane(1), out, 4);
}

// out += b*c', of degree 4.
lane_fn void four_point_focal_radial_equation_4(const real* b, const real* c, real* out) {
  real v0[35]; poly4_clear(v0, 35);
  poly4_matrix_product_add(b, 1, c, 2, 1, 3, 1, lane(1), v0);
  poly4_add(v0, 3, 1, lane(1), out, 4);
}

// out += a'*(skew(c)*a')' - skew(b)*c'*b, of degree 4.
lane_fn void four_point_focal_radial_equation_5(const real* a, const real* b, const real* c,
    real* out) {
  real v0[105]; poly4_clear(v0, 105);
  real v1[135]; poly4_clear(v1, 135);
  poly4_skew_add(c, 2, v1);
  poly4_matrix_product_add(v1, 2, a, 1, 3, 3, 1, lane(1), v0);
  poly4_matrix_product_add(a, 1, v0, 3, 3, 1, 3, lane(1), out);
  real v2[105]; poly4_clear(v2, 105);
  real v3[45]; poly4_clear(v3, 45);
  poly4_skew_add(b, 1, v3);
  poly4_matrix_product_add(v3, 1, c, 2, 3, 3, 1, lane(1), v2);
  poly4_matrix_product_add(v2, 3, b, 1, 3, 1, 3, lane(-1), out);
}

// The coefficients C [13][40] of the equations, each of norm 1, of the monomials that occur.
lane_fn void four_point_focal_radial_coefficients(const real* data, real* C) {
  real D[910];
  real P[45];
  real a[15];
  real b[15];
  real c[45];
  const index used[40] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 17, 18, 19, 20,
      21, 22, 23, 25, 26, 27, 28, 29, 31, 32, 38, 41, 43, 47, 49, 52, 57, 59, 62, 66};
  poly4_clear(D, 910);
  poly4_clear(P, 45);
  four_point_focal_radial_value_P(data, P);
  poly4_clear(a, 15);
  four_point_focal_radial_value_a(P, a);
  poly4_clear(b, 15);
  four_point_focal_radial_value_b(P, b);
  poly4_clear(c, 45);
  four_point_focal_radial_value_c(data, P, c);
  four_point_focal_radial_equation_1(a, b, D + 0);
  four_point_focal_radial_equation_2(a, b, D + 70);
  four_point_focal_radial_equation_3(a, c, D + 140);
  four_point_focal_radial_equation_4(b, c, D + 210);
  four_point_focal_radial_equation_5(a, b, c, D + 280);
  for (index i = 0; i < 13; ++i) {
    real sum = lane_tiny();
    for (index k = 0; k < 70; ++k) sum += D[70 * i + k] * D[70 * i + k];
    real scale = lane(1) / sqrt(sum);
    for (index k = 0; k < 40; ++k) C[40 * i + k] = D[70 * i + used[k]] * scale;
  }
}

// The template M: an equation times a monomial in each row, whose columns are
//   zzzk yzzk yyzk yyyk xzzk xxzk xxyk zzk zzz yzz yyz yyy xyk yk z (excess)
//   xyzk xyyk xxxk xzk xzz xyz xyy xxz xxy xxx x (to reduce)
//   yzk yyk xxk zk zz yz yy xk xz xy xx k y 1 (basis).
lane_fn void four_point_focal_radial_template(const real* C, real* M) {
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
  const index slot[70] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, -1, 14, 15, 16, 17, 18,
      19, 20, 21, 22, -1, 23, 24, 25, 26, 27, -1, 28, 29, -1, -1, -1, -1, -1, 30, -1, -1, 31, -1,
      32, -1, -1, -1, 33, -1, 34, -1, -1, 35, -1, -1, -1, -1, 36, -1, 37, -1, -1, 38, -1, -1, -1,
      39, -1, -1, -1};
  poly4_clear(M, 1040);
  for (index i = 0; i < 26; ++i) {
    index p = 0;
    for (index t1 = 0; t1 <= 4; ++t1)
    for (index t2 = 0; t2 <= t1; ++t2)
    for (index t3 = 0; t3 <= t2; ++t3)
    for (index t4 = 0; t4 <= t3; ++t4) {
      const index to = column[poly4_place(t1 + shift[4 * i + 0], t2 + shift[4 * i + 1],
          t3 + shift[4 * i + 2], t4 + shift[4 * i + 3])], from = slot[p++];
      if (from >= 0 && to >= 0) M[40 * i + to] = C[40 * equation[i] + from];
    }
  }
}

// Eliminates the first 26 columns of M [26][40] with partial pivoting. The last 11 rows then
// express the monomials to reduce by the basis.
lane_fn void four_point_focal_radial_eliminate(real* M) {
  for (index k = 0; k < 26; ++k) {
    real head = M[41 * k], largest = fabs(head), factor[26];
    mask is_pivot[26];
    for (index i = k + 1; i < 26; ++i) largest = fmax(largest, fabs(M[40 * i + k]));
    // Row k changes places with the first row that has the largest element.
    mask searching = !(fabs(head) >= largest);
    real pivot = head;
    for (index i = k + 1; i < 26; ++i) {
      factor[i] = M[40 * i + k];
      is_pivot[i] = searching & (fabs(factor[i]) >= largest);
      searching = searching & !is_pivot[i];
      pivot = select(is_pivot[i], factor[i], pivot);
      factor[i] = select(is_pivot[i], head, factor[i]);
    }
    real inverse = lane(1) / pivot;
    for (index j = k + 1; j < 40; ++j) {
      real own = M[40 * k + j], chosen = own;
      for (index i = k + 1; i < 26; ++i) chosen = select(is_pivot[i], M[40 * i + j], chosen);
      chosen = chosen * inverse;
      for (index i = k + 1; i < 26; ++i)
        M[40 * i + j] = select(is_pivot[i], own, M[40 * i + j]) - factor[i] * chosen;
      M[40 * k + j] = chosen;
    }
  }
  for (index k = 25; k > 15; --k) {
    for (index i = 15; i < k; ++i) {
      real factor = M[40 * i + k];
      for (index j = 26; j < 40; ++j) M[40 * i + j] -= factor * M[40 * k + j];
    }
  }
}

// A [14][14]: x b = A b for the basis b at every solution.
lane_fn void four_point_focal_radial_action(const real* M, lane_array A) {
  const index pitch = lane_pitch(14);
  // The column of each element's image: of a monomial to reduce, or of the basis.
  const index image[14] = {15, 16, 17, 18, 19, 20, 21, 28, 22, 23, 24, 33, 35, 25};
  for (index i = 0; i < 14; ++i) {
    for (index j = 0; j < 14; ++j) {
      if (image[i] < 26)
        lane_at(A, pitch * i + j) = -M[40 * image[i] + 26 + j];
      else
        lane_at(A, pitch * i + j) = lane(image[i] == 26 + j ? 1 : 0);
    }
  }
}

// Four Gauss-Newton steps on the equations C. Returns their largest residual at x beside the largest
// monomial.
lane_fn real four_point_focal_radial_polish(const real* C, real* x) {
  const index used[40] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 17, 18, 19, 20,
      21, 22, 23, 25, 26, 27, 28, 29, 31, 32, 38, 41, 43, 47, 49, 52, 57, 59, 62, 66};
  real m[70], d[280], worst = lane(0), most = lane(1);
  for (index step = 0; step < 5; ++step) {
    real A[16], g[4];
    for (index i = 0; i < 16; ++i) A[i] = lane(0);
    for (index i = 0; i < 4; ++i) g[i] = lane(0);
    worst = lane(0);
    poly4_monomials(x, 4, m, d);
    for (index q = 0; q < 13; ++q) {
      real r = lane(0), J[4];
      for (index i = 0; i < 4; ++i) J[i] = lane(0);
      for (index k = 0; k < 40; ++k) {
        real c = C[40 * q + k];
        r += c * m[used[k]];
        for (index i = 0; i < 4; ++i) J[i] += c * d[70 * i + used[k]];
      }
      worst = fmax(worst, fabs(r));
      for (index i = 0; i < 4; ++i) {
        g[i] += J[i] * r;
        for (index j = 0; j <= i; ++j) A[4 * i + j] += J[i] * J[j];
      }
    }
    real size = lane(1), moved = lane(0);
    for (index i = 0; i < 4; ++i) size += fabs(x[i]);
    if (step == 4) break;
    real sound = ldl_solve(A, g, 4);
    for (index i = 0; i < 4; ++i) moved += fabs(g[i]);
    mask sane = (sound > lane(0)) & (moved < lane(0.1) * size);
    for (index i = 0; i < 4; ++i) x[i] -= select(sane, g[i], lane(0));
  }
  for (index k = 0; k < 40; ++k) most = fmax(most, fabs(m[used[k]]));
  return worst / most;
}

// The unknowns x [4] from an eigenvector b and its eigenvalue. Both m and x_k m are among b and
// value b for several monomials m: the largest of them is what is least disturbed.
lane_fn void four_point_focal_radial_extract(const real* b, real value, real* x) {
  const index first[5] = {0, 15, 23, 30, 39};
  const index place[78] = {13, 27, 27, 10, 12, 9, 11, 7, 10, 24, 9, 23, 8, 22, 7, 2, 6, 20, 5, 19,
      4, 18, 3, 17, 2, 16, 1, 15, 0, 14, 13, 12, 27, 9, 12, 6, 10, 23, 9, 20, 8, 19, 3, 0, 17, 14,
      27, 8, 12, 5, 11, 3, 10, 22, 9, 19, 8, 18, 7, 17, 13, 11, 27, 7, 10, 2, 8, 17, 6, 1, 5, 0,
      24, 16, 20, 15, 19, 14};
  real e[28];
  for (index i = 0; i < 14; ++i) {
    e[i] = b[i];
    e[14 + i] = value * b[i];
  }
  for (index k = 0; k < 4; ++k) {
    real best = lane(0), part = lane(0);
    for (index i = first[k]; i < first[k + 1]; ++i) {
      real own = e[place[2 * i]];
      mask better = fabs(own) > fabs(best);
      best = select(better, own, best);
      part = select(better, e[place[2 * i + 1]], part);
    }
    x[k] = part / best;
  }
}

// solutions: [14][4], the unknowns of each; unused slots NaN. Returns their number.
lane_fn real four_point_focal_radial(const real* data, real* solutions) {
  real C[520], M[1040], A[196], K[283];  // K: the work space of real_eigenvalues
  real b[14], x[4], kept = lane(0);
  four_point_focal_radial_coefficients(data, C);
  four_point_focal_radial_template(C, M);
  four_point_focal_radial_eliminate(M);
  four_point_focal_radial_action(M, A);
  lane_int status;
  lane_int found = real_eigenvalues(A, K, 14, 0, 30, &status);
  for (index i = 0; i < 56; ++i) solutions[i] = lane_nan();
  for (index s = 0; s < lanes_max(found); ++s) {
    real_eigenvector(A, K, 14, 0, s, b);
    four_point_focal_radial_extract(b, real_eigenvalue(K, 14, s), x);
    real residual = four_point_focal_radial_polish(C, x);
    mask valid = (lane_int_of(s) < found) & (residual < sqrt(lane_epsilon()));
    for (index k = 0; k <= s; ++k) {
      mask here = valid & (kept == lane(k));
      for (index i = 0; i < 4; ++i)
        solutions[4 * k + i] = select(here, x[i], solutions[4 * k + i]);
    }
    kept += select(valid, lane(1), lane(0));
  }
  return kept;
}
