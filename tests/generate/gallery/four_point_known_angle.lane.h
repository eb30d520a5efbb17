// SPDX-License-Identifier: BSD-3-Clause
// Rotations R by a known angle, R ~ (1 - u'u) I + 2 u u' + 2 [u], u = (x, y, z) of length
// tan(angle / 2), where b' [t] R a = 0 for four bearings a and b.
//   B. Li, L. Heng, G. H. Lee, M. Pollefeys, A 4-point algorithm for relative pose estimation of
//   a calibrated camera with a known relative rotation angle, IROS 2013
// s is the square of tan(angle / 2); aij = ai x aj, bij = bi x bj. The planes b x R a of any
// three points have a common line, t: (bi x R ai).((bj x R aj) x (bk x R ak)) = 0 is quadratic in
// R, as R aj x R ak ~ R ajk.
// This file was written by bifocal-generate from four_point_known_angle.problem: 20 roots, a
// template of 36 x 56, multiplication by x.
// Unknowns: x, y, z.
//   u = [x; y; z]
//   R = (1 - s)*diag(1, 1, 1) + 2*u*u' + 2*skew(u)
//   u'*u - s = 0
//   b13*R*a1*b2*R*a23 - b23*R*a2*b1*R*a13 = 0
//   b14*R*a1*b2*R*a24 - b24*R*a2*b1*R*a14 = 0
//   b14*R*a1*b3*R*a34 - b34*R*a3*b1*R*a14 = 0
//   b24*R*a2*b3*R*a34 - b34*R*a3*b2*R*a24 = 0
// Polynomials are those of polynomials_3.lane.h.
// The data are a1 [3][1], a2 [3][1], a3 [3][1], a13 [3][1], a14 [3][1], a23 [3][1], a24 [3][1],
// a34 [3][1], b1 [1][3], b2 [1][3], b3 [1][3], b13 [1][3], b14 [1][3], b23 [1][3], b24 [1][3],
// b34 [1][3], s [1][1], one after the other.

// clang-format off

// out += [x; y; z], of degree 1.
lane_fn void four_point_known_angle_value_u(real* out) {
  real v0[12]; poly3_clear(v0, 12);
  v0[1] += lane(1);
  (v0 + 4)[2] += lane(1);
  (v0 + 8)[3] += lane(1);
  poly3_add(v0, 1, 3, lane(1), out, 1);
}

// out += (1 - s)*diag(1, 1, 1) + 2*u*u' + 2*skew(u), of degree 2.
lane_fn void four_point_known_angle_value_R(const real* data, const real* u, real* out) {
  real v0[9]; poly3_clear(v0, 9);
  real v1[1]; poly3_clear(v1, 1);
  v1[0] += lane(1);
  poly3_add((data + 48), 0, 1, lane(-1), v1, 0);
  real v2[9]; poly3_clear(v2, 9);
  v2[0] += lane(1);
  (v2 + 4)[0] += lane(1);
  (v2 + 8)[0] += lane(1);
  poly3_matrix_product_add(v1, 0, v2, 0, 1, 1, 9, lane(1), v0);
  poly3_add(v0, 0, 9, lane(1), out, 2);
  real v3[12]; poly3_clear(v3, 12);
  poly3_add(u, 1, 3, lane(2), v3, 1);
  poly3_matrix_product_add(v3, 1, u, 1, 3, 1, 3, lane(1), out);
  real v4[36]; poly3_clear(v4, 36);
  poly3_skew_add(u, 1, v4);
  poly3_add(v4, 1, 9, lane(2), out, 2);
}

// out += u'*u - s, of degree 4.
lane_fn void four_point_known_angle_equation_1(const real* data, const real* u, real* out) {
  real v0[10]; poly3_clear(v0, 10);
  poly3_matrix_product_add(u, 1, u, 1, 1, 3, 1, lane(1), v0);
  poly3_add(v0, 2, 1, lane(1), out, 4);
  poly3_add((data + 48), 0, 1, lane(-1), out, 4);
}

