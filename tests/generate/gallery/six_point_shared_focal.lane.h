// SPDX-License-Identifier: BSD-3-Clause
// Fundamental matrices F = [x N1 + y N2 + N3; x y 1] of six epipolar equations, where diag(f, f,
// 1) F diag(f, f, 1) is an essential matrix and q = 1 / f^2.
//   H. Stewenius, D. Nister, F. Kahl, F. Schaffalitzky, A minimal solution for relative pose with
//   unknown focal length, CVPR 2005
// The six equations are solved for the first two rows of F: N1 to N3 are what its last row is
// multiplied by.
// This file was written by bifocal-generate from six_point_shared_focal.problem: 15 roots, a
// template of 11 x 26, multiplication by x.
// Unknowns: x, y, q.
//   F = [x*N1 + y*N2 + N3; x, y, 1]
//   G = F*diag(1, 1, q)*F'*diag(1, 1, q)
//   det(F) = 0
//   2*G*F - trace(G)*F = 0
// Polynomials are those of polynomials_3.lane.h.
// The data are N1 [2][3], N2 [2][3], N3 [2][3], one after the other.

// clang-format off

// out += [x*N1 + y*N2 + N3; x, y, 1], of degree 1.
lane_fn void six_point_shared_focal_value_F(const real* data, real* out) {
  real v0[36]; poly3_clear(v0, 36);
  real v1[24]; poly3_clear(v1, 24);
  real v2[4]; poly3_clear(v2, 4);
  v2[1] = lane(1);
  poly3_matrix_product_add(v2, 1, data, 0, 1, 1, 6, lane(1), v1);
  real v3[4]; poly3_clear(v3, 4);
  v3[2] = lane(1);
  poly3_matrix_product_add(v3, 1, (data + 6), 0, 1, 1, 6, lane(1), v1);
  poly3_add((data + 12), 0, 6, lane(1), v1, 1);
  for (index i = 0; i < 2; ++i) poly3_add(v1 + 12 * i, 1, 3, lane(1), v0 + 12 * i, 1);
  (v0 + 24)[1] += lane(1);
  (v0 + 28)[2] += lane(1);
  (v0 + 32)[0] += lane(1);
  poly3_add(v0, 1, 9, lane(1), out, 1);
}

// out += F*diag(1, 1, q)*F'*diag(1, 1, q), of degree 4.
lane_fn void six_point_shared_focal_value_G(const real* F, real* out) {
  real v0[180]; poly3_clear(v0, 180);
  real v1[90]; poly3_clear(v1, 90);
  real v2[36]; poly3_clear(v2, 36);
  v2[0] += lane(1);
  (v2 + 16)[0] += lane(1);
  (v2 + 32)[3] += lane(1);
  poly3_matrix_product_add(F, 1, v2, 1, 3, 3, 3, lane(1), v1);
  real v3[36]; poly3_clear(v3, 36);
  poly3_transpose_add(F, 1, 3, 3, v3);
  poly3_matrix_product_add(v1, 2, v3, 1, 3, 3, 3, lane(1), v0);
  real v4[36]; poly3_clear(v4, 36);
  v4[0] += lane(1);
  (v4 + 16)[0] += lane(1);
  (v4 + 32)[3] += lane(1);
  poly3_matrix_product_add(v0, 3, v4, 1, 3, 3, 3, lane(1), out);
}

// out += det(F), of degree 5.
lane_fn void six_point_shared_focal_equation_1(const real* F, real* out) {
  real v0[20]; poly3_clear(v0, 20);
  real minor1[10];
  poly3_determinant_add(F, 1, minor1, v0);
  poly3_add(v0, 3, 1, lane(1), out, 5);
}

// out += 2*G*F - trace(G)*F, of degree 5.
lane_fn void six_point_shared_focal_equation_2(const real* F, const real* G, real* out) {
  real v0[315]; poly3_clear(v0, 315);
  poly3_add(G, 4, 9, lane(2), v0, 4);
  poly3_matrix_product_add(v0, 4, F, 1, 3, 3, 3, lane(1), out);
  real v1[35]; poly3_clear(v1, 35);
  for (index i = 0; i < 3; ++i) poly3_add(G + 140 * i, 4, 1, lane(1), v1, 4);
  poly3_matrix_product_add(v1, 4, F, 1, 1, 1, 9, lane(-1), out);
}

