// SPDX-License-Identifier: BSD-3-Clause
// Camera matrices P ~ diag(f, f, 1) R, rows a, b, c, in the span of N1 to N5, from seven of eight
// equations of four points whose translation is eliminated.
//   C. Wu, P3.5P: pose estimation with unknown focal length, CVPR 2015
// The rows are orthogonal, |a| = |b|, and b x c and c x a are one multiple of a and b: without
// these cubics there are six more solutions, whose rows a and b are multiples of one another.
// This file was written by bifocal-generate from four_point_focal_p35.problem: 10 roots, a
// template of 25 x 35, multiplication by x.
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
// Polynomials are those of polynomials_4.lane.h.
// The data are N1 [3][3], N2 [3][3], N3 [3][3], N4 [3][3], N5 [3][3], one after the other.

// clang-format off

// out += x*N1 + y*N2 + z*N3 + w*N4 + N5, of degree 1.
lane_fn void four_point_focal_p35_value_P(const real* data, real* out) {
  real v0[5]; poly4_clear(v0, 5);
  v0[1] = lane(1);
  poly4_matrix_product_add(v0, 1, data, 0, 1, 1, 9, lane(1), out);
  real v1[5]; poly4_clear(v1, 5);
  v1[2] = lane(1);
  poly4_matrix_product_add(v1, 1, (data + 9), 0, 1, 1, 9, lane(1), out);
  real v2[5]; poly4_clear(v2, 5);
  v2[3] = lane(1);
  poly4_matrix_product_add(v2, 1, (data + 18), 0, 1, 1, 9, lane(1), out);
  real v3[5]; poly4_clear(v3, 5);
  v3[4] = lane(1);
  poly4_matrix_product_add(v3, 1, (data + 27), 0, 1, 1, 9, lane(1), out);
  poly4_add((data + 36), 0, 9, lane(1), out, 1);
}

// out += row(P, 1), of degree 1.
lane_fn void four_point_focal_p35_value_a(const real* P, real* out) {
  poly4_add(P, 1, 3, lane(1), out, 1);
}

// out += row(P, 2), of degree 1.
lane_fn void four_point_focal_p35_value_b(const real* P, real* out) {
  poly4_add((P + 15), 1, 3, lane(1), out, 1);
}

// out += row(P, 3), of degree 1.
lane_fn void four_point_focal_p35_value_c(const real* P, real* out) {
  poly4_add((P + 30), 1, 3, lane(1), out, 1);
}

// out += a*b', of degree 3.
lane_fn void four_point_focal_p35_equation_1(const real* a, const real* b, real* out) {
  real v0[15]; poly4_clear(v0, 15);
  poly4_matrix_product_add(a, 1, b, 1, 1, 3, 1, lane(1), v0);
  poly4_add(v0, 2, 1, lane(1), out, 3);
}

// out += a*c', of degree 3.
lane_fn void four_point_focal_p35_equation_2(const real* a, const real* c, real* out) {
  real v0[15]; poly4_clear(v0, 15);
  poly4_matrix_product_add(a, 1, c, 1, 1, 3, 1, lane(1), v0);
  poly4_add(v0, 2, 1, lane(1), out, 3);
}

// out += b*c', of degree 3.
lane_fn void four_point_focal_p35_equation_3(const real* b, const real* c, real* out) {
  real v0[15]; poly4_clear(v0, 15);
  poly4_matrix_product_add(b, 1, c, 1, 1, 3, 1, lane(1), v0);
  poly4_add(v0, 2, 1, lane(1), out, 3);
}

// out += a*a' - b*b', of degree 3.
lane_fn void four_point_focal_p35_equation_4(const real* a, const real* b, real* out) {
  real v0[15]; poly4_clear(v0, 15);
  poly4_matrix_product_add(a, 1, a, 1, 1, 3, 1, lane(1), v0);
  poly4_add(v0, 2, 1, lane(1), out, 3);
  real v1[15]; poly4_clear(v1, 15);
  poly4_matrix_product_add(b, 1, b, 1, 1, 3, 1, lane(1), v1);
  poly4_add(v1, 2, 1, lane(-1), out, 3);
}