// out += b13*R*a1*b2*R*a23 - b23*R*a2*b1*R*a13, of degree 4.
lane_fn void four_point_known_angle_equation_2(const real* data, const real* R, real* out) {
  real v0[105]; poly3_clear(v0, 105);
  real v1[30]; poly3_clear(v1, 30);
  real v2[10]; poly3_clear(v2, 10);
  real v3[30]; poly3_clear(v3, 30);
  poly3_matrix_product_add((data + 33), 0, R, 2, 1, 3, 3, lane(1), v3);
  poly3_matrix_product_add(v3, 2, data, 0, 1, 3, 1, lane(1), v2);
  poly3_matrix_product_add(v2, 2, (data + 27), 0, 1, 1, 3, lane(1), v1);
  poly3_matrix_product_add(v1, 2, R, 2, 1, 3, 3, lane(1), v0);
  poly3_matrix_product_add(v0, 4, (data + 15), 0, 1, 3, 1, lane(1), out);
  real v4[105]; poly3_clear(v4, 105);
  real v5[30]; poly3_clear(v5, 30);
  real v6[10]; poly3_clear(v6, 10);
  real v7[30]; poly3_clear(v7, 30);
  poly3_matrix_product_add((data + 39), 0, R, 2, 1, 3, 3, lane(1), v7);
  poly3_matrix_product_add(v7, 2, (data + 3), 0, 1, 3, 1, lane(1), v6);
  poly3_matrix_product_add(v6, 2, (data + 24), 0, 1, 1, 3, lane(1), v5);
  poly3_matrix_product_add(v5, 2, R, 2, 1, 3, 3, lane(1), v4);
  poly3_matrix_product_add(v4, 4, (data + 9), 0, 1, 3, 1, lane(-1), out);
}

// out += b14*R*a1*b2*R*a24 - b24*R*a2*b1*R*a14, of degree 4.
lane_fn void four_point_known_angle_equation_3(const real* data, const real* R, real* out) {
  real v0[105]; poly3_clear(v0, 105);
  real v1[30]; poly3_clear(v1, 30);
  real v2[10]; poly3_clear(v2, 10);
  real v3[30]; poly3_clear(v3, 30);
  poly3_matrix_product_add((data + 36), 0, R, 2, 1, 3, 3, lane(1), v3);
  poly3_matrix_product_add(v3, 2, data, 0, 1, 3, 1, lane(1), v2);
  poly3_matrix_product_add(v2, 2, (data + 27), 0, 1, 1, 3, lane(1), v1);
  poly3_matrix_product_add(v1, 2, R, 2, 1, 3, 3, lane(1), v0);
  poly3_matrix_product_add(v0, 4, (data + 18), 0, 1, 3, 1, lane(1), out);
  real v4[105]; poly3_clear(v4, 105);
  real v5[30]; poly3_clear(v5, 30);
  real v6[10]; poly3_clear(v6, 10);
  real v7[30]; poly3_clear(v7, 30);
  poly3_matrix_product_add((data + 42), 0, R, 2, 1, 3, 3, lane(1), v7);
  poly3_matrix_product_add(v7, 2, (data + 3), 0, 1, 3, 1, lane(1), v6);
  poly3_matrix_product_add(v6, 2, (data + 24), 0, 1, 1, 3, lane(1), v5);
  poly3_matrix_product_add(v5, 2, R, 2, 1, 3, 3, lane(1), v4);
  poly3_matrix_product_add(v4, 4, (data + 12), 0, 1, 3, 1, lane(-1), out);
}