// The coefficients C [10][26] of the equations, each of norm 1, of the monomials that occur.
lane_fn void six_point_shared_focal_coefficients(const real* data, real* C) {
  real D[560];
  real F[36];
  real G[315];
  const index used[26] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 22,
      24, 25, 27, 28, 31, 32};
  poly3_clear(D, 560);
  poly3_clear(F, 36);
  six_point_shared_focal_value_F(data, F);
  poly3_clear(G, 315);
  six_point_shared_focal_value_G(F, G);
  six_point_shared_focal_equation_1(F, D + 0);
  six_point_shared_focal_equation_2(F, G, D + 56);
  for (index i = 0; i < 10; ++i) {
    real sum = lane_tiny();
    for (index k = 0; k < 56; ++k) sum += D[56 * i + k] * D[56 * i + k];
    real scale = lane(1) / sqrt(sum);
    for (index k = 0; k < 26; ++k) C[26 * i + k] = D[56 * i + used[k]] * scale;
  }
}

// The template M: an equation times a monomial in each row, whose columns are
//   yyqq yyyq yyy (excess)
//   xyqq xyyq xxqq xxyq xxxq xyy xxy xxx (to reduce)
//   yqq yyq xqq xyq xxq qq yq yy xq xy xx q y x 1 (basis).
lane_fn void six_point_shared_focal_template(const real* C, real* M) {
  const index column[84] = {25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 10, 9, 15, 8, 14, 13, 2, 12,
      11, -1, -1, -1, 7, -1, 6, 5, -1, 4, 3, -1, -1, 1, 0, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
      -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
      -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
  const index equation[11] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0};
  const index shift[33] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
      0, 0, 0, 0, 0, 0, 1, 1, 1};
  const index slot[56] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, -1,
      -1, -1, 19, -1, 20, 21, -1, 22, 23, -1, -1, 24, 25, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
      -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
  poly3_clear(M, 286);
  for (index i = 0; i < 11; ++i) {
    index p = 0;
    for (index t1 = 0; t1 <= 5; ++t1)
    for (index t2 = 0; t2 <= t1; ++t2)
    for (index t3 = 0; t3 <= t2; ++t3) {
      const index to = column[poly3_place(t1 + shift[3 * i + 0], t2 + shift[3 * i + 1],
          t3 + shift[3 * i + 2])], from = slot[p++];
      if (from >= 0 && to >= 0) M[26 * i + to] = C[26 * equation[i] + from];
    }
  }
}

// Eliminates the first 11 columns of M [11][26] with partial pivoting. The last 8 rows then
// express the monomials to reduce by the basis.
lane_fn void six_point_shared_focal_eliminate(real* M) {
  for (index k = 0; k < 11; ++k) {
    real head = M[27 * k], largest = fabs(head), factor[11];
    mask is_pivot[11];
    for (index i = k + 1; i < 11; ++i) largest = fmax(largest, fabs(M[26 * i + k]));
    // Row k changes places with the first row that has the largest element.
    mask searching = !(fabs(head) >= largest);
    real pivot = head;
    for (index i = k + 1; i < 11; ++i) {
      factor[i] = M[26 * i + k];
      is_pivot[i] = searching & (fabs(factor[i]) >= largest);
      searching = searching & !is_pivot[i];
      pivot = select(is_pivot[i], factor[i], pivot);
      factor[i] = select(is_pivot[i], head, factor[i]);
    }
    real inverse = lane(1) / pivot;
    for (index j = k + 1; j < 26; ++j) {
      real own = M[26 * k + j], chosen = own;
      for (index i = k + 1; i < 11; ++i) chosen = select(is_pivot[i], M[26 * i + j], chosen);
      chosen = chosen * inverse;
      for (index i = k + 1; i < 11; ++i)
        M[26 * i + j] = select(is_pivot[i], own, M[26 * i + j]) - factor[i] * chosen;
      M[26 * k + j] = chosen;
    }
  }
  for (index k = 10; k > 3; --k) {
    for (index i = 3; i < k; ++i) {
      real factor = M[26 * i + k];
      for (index j = 11; j < 26; ++j) M[26 * i + j] -= factor * M[26 * k + j];
    }
  }
}

