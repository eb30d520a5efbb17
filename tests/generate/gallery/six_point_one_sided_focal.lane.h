// SPDX-License-Identifier: BSD-3-Clause
// Fundamental matrices F = x F1 + y F2 + F3 in the null space of six epipolar equations, where F
// diag(f, f, 1) is an essential matrix and q = 1 / f^2.
//   M. Bujnak, Z. Kukelova, T. Pajdla, 3D reconstruction from image collections with a single
//   known focal length, ICCV 2009
// F1 to F3 span the null space, best orthonormally, of points of about unit size.
// This file was written by bifocal-generate from six_point_one_sided_focal.problem: 9 roots, a
// template of 11 x 20, multiplication by x.
// Unknowns: x, y, q.
//   F = x*F1 + y*F2 + F3
//   G = F*diag(1, 1, q)*F'
//   det(F) = 0
//   2*G*F - trace(G)*F = 0
// Polynomials are those of polynomials_3.lane.h.
// The data are F1 [3][3], F2 [3][3], F3 [3][3], one after the other.

// clang-format off

// out += x*F1 + y*F2 + F3, of degree 1.
lane_fn void six_point_one_sided_focal_value_F(const real* data, real* out) {
  real v0[4]; poly3_clear(v0, 4);
  v0[1] = lane(1);
  poly3_matrix_product_add(v0, 1, data, 0, 1, 1, 9, lane(1), out);
  real v1[4]; poly3_clear(v1, 4);
  v1[2] = lane(1);
  poly3_matrix_product_add(v1, 1, (data + 9), 0, 1, 1, 9, lane(1), out);
  poly3_add((data + 18), 0, 9, lane(1), out, 1);
}

// out += F*diag(1, 1, q)*F', of degree 3.
lane_fn void six_point_one_sided_focal_value_G(const real* F, real* out) {
  real v0[90]; poly3_clear(v0, 90);
  real v1[36]; poly3_clear(v1, 36);
  v1[0] += lane(1);
  (v1 + 16)[0] += lane(1);
  (v1 + 32)[3] += lane(1);
  poly3_matrix_product_add(F, 1, v1, 1, 3, 3, 3, lane(1), v0);
  real v2[36]; poly3_clear(v2, 36);
  poly3_transpose_add(F, 1, 3, 3, v2);
  poly3_matrix_product_add(v0, 2, v2, 1, 3, 3, 3, lane(1), out);
}

// out += det(F), of degree 4.
lane_fn void six_point_one_sided_focal_equation_1(const real* F, real* out) {
  real v0[20]; poly3_clear(v0, 20);
  real minor1[10];
  poly3_determinant_add(F, 1, minor1, v0);
  poly3_add(v0, 3, 1, lane(1), out, 4);
}

// out += 2*G*F - trace(G)*F, of degree 4.
lane_fn void six_point_one_sided_focal_equation_2(const real* F, const real* G, real* out) {
  real v0[180]; poly3_clear(v0, 180);
  poly3_add(G, 3, 9, lane(2), v0, 3);
  poly3_matrix_product_add(v0, 3, F, 1, 3, 3, 3, lane(1), out);
  real v1[20]; poly3_clear(v1, 20);
  for (index i = 0; i < 3; ++i) poly3_add(G + 80 * i, 3, 1, lane(1), v1, 3);
  poly3_matrix_product_add(v1, 3, F, 1, 1, 1, 9, lane(-1), out);
}

// The coefficients C [10][20] of the equations, each of norm 1, of the monomials that occur.
lane_fn void six_point_one_sided_focal_coefficients(const real* data, real* C) {
  real D[350];
  real F[36];
  real G[180];
  const index used[20] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 16, 17, 22, 24, 27, 31};
  poly3_clear(D, 350);
  poly3_clear(F, 36);
  six_point_one_sided_focal_value_F(data, F);
  poly3_clear(G, 180);
  six_point_one_sided_focal_value_G(F, G);
  six_point_one_sided_focal_equation_1(F, D + 0);
  six_point_one_sided_focal_equation_2(F, G, D + 35);
  for (index i = 0; i < 10; ++i) {
    real sum = lane_tiny();
    for (index k = 0; k < 35; ++k) sum += D[35 * i + k] * D[35 * i + k];
    real scale = lane(1) / sqrt(sum);
    for (index k = 0; k < 20; ++k) C[20 * i + k] = D[35 * i + used[k]] * scale;
  }
}

// The template M: an equation times a monomial in each row, whose columns are
//   yyyq xxyq yyy xyy yy (excess)
//   xyyq xxxq xyq xxy xxx x (to reduce)
//   yyq xxq yq xq xy xx q y 1 (basis).
lane_fn void six_point_one_sided_focal_template(const real* C, real* M) {
  const index column[56] = {19, 10, 18, 17, 16, 15, 14, 4, 13, -1, 9, 8, 12, 3, 7, -1, 2, 11, -1,
      -1, -1, -1, 6, -1, 1, -1, -1, 5, -1, -1, -1, 0, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
      -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
  const index equation[11] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0};
  const index shift[33] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
      0, 0, 0, 0, 0, 0, 1, 1, 1};
  const index slot[35] = {0, 1, 2, 3, 4, 5, 6, 7, 8, -1, 9, 10, 11, 12, 13, -1, 14, 15, -1, -1,
      -1, -1, 16, -1, 17, -1, -1, 18, -1, -1, -1, 19, -1, -1, -1};
  poly3_clear(M, 220);
  for (index i = 0; i < 11; ++i) {
    index p = 0;
    for (index t1 = 0; t1 <= 4; ++t1)
    for (index t2 = 0; t2 <= t1; ++t2)
    for (index t3 = 0; t3 <= t2; ++t3) {
      const index to = column[poly3_place(t1 + shift[3 * i + 0], t2 + shift[3 * i + 1],
          t3 + shift[3 * i + 2])], from = slot[p++];
      if (from >= 0 && to >= 0) M[20 * i + to] = C[20 * equation[i] + from];
    }
  }
}

