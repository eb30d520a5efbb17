// SPDX-License-Identifier: BSD-3-Clause
// Fundamental matrices F with x2' F (u, v, 1 + k (u^2 + v^2)) = 0 for eight points, k the
// distortion of the first camera in the division model.
//   Y. Kuang, J. E. Solem, F. Kahl, K. Astrom, Minimal solvers for relative pose with a single
//   unknown radial distortion, CVPR 2014
// F = [A, (x, x2, 1)'] with x2 = (x, k x, 1, k) c; the eight equations are solved for the first
// two columns A, for c, and for d with k x2 = (x, k x, 1, k) d.
// This file was written by bifocal-generate from eight_point_one_sided_radial.problem: 8 roots, a
// template of 7 x 15, multiplication by k.
// Unknowns: x, k.
//   m = [x; k*x; 1; k]
//   F = [x*A1 + k*x*A2 + A3 + k*A4, [x; c*m; 1]]
//   k*c*m - d*m = 0
//   det(F) = 0
// Polynomials are those of polynomials_2.lane.h.
// The data are A1 [3][2], A2 [3][2], A3 [3][2], A4 [3][2], c [1][4], d [1][4], one after the
// other.

// clang-format off

// out += [x; k*x; 1; k], of degree 2.
lane_fn void eight_point_one_sided_radial_value_m(real* out) {
  real v0[24]; poly2_clear(v0, 24);
  v0[1] += lane(1);
  real v1[3]; poly2_clear(v1, 3);
  v1[2] = lane(1);
  real v2[3]; poly2_clear(v2, 3);
  v2[1] = lane(1);
  poly2_matrix_product_add(v1, 1, v2, 1, 1, 1, 1, lane(1), (v0 + 6));
  (v0 + 12)[0] += lane(1);
  (v0 + 18)[2] += lane(1);
  poly2_add(v0, 2, 4, lane(1), out, 2);
}

// out += [x*A1 + k*x*A2 + A3 + k*A4, [x; c*m; 1]], of degree 2.
lane_fn void eight_point_one_sided_radial_value_F(const real* data, const real* m, real* out) {
  real v0[54]; poly2_clear(v0, 54);
  real v1[36]; poly2_clear(v1, 36);
  real v2[18]; poly2_clear(v2, 18);
  real v3[3]; poly2_clear(v3, 3);
  v3[1] = lane(1);
  poly2_matrix_product_add(v3, 1, data, 0, 1, 1, 6, lane(1), v2);
  poly2_add(v2, 1, 6, lane(1), v1, 2);
  real v4[6]; poly2_clear(v4, 6);
  real v5[3]; poly2_clear(v5, 3);
  v5[2] = lane(1);
  real v6[3]; poly2_clear(v6, 3);
  v6[1] = lane(1);
  poly2_matrix_product_add(v5, 1, v6, 1, 1, 1, 1, lane(1), v4);
  poly2_matrix_product_add(v4, 2, (data + 6), 0, 1, 1, 6, lane(1), v1);
  poly2_add((data + 12), 0, 6, lane(1), v1, 2);
  real v7[18]; poly2_clear(v7, 18);
  real v8[3]; poly2_clear(v8, 3);
  v8[2] = lane(1);
  poly2_matrix_product_add(v8, 1, (data + 18), 0, 1, 1, 6, lane(1), v7);
  poly2_add(v7, 1, 6, lane(1), v1, 2);
  for (index i = 0; i < 3; ++i) poly2_add(v1 + 12 * i, 2, 2, lane(1), v0 + 18 * i, 2);
  real v9[18]; poly2_clear(v9, 18);
  v9[1] += lane(1);
  poly2_matrix_product_add((data + 24), 0, m, 2, 1, 4, 1, lane(1), (v9 + 6));
  (v9 + 12)[0] += lane(1);
  for (index i = 0; i < 3; ++i) poly2_add(v9 + 6 * i, 2, 1, lane(1), (v0 + 12) + 18 * i, 2);
  poly2_add(v0, 2, 9, lane(1), out, 2);
}

// out += k*c*m - d*m, of degree 6.
lane_fn void eight_point_one_sided_radial_equation_1(const real* data, const real* m, real* out) {
  real v0[10]; poly2_clear(v0, 10);
  real v1[12]; poly2_clear(v1, 12);
  real v2[3]; poly2_clear(v2, 3);
  v2[2] = lane(1);
  poly2_matrix_product_add(v2, 1, (data + 24), 0, 1, 1, 4, lane(1), v1);
  poly2_matrix_product_add(v1, 1, m, 2, 1, 4, 1, lane(1), v0);
  poly2_add(v0, 3, 1, lane(1), out, 6);
  real v3[6]; poly2_clear(v3, 6);
  poly2_matrix_product_add((data + 28), 0, m, 2, 1, 4, 1, lane(1), v3);
  poly2_add(v3, 2, 1, lane(-1), out, 6);
}