// A [15][15]: x b = A b for the basis b at every solution.
lane_fn void six_point_shared_focal_action(const real* M, lane_array A) {
  const index pitch = lane_pitch(15);
  // The column of each element's image: of a monomial to reduce, or of the basis.
  const index image[15] = {3, 4, 5, 6, 7, 13, 14, 8, 15, 9, 10, 19, 20, 21, 24};
  for (index i = 0; i < 15; ++i) {
    for (index j = 0; j < 15; ++j) {
      if (image[i] < 11)
        lane_at(A, pitch * i + j) = -M[26 * image[i] + 11 + j];
      else
        lane_at(A, pitch * i + j) = lane(image[i] == 11 + j ? 1 : 0);
    }
  }
}

// Four Gauss-Newton steps on the equations C. Returns their largest residual at x beside the largest
// monomial.
lane_fn real six_point_shared_focal_polish(const real* C, real* x) {
  const index used[26] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 22,
      24, 25, 27, 28, 31, 32};
  real m[56], d[168], worst = lane(0), most = lane(1);
  for (index step = 0; step < 5; ++step) {
    real A[9], g[3];
    for (index i = 0; i < 9; ++i) A[i] = lane(0);
    for (index i = 0; i < 3; ++i) g[i] = lane(0);
    worst = lane(0);
    poly3_monomials(x, 5, m, d);
    for (index q = 0; q < 10; ++q) {
      real r = lane(0), J[3];
      for (index i = 0; i < 3; ++i) J[i] = lane(0);
      for (index k = 0; k < 26; ++k) {
        real c = C[26 * q + k];
        r += c * m[used[k]];
        for (index i = 0; i < 3; ++i) J[i] += c * d[56 * i + used[k]];
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
  for (index k = 0; k < 26; ++k) most = fmax(most, fabs(m[used[k]]));
  return worst / most;
}

// The unknowns x [3] from an eigenvector b and its eigenvalue. Both m and x_k m are among b and
// value b for several monomials m: the largest of them is what is least disturbed.
lane_fn void six_point_shared_focal_extract(const real* b, real value, real* x) {
  const index first[4] = {0, 15, 27, 41};
  const index place[82] = {14, 13, 13, 10, 12, 9, 11, 8, 10, 25, 9, 24, 8, 4, 7, 22, 6, 3, 5, 2,
      4, 19, 3, 18, 2, 17, 1, 16, 0, 15, 14, 12, 13, 9, 12, 7, 11, 6, 10, 24, 9, 22, 8, 3, 6, 1, 5,
      0, 4, 18, 3, 16, 2, 15, 14, 11, 13, 8, 12, 6, 11, 5, 10, 4, 9, 3, 8, 2, 7, 1, 6, 0, 25, 19,
      24, 18, 4, 17, 22, 16, 3, 15};
  real e[30];
  for (index i = 0; i < 15; ++i) {
    e[i] = b[i];
    e[15 + i] = value * b[i];
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

// solutions: [15][3], the unknowns of each; unused slots NaN. Returns their number.
lane_fn real six_point_shared_focal(const real* data, real* solutions) {
  real C[260], M[286], A[225], K[318];  // K: the work space of real_eigenvalues
  real b[15], x[3], kept = lane(0);
  six_point_shared_focal_coefficients(data, C);
  six_point_shared_focal_template(C, M);
  six_point_shared_focal_eliminate(M);
  six_point_shared_focal_action(M, A);
  lane_int status;
  lane_int found = real_eigenvalues(A, K, 15, 0, 30, &status);
  for (index i = 0; i < 45; ++i) solutions[i] = lane_nan();
  for (index s = 0; s < lanes_max(found); ++s) {
    real_eigenvector(A, K, 15, 0, s, b);
    six_point_shared_focal_extract(b, real_eigenvalue(K, 15, s), x);
    real residual = six_point_shared_focal_polish(C, x);
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