// Eliminates the first 11 columns of M [11][20] with partial pivoting. The last 6 rows then
// express the monomials to reduce by the basis.
lane_fn void six_point_one_sided_focal_eliminate(real* M) {
  for (index k = 0; k < 11; ++k) {
    real head = M[21 * k], largest = fabs(head), factor[11];
    mask is_pivot[11];
    for (index i = k + 1; i < 11; ++i) largest = fmax(largest, fabs(M[20 * i + k]));
    // Row k changes places with the first row that has the largest element.
    mask searching = !(fabs(head) >= largest);
    real pivot = head;
    for (index i = k + 1; i < 11; ++i) {
      factor[i] = M[20 * i + k];
      is_pivot[i] = searching & (fabs(factor[i]) >= largest);
      searching = searching & !is_pivot[i];
      pivot = select(is_pivot[i], factor[i], pivot);
      factor[i] = select(is_pivot[i], head, factor[i]);
    }
    real inverse = lane(1) / pivot;
    for (index j = k + 1; j < 20; ++j) {
      real own = M[20 * k + j], chosen = own;
      for (index i = k + 1; i < 11; ++i) chosen = select(is_pivot[i], M[20 * i + j], chosen);
      chosen = chosen * inverse;
      for (index i = k + 1; i < 11; ++i)
        M[20 * i + j] = select(is_pivot[i], own, M[20 * i + j]) - factor[i] * chosen;
      M[20 * k + j] = chosen;
    }
  }
  for (index k = 10; k > 5; --k) {
    for (index i = 5; i < k; ++i) {
      real factor = M[20 * i + k];
      for (index j = 11; j < 20; ++j) M[20 * i + j] -= factor * M[20 * k + j];
    }
  }
}

// A [9][9]: x b = A b for the basis b at every solution.
lane_fn void six_point_one_sided_focal_action(const real* M, lane_array A) {
  const index pitch = lane_pitch(9);
  // The column of each element's image: of a monomial to reduce, or of the basis.
  const index image[9] = {5, 6, 7, 12, 8, 9, 14, 15, 10};
  for (index i = 0; i < 9; ++i) {
    for (index j = 0; j < 9; ++j) {
      if (image[i] < 11)
        lane_at(A, pitch * i + j) = -M[20 * image[i] + 11 + j];
      else
        lane_at(A, pitch * i + j) = lane(image[i] == 11 + j ? 1 : 0);
    }
  }
}

// Four Gauss-Newton steps on the equations C. Returns their largest residual at x beside the largest
// monomial.
lane_fn real six_point_one_sided_focal_polish(const real* C, real* x) {
  const index used[20] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 16, 17, 22, 24, 27, 31};
  real m[35], d[105], worst = lane(0), most = lane(1);
  for (index step = 0; step < 5; ++step) {
    real A[9], g[3];
    for (index i = 0; i < 9; ++i) A[i] = lane(0);
    for (index i = 0; i < 3; ++i) g[i] = lane(0);
    worst = lane(0);
    poly3_monomials(x, 4, m, d);
    for (index q = 0; q < 10; ++q) {
      real r = lane(0), J[3];
      for (index i = 0; i < 3; ++i) J[i] = lane(0);
      for (index k = 0; k < 20; ++k) {
        real c = C[20 * q + k];
        r += c * m[used[k]];
        for (index i = 0; i < 3; ++i) J[i] += c * d[35 * i + used[k]];
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
  for (index k = 0; k < 20; ++k) most = fmax(most, fabs(m[used[k]]));
  return worst / most;
}

// The unknowns x [3] from an eigenvector b and its eigenvalue. Both m and x_k m are among b and
// value b for several monomials m: the largest of them is what is least disturbed.
lane_fn void six_point_one_sided_focal_extract(const real* b, real value, real* x) {
  const index first[4] = {0, 10, 17, 23};
  const index place[46] = {8, 17, 17, 5, 7, 4, 6, 3, 5, 14, 4, 13, 3, 1, 2, 11, 1, 10, 0, 9, 8, 7,
      17, 4, 6, 2, 5, 13, 3, 11, 2, 0, 11, 9, 8, 6, 17, 3, 7, 2, 5, 1, 4, 11, 14, 10};
  real e[18];
  for (index i = 0; i < 9; ++i) {
    e[i] = b[i];
    e[9 + i] = value * b[i];
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

// solutions: [9][3], the unknowns of each; unused slots NaN. Returns their number.
lane_fn real six_point_one_sided_focal(const real* data, real* solutions) {
  real C[200], M[220], A[81], K[138];  // K: the work space of real_eigenvalues
  real b[9], x[3], kept = lane(0);
  six_point_one_sided_focal_coefficients(data, C);
  six_point_one_sided_focal_template(C, M);
  six_point_one_sided_focal_eliminate(M);
  six_point_one_sided_focal_action(M, A);
  lane_int status;
  lane_int found = real_eigenvalues(A, K, 9, 0, 30, &status);
  for (index i = 0; i < 27; ++i) solutions[i] = lane_nan();
  for (index s = 0; s < lanes_max(found); ++s) {
    real_eigenvector(A, K, 9, 0, s, b);
    six_point_one_sided_focal_extract(b, real_eigenvalue(K, 9, s), x);
    real residual = six_point_one_sided_focal_polish(C, x);
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