// out += det(F), of degree 6.
lane_fn void eight_point_one_sided_radial_equation_2(const real* F, real* out) {
  real v0[28]; poly2_clear(v0, 28);
  real minor1[15];
  poly2_determinant_add(F, 2, minor1, v0);
  poly2_add(v0, 6, 1, lane(1), out, 6);
}

// The coefficients C [2][16] of the equations, each of norm 1, of the monomials that occur.
lane_fn void eight_point_one_sided_radial_coefficients(const real* data, real* C) {
  real D[56];
  real m[24];
  real F[54];
  const index used[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 17, 18, 24};
  poly2_clear(D, 56);
  poly2_clear(m, 24);
  eight_point_one_sided_radial_value_m(m);
  poly2_clear(F, 54);
  eight_point_one_sided_radial_value_F(data, m, F);
  eight_point_one_sided_radial_equation_1(data, m, D + 0);
  eight_point_one_sided_radial_equation_2(F, D + 28);
  for (index i = 0; i < 2; ++i) {
    real sum = lane_tiny();
    for (index k = 0; k < 28; ++k) sum += D[28 * i + k] * D[28 * i + k];
    real scale = lane(1) / sqrt(sum);
    for (index k = 0; k < 16; ++k) C[16 * i + k] = D[28 * i + used[k]] * scale;
  }
}

// The template M: an equation times a monomial in each row, whose columns are
//   xxxkkk xxkkk xkkk (excess)
//   xxxkk xxkk xkk kk (to reduce)
//   xxxk xxk xxx xk xx k x 1 (basis).
lane_fn void eight_point_one_sided_radial_template(const real* C, real* M) {
  const index column[55] = {14, 13, 12, 11, 10, 6, 9, 8, 5, -1, -1, 7, 4, 2, -1, -1, -1, 3, 1, -1,
      -1, -1, -1, -1, 0, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
      -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
  const index equation[7] = {0, 1, 0, 0, 0, 0, 0};
  const index shift[14] = {0, 0, 0, 0, 1, 0, 1, 1, 2, 0, 2, 1, 3, 1};
  const index slot[28] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, -1, 10, 11, 12, -1, -1, -1, 13, 14, -1,
      -1, -1, -1, -1, 15, -1, -1, -1};
  poly2_clear(M, 105);
  for (index i = 0; i < 7; ++i) {
    index p = 0;
    for (index t1 = 0; t1 <= 6; ++t1)
    for (index t2 = 0; t2 <= t1; ++t2) {
      const index to = column[poly2_place(t1 + shift[2 * i + 0], t2 + shift[2 * i + 1])],
          from = slot[p++];
      if (from >= 0 && to >= 0) M[15 * i + to] = C[16 * equation[i] + from];
    }
  }
}

// Eliminates the first 7 columns of M [7][15] with partial pivoting. The last 4 rows then
// express the monomials to reduce by the basis.
lane_fn void eight_point_one_sided_radial_eliminate(real* M) {
  for (index k = 0; k < 7; ++k) {
    real head = M[16 * k], largest = fabs(head), factor[7];
    mask is_pivot[7];
    for (index i = k + 1; i < 7; ++i) largest = fmax(largest, fabs(M[15 * i + k]));
    // Row k changes places with the first row that has the largest element.
    mask searching = !(fabs(head) >= largest);
    real pivot = head;
    for (index i = k + 1; i < 7; ++i) {
      factor[i] = M[15 * i + k];
      is_pivot[i] = searching & (fabs(factor[i]) >= largest);
      searching = searching & !is_pivot[i];
      pivot = select(is_pivot[i], factor[i], pivot);
      factor[i] = select(is_pivot[i], head, factor[i]);
    }
    real inverse = lane(1) / pivot;
    for (index j = k + 1; j < 15; ++j) {
      real own = M[15 * k + j], chosen = own;
      for (index i = k + 1; i < 7; ++i) chosen = select(is_pivot[i], M[15 * i + j], chosen);
      chosen = chosen * inverse;
      for (index i = k + 1; i < 7; ++i)
        M[15 * i + j] = select(is_pivot[i], own, M[15 * i + j]) - factor[i] * chosen;
      M[15 * k + j] = chosen;
    }
  }
  for (index k = 6; k > 3; --k) {
    for (index i = 3; i < k; ++i) {
      real factor = M[15 * i + k];
      for (index j = 7; j < 15; ++j) M[15 * i + j] -= factor * M[15 * k + j];
    }
  }
}