// out += b14*R*a1*b3*R*a34 - b34*R*a3*b1*R*a14, of degree 4.
lane_fn void four_point_known_angle_equation_4(const real* data, const real* R, real* out) {
  real v0[105]; poly3_clear(v0, 105);
  real v1[30]; poly3_clear(v1, 30);
  real v2[10]; poly3_clear(v2, 10);
  real v3[30]; poly3_clear(v3, 30);
  poly3_matrix_product_add((data + 36), 0, R, 2, 1, 3, 3, lane(1), v3);
  poly3_matrix_product_add(v3, 2, data, 0, 1, 3, 1, lane(1), v2);
  poly3_matrix_product_add(v2, 2, (data + 30), 0, 1, 1, 3, lane(1), v1);
  poly3_matrix_product_add(v1, 2, R, 2, 1, 3, 3, lane(1), v0);
  poly3_matrix_product_add(v0, 4, (data + 21), 0, 1, 3, 1, lane(1), out);
  real v4[105]; poly3_clear(v4, 105);
  real v5[30]; poly3_clear(v5, 30);
  real v6[10]; poly3_clear(v6, 10);
  real v7[30]; poly3_clear(v7, 30);
  poly3_matrix_product_add((data + 45), 0, R, 2, 1, 3, 3, lane(1), v7);
  poly3_matrix_product_add(v7, 2, (data + 6), 0, 1, 3, 1, lane(1), v6);
  poly3_matrix_product_add(v6, 2, (data + 24), 0, 1, 1, 3, lane(1), v5);
  poly3_matrix_product_add(v5, 2, R, 2, 1, 3, 3, lane(1), v4);
  poly3_matrix_product_add(v4, 4, (data + 12), 0, 1, 3, 1, lane(-1), out);
}

// out += b24*R*a2*b3*R*a34 - b34*R*a3*b2*R*a24, of degree 4.
lane_fn void four_point_known_angle_equation_5(const real* data, const real* R, real* out) {
  real v0[105]; poly3_clear(v0, 105);
  real v1[30]; poly3_clear(v1, 30);
  real v2[10]; poly3_clear(v2, 10);
  real v3[30]; poly3_clear(v3, 30);
  poly3_matrix_product_add((data + 42), 0, R, 2, 1, 3, 3, lane(1), v3);
  poly3_matrix_product_add(v3, 2, (data + 3), 0, 1, 3, 1, lane(1), v2);
  poly3_matrix_product_add(v2, 2, (data + 30), 0, 1, 1, 3, lane(1), v1);
  poly3_matrix_product_add(v1, 2, R, 2, 1, 3, 3, lane(1), v0);
  poly3_matrix_product_add(v0, 4, (data + 21), 0, 1, 3, 1, lane(1), out);
  real v4[105]; poly3_clear(v4, 105);
  real v5[30]; poly3_clear(v5, 30);
  real v6[10]; poly3_clear(v6, 10);
  real v7[30]; poly3_clear(v7, 30);
  poly3_matrix_product_add((data + 45), 0, R, 2, 1, 3, 3, lane(1), v7);
  poly3_matrix_product_add(v7, 2, (data + 6), 0, 1, 3, 1, lane(1), v6);
  poly3_matrix_product_add(v6, 2, (data + 27), 0, 1, 1, 3, lane(1), v5);
  poly3_matrix_product_add(v5, 2, R, 2, 1, 3, 3, lane(1), v4);
  poly3_matrix_product_add(v4, 4, (data + 18), 0, 1, 3, 1, lane(-1), out);
}

// The coefficients C [5][35] of the equations, each of norm 1.
lane_fn void four_point_known_angle_coefficients(const real* data, real* C) {
  real D[175];
  real u[12];
  real R[90];
  poly3_clear(D, 175);
  poly3_clear(u, 12);
  four_point_known_angle_value_u(u);
  poly3_clear(R, 90);
  four_point_known_angle_value_R(data, u, R);
  four_point_known_angle_equation_1(data, u, D + 0);
  four_point_known_angle_equation_2(data, R, D + 35);
  four_point_known_angle_equation_3(data, R, D + 70);
  four_point_known_angle_equation_4(data, R, D + 105);
  four_point_known_angle_equation_5(data, R, D + 140);
  for (index i = 0; i < 5; ++i) {
    real sum = lane_tiny();
    for (index k = 0; k < 35; ++k) sum += D[35 * i + k] * D[35 * i + k];
    real scale = lane(1) / sqrt(sum);
    for (index k = 0; k < 35; ++k) C[35 * i + k] = D[35 * i + k] * scale;
  }
}