// out += a'*(skew(c)*a')' - skew(b)*c'*b, of degree 3.
lane_fn void four_point_focal_p35_equation_5(const real* a, const real* b, const real* c,
    real* out) {
  real v0[45]; poly4_clear(v0, 45);
  real v1[45]; poly4_clear(v1, 45);
  poly4_skew_add(c, 1, v1);
  poly4_matrix_product_add(v1, 1, a, 1, 3, 3, 1, lane(1), v0);
  poly4_matrix_product_add(a, 1, v0, 2, 3, 1, 3, lane(1), out);
  real v2[45]; poly4_clear(v2, 45);
  real v3[45]; poly4_clear(v3, 45);
  poly4_skew_add(b, 1, v3);
  poly4_matrix_product_add(v3, 1, c, 1, 3, 3, 1, lane(1), v2);
  poly4_matrix_product_add(v2, 2, b, 1, 3, 1, 3, lane(-1), out);
}

// The coefficients C [13][35] of the equations, each of norm 1.
lane_fn void four_point_focal_p35_coefficients(const real* data, real* C) {
  real D[455];
  real P[45];
  real a[15];
  real b[15];
  real c[15];
  poly4_clear(D, 455);
  poly4_clear(P, 45);
  four_point_focal_p35_value_P(data, P);
  poly4_clear(a, 15);
  four_point_focal_p35_value_a(P, a);
  poly4_clear(b, 15);
  four_point_focal_p35_value_b(P, b);
  poly4_clear(c, 15);
  four_point_focal_p35_value_c(P, c);
  four_point_focal_p35_equation_1(a, b, D + 0);
  four_point_focal_p35_equation_2(a, c, D + 35);
  four_point_focal_p35_equation_3(b, c, D + 70);
  four_point_focal_p35_equation_4(a, b, D + 105);
  four_point_focal_p35_equation_5(a, b, c, D + 140);
  for (index i = 0; i < 13; ++i) {
    real sum = lane_tiny();
    for (index k = 0; k < 35; ++k) sum += D[35 * i + k] * D[35 * i + k];
    real scale = lane(1) / sqrt(sum);
    for (index k = 0; k < 35; ++k) C[35 * i + k] = D[35 * i + k] * scale;
  }
}

// The template M: an equation times a monomial in each row, whose columns are
//   www zww zzw zzz yww yzw yzz yyw yyz yyy xzw xyw xxw zw yw x 1 (excess)
//   xww xzz xyz xyy xxz xxy xxx xw (to reduce)
//   ww zz yz yy xz xy xx w z y (basis).
lane_fn void four_point_focal_p35_template(const real* C, real* M) {
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
  poly4_clear(M, 875);
  for (index i = 0; i < 25; ++i) {
    index p = 0;
    for (index t1 = 0; t1 <= 3; ++t1)
    for (index t2 = 0; t2 <= t1; ++t2)
    for (index t3 = 0; t3 <= t2; ++t3)
    for (index t4 = 0; t4 <= t3; ++t4) {
      const index to = column[poly4_place(t1 + shift[4 * i + 0], t2 + shift[4 * i + 1],
          t3 + shift[4 * i + 2], t4 + shift[4 * i + 3])], from = p++;
      if (to >= 0) M[35 * i + to] = C[35 * equation[i] + from];
    }
  }
}

// Eliminates the first 25 columns of M [25][35] with partial pivoting. The last 8 rows then
// express the monomials to reduce by the basis.
lane_fn void four_point_focal_p35_eliminate(real* M) {
  for (index k = 0; k < 25; ++k) {
    real head = M[36 * k], largest = fabs(head), factor[25];
    mask is_pivot[25];
    for (index i = k + 1; i < 25; ++i) largest = fmax(largest, fabs(M[35 * i + k]));
    // Row k changes places with the first row that has the largest element.
    mask searching = !(fabs(head) >= largest);
    real pivot = head;
    for (index i = k + 1; i < 25; ++i) {
      factor[i] = M[35 * i + k];
      is_pivot[i] = searching & (fabs(factor[i]) >= largest);
      searching = searching & !is_pivot[i];
      pivot = select(is_pivot[i], factor[i], pivot);
      factor[i] = select(is_pivot[i], head, factor[i]);
    }
    real inverse = lane(1) / pivot;
    for (index j = k + 1; j < 35; ++j) {
      real own = M[35 * k + j], chosen = own;
      for (index i = k + 1; i < 25; ++i) chosen = select(is_pivot[i], M[35 * i + j], chosen);
      chosen = chosen * inverse;
      for (index i = k + 1; i < 25; ++i)
        M[35 * i + j] = select(is_pivot[i], own, M[35 * i + j]) - factor[i] * chosen;
      M[35 * k + j] = chosen;
    }
  }
  for (index k = 24; k > 17; --k) {
    for (index i = 17; i < k; ++i) {
      real factor = M[35 * i + k];
      for (index j = 25; j < 35; ++j) M[35 * i + j] -= factor * M[35 * k + j];
    }
  }
}