// A [8][8]: k b = A b for the basis b at every solution.
lane_fn void eight_point_one_sided_radial_action(const real* M, lane_array A) {
  const index pitch = lane_pitch(8);
  // The column of each element's image: of a monomial to reduce, or of the basis.
  const index image[8] = {3, 4, 7, 5, 8, 6, 10, 12};
  for (index i = 0; i < 8; ++i) {
    for (index j = 0; j < 8; ++j) {
      if (image[i] < 7)
        lane_at(A, pitch * i + j) = -M[15 * image[i] + 7 + j];
      else
        lane_at(A, pitch * i + j) = lane(image[i] == 7 + j ? 1 : 0);
    }
  }
}

// Four Gauss-Newton steps on the equations C. Returns their largest residual at x beside the largest
// monomial.
lane_fn real eight_point_one_sided_radial_polish(const real* C, real* x) {
  const index used[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 17, 18, 24};
  real m[28], d[56], worst = lane(0), most = lane(1);
  for (index step = 0; step < 5; ++step) {
    real A[4], g[2];
    for (index i = 0; i < 4; ++i) A[i] = lane(0);
    for (index i = 0; i < 2; ++i) g[i] = lane(0);
    worst = lane(0);
    poly2_monomials(x, 6, m, d);
    for (index q = 0; q < 2; ++q) {
      real r = lane(0), J[2];
      for (index i = 0; i < 2; ++i) J[i] = lane(0);
      for (index k = 0; k < 16; ++k) {
        real c = C[16 * q + k];
        r += c * m[used[k]];
        for (index i = 0; i < 2; ++i) J[i] += c * d[28 * i + used[k]];
      }
      worst = fmax(worst, fabs(r));
      for (index i = 0; i < 2; ++i) {
        g[i] += J[i] * r;
        for (index j = 0; j <= i; ++j) A[2 * i + j] += J[i] * J[j];
      }
    }
    real size = lane(1), moved = lane(0);
    for (index i = 0; i < 2; ++i) size += fabs(x[i]);
    if (step == 4) break;
    real sound = ldl_solve(A, g, 2);
    for (index i = 0; i < 2; ++i) moved += fabs(g[i]);
    mask sane = (sound > lane(0)) & (moved < lane(0.1) * size);
    for (index i = 0; i < 2; ++i) x[i] -= select(sane, g[i], lane(0));
  }
  for (index k = 0; k < 16; ++k) most = fmax(most, fabs(m[used[k]]));
  return worst / most;
}

// The unknowns x [2] from an eigenvector b and its eigenvalue. Both m and x_k m are among b and
// value b for several monomials m: the largest of them is what is least disturbed.
lane_fn void eight_point_one_sided_radial_extract(const real* b, real value, real* x) {
  const index first[3] = {0, 9, 17};
  const index place[34] = {7, 6, 6, 4, 5, 3, 4, 2, 3, 1, 13, 11, 1, 0, 11, 9, 9, 8, 7, 5, 6, 3, 5,
      13, 4, 1, 3, 11, 2, 0, 1, 9, 0, 8};
  real e[16];
  for (index i = 0; i < 8; ++i) {
    e[i] = b[i];
    e[8 + i] = value * b[i];
  }
  for (index k = 0; k < 2; ++k) {
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

// solutions: [8][2], the unknowns of each; unused slots NaN. Returns their number.
lane_fn real eight_point_one_sided_radial(const real* data, real* solutions) {
  real C[32], M[105], A[72], K[123];  // K: the work space of real_eigenvalues
  real b[8], x[2], kept = lane(0);
  eight_point_one_sided_radial_coefficients(data, C);
  eight_point_one_sided_radial_template(C, M);
  eight_point_one_sided_radial_eliminate(M);
  eight_point_one_sided_radial_action(M, A);
  lane_int status;
  lane_int found = real_eigenvalues(A, K, 8, 0, 30, &status);
  for (index i = 0; i < 16; ++i) solutions[i] = lane_nan();
  for (index s = 0; s < lanes_max(found); ++s) {
    real_eigenvector(A, K, 8, 0, s, b);
    eight_point_one_sided_radial_extract(b, real_eigenvalue(K, 8, s), x);
    real residual = eight_point_one_sided_radial_polish(C, x);
    mask valid = (lane_int_of(s) < found) & (residual < sqrt(lane_epsilon()));
    for (index k = 0; k <= s; ++k) {
      mask here = valid & (kept == lane(k));
      for (index i = 0; i < 2; ++i)
        solutions[2 * k + i] = select(here, x[i], solutions[2 * k + i]);
    }
    kept += select(valid, lane(1), lane(0));
  }
  return kept;
}