// The template M: an equation times a monomial in each row, whose columns are
//   zzzzz yzzzz yyzzz yyyzz yyyyz yyyyy xyyyz xyyyy xxzzz xxyzz xxxzz xxxxz xxxxx yyyz yyyy xzzz xyzz xxxz zzz yzz xyz xyy yz yy y (excess)
//   xzzzz xyzzz xyyzz xxyyz xxyyy xxxyz xxxyy xxxxy xxzz xxxx xxz (to reduce)
//   zzzz yzzz yyzz xyyz xyyy xxyz xxyy xxxy yyz yyy xzz xxy xxx zz xz xy xx z x 1 (basis).
lane_fn void four_point_known_angle_template(const real* C, real* M) {
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
  poly3_clear(M, 2016);
  for (index i = 0; i < 36; ++i) {
    index p = 0;
    for (index t1 = 0; t1 <= 4; ++t1)
    for (index t2 = 0; t2 <= t1; ++t2)
    for (index t3 = 0; t3 <= t2; ++t3) {
      const index to = column[poly3_place(t1 + shift[3 * i + 0], t2 + shift[3 * i + 1],
          t3 + shift[3 * i + 2])], from = p++;
      if (to >= 0) M[56 * i + to] = C[35 * equation[i] + from];
    }
  }
}

// Eliminates the first 36 columns of M [36][56] with partial pivoting. The last 11 rows then
// express the monomials to reduce by the basis.
lane_fn void four_point_known_angle_eliminate(real* M) {
  for (index k = 0; k < 36; ++k) {
    real head = M[57 * k], largest = fabs(head), factor[36];
    mask is_pivot[36];
    for (index i = k + 1; i < 36; ++i) largest = fmax(largest, fabs(M[56 * i + k]));
    // Row k changes places with the first row that has the largest element.
    mask searching = !(fabs(head) >= largest);
    real pivot = head;
    for (index i = k + 1; i < 36; ++i) {
      factor[i] = M[56 * i + k];
      is_pivot[i] = searching & (fabs(factor[i]) >= largest);
      searching = searching & !is_pivot[i];
      pivot = select(is_pivot[i], factor[i], pivot);
      factor[i] = select(is_pivot[i], head, factor[i]);
    }
    real inverse = lane(1) / pivot;
    for (index j = k + 1; j < 56; ++j) {
      real own = M[56 * k + j], chosen = own;
      for (index i = k + 1; i < 36; ++i) chosen = select(is_pivot[i], M[56 * i + j], chosen);
      chosen = chosen * inverse;
      for (index i = k + 1; i < 36; ++i)
        M[56 * i + j] = select(is_pivot[i], own, M[56 * i + j]) - factor[i] * chosen;
      M[56 * k + j] = chosen;
    }
  }
  for (index k = 35; k > 25; --k) {
    for (index i = 25; i < k; ++i) {
      real factor = M[56 * i + k];
      for (index j = 36; j < 56; ++j) M[56 * i + j] -= factor * M[56 * k + j];
    }
  }
}

// A [20][20]: x b = A b for the basis b at every solution.
lane_fn void four_point_known_angle_action(const real* M, lane_array A) {
  const index pitch = lane_pitch(20);
  // The column of each element's image: of a monomial to reduce, or of the basis.
  const index image[20] = {25, 26, 27, 28, 29, 30, 31, 32, 39, 40, 33, 43, 34, 46, 35, 47, 48, 50,
      52, 54};
  for (index i = 0; i < 20; ++i) {
    for (index j = 0; j < 20; ++j) {
      if (image[i] < 36)
        lane_at(A, pitch * i + j) = -M[56 * image[i] + 36 + j];
      else
        lane_at(A, pitch * i + j) = lane(image[i] == 36 + j ? 1 : 0);
    }
  }
}