// A [10][10]: x b = A b for the basis b at every solution.
lane_fn void four_point_focal_p35_action(const real* M, lane_array A) {
  const index pitch = lane_pitch(10);
  // The column of each element's image: of a monomial to reduce, or of the basis.
  const index image[10] = {17, 18, 19, 20, 21, 22, 23, 24, 29, 30};
  for (index i = 0; i < 10; ++i) {
    for (index j = 0; j < 10; ++j) {
      if (image[i] < 25)
        lane_at(A, pitch * i + j) = -M[35 * image[i] + 25 + j];
      else
        lane_at(A, pitch * i + j) = lane(image[i] == 25 + j ? 1 : 0);
    }
  }
}

// Four Gauss-Newton steps on the equations C. Returns their largest residual at x beside the largest
// monomial.
lane_fn real four_point_focal_p35_polish(const real* C, real* x) {
  real m[35], d[140], worst = lane(0), most = lane(1);
  for (index step = 0; step < 5; ++step) {
    real A[16], g[4];
    for (index i = 0; i < 16; ++i) A[i] = lane(0);
    for (index i = 0; i < 4; ++i) g[i] = lane(0);
    worst = lane(0);
    poly4_monomials(x, 3, m, d);
    for (index q = 0; q < 13; ++q) {
      real r = lane(0), J[4];
      for (index i = 0; i < 4; ++i) J[i] = lane(0);
      for (index k = 0; k < 35; ++k) {
        real c = C[35 * q + k];
        r += c * m[k];
        for (index i = 0; i < 4; ++i) J[i] += c * d[35 * i + k];
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
  for (index k = 0; k < 35; ++k) most = fmax(most, fabs(m[k]));
  return worst / most;
}

// The unknowns x [4] from an eigenvector b and its eigenvalue. Both m and x_k m are among b and
// value b for several monomials m: the largest of them is what is least disturbed.
lane_fn void four_point_focal_p35_extract(const real* b, real value, real* x) {
  const index first[5] = {0, 10, 15, 20, 22};
  const index place[44] = {9, 5, 8, 4, 7, 17, 6, 16, 5, 15, 4, 14, 3, 13, 2, 12, 1, 11, 0, 10, 9,
      3, 8, 2, 6, 15, 5, 13, 4, 12, 9, 2, 8, 1, 6, 14, 5, 12, 4, 11, 7, 0, 17, 10};
  real e[20];
  for (index i = 0; i < 10; ++i) {
    e[i] = b[i];
    e[10 + i] = value * b[i];
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

// solutions: [10][4], the unknowns of each; unused slots NaN. Returns their number.
lane_fn real four_point_focal_p35(const real* data, real* solutions) {
  real C[455], M[875], A[100], K[163];  // K: the work space of real_eigenvalues
  real b[10], x[4], kept = lane(0);
  four_point_focal_p35_coefficients(data, C);
  four_point_focal_p35_template(C, M);
  four_point_focal_p35_eliminate(M);
  four_point_focal_p35_action(M, A);
  lane_int status;
  lane_int found = real_eigenvalues(A, K, 10, 0, 30, &status);
  for (index i = 0; i < 40; ++i) solutions[i] = lane_nan();
  for (index s = 0; s < lanes_max(found); ++s) {
    real_eigenvector(A, K, 10, 0, s, b);
    four_point_focal_p35_extract(b, real_eigenvalue(K, 10, s), x);
    real residual = four_point_focal_p35_polish(C, x);
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