// Four Gauss-Newton steps on the equations C. Returns their largest residual at x beside the largest
// monomial.
lane_fn real four_point_known_angle_polish(const real* C, real* x) {
  real m[35], d[105], worst = lane(0), most = lane(1);
  for (index step = 0; step < 5; ++step) {
    real A[9], g[3];
    for (index i = 0; i < 9; ++i) A[i] = lane(0);
    for (index i = 0; i < 3; ++i) g[i] = lane(0);
    worst = lane(0);
    poly3_monomials(x, 4, m, d);
    for (index q = 0; q < 5; ++q) {
      real r = lane(0), J[3];
      for (index i = 0; i < 3; ++i) J[i] = lane(0);
      for (index k = 0; k < 35; ++k) {
        real c = C[35 * q + k];
        r += c * m[k];
        for (index i = 0; i < 3; ++i) J[i] += c * d[35 * i + k];
      }
      worst = fmax(worst, fabs(r));
      for (index i = 0; i < 3; ++i) {
        g[i] += J[i] * r;
        for (index j = 0; j <= i; ++j) A[3 * i + j] += J[i] * J[j];
      }
    }
    real size = lane(1), moved = lane(0);
    for (index i = 0; i < 3; ++i) size += fabs(x[i]);
    if (step == 4) break;
    real sound = ldl_solve(A, g, 3);
    for (index i = 0; i < 3; ++i) moved += fabs(g[i]);
    mask sane = (sound > lane(0)) & (moved < lane(0.1) * size);
    for (index i = 0; i < 3; ++i) x[i] -= select(sane, g[i], lane(0));
  }
  for (index k = 0; k < 35; ++k) most = fmax(most, fabs(m[k]));
  return worst / most;
}

// The unknowns x [3] from an eigenvector b and its eigenvalue. Both m and x_k m are among b and
// value b for several monomials m: the largest of them is what is least disturbed.
lane_fn void four_point_known_angle_extract(const real* b, real value, real* x) {
  const index first[4] = {0, 20, 29, 40};
  const index place[80] = {19, 18, 18, 16, 17, 14, 16, 12, 15, 11, 14, 34, 13, 10, 12, 32, 11, 7,
      10, 30, 9, 4, 8, 3, 7, 27, 6, 26, 5, 25, 4, 24, 3, 23, 2, 22, 1, 21, 0, 20, 18, 15, 16, 11,
      12, 7, 11, 6, 34, 5, 32, 27, 7, 26, 6, 24, 5, 23, 19, 17, 18, 14, 17, 13, 16, 34, 14, 10, 11,
      5, 34, 30, 8, 2, 7, 25, 6, 23, 3, 22};
  real e[40];
  for (index i = 0; i < 20; ++i) {
    e[i] = b[i];
    e[20 + i] = value * b[i];
  }
  for (index k = 0; k < 3; ++k) {
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

// solutions: [20][3], the unknowns of each; unused slots NaN. Returns their number.
lane_fn real four_point_known_angle(const real* data, real* solutions) {
  real C[175], M[2016], A[400], K[523];  // K: the work space of real_eigenvalues
  real b[20], x[3], kept = lane(0);
  four_point_known_angle_coefficients(data, C);
  four_point_known_angle_template(C, M);
  four_point_known_angle_eliminate(M);
  four_point_known_angle_action(M, A);
  lane_int status;
  lane_int found = real_eigenvalues(A, K, 20, 0, 30, &status);
  for (index i = 0; i < 60; ++i) solutions[i] = lane_nan();
  for (index s = 0; s < lanes_max(found); ++s) {
    real_eigenvector(A, K, 20, 0, s, b);
    four_point_known_angle_extract(b, real_eigenvalue(K, 20, s), x);
    real residual = four_point_known_angle_polish(C, x);
    mask valid = (lane_int_of(s) < found) & (residual < sqrt(lane_epsilon()));
    for (index k = 0; k <= s; ++k) {
      mask here = valid & (kept == lane(k));
      for (index i = 0; i < 3; ++i)
        solutions[3 * k + i] = select(here, x[i], solutions[3 * k + i]);
    }
    kept += select(valid, lane(1), lane(0));
  }
  return kept;
}
