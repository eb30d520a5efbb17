// SPDX-License-Identifier: BSD-3-Clause
// Focal length f, q = 1 / f^2, with depths a_i of the first and s (b_i + u) of the second
// picture: distances of points are the same in both, w = s^2.
//   Y. Ding, V. Kocur, V. Vavra, Z. B. Haladova, J. Yang, T. Sattler, Z. Kukelova, RePoseD:
//   Efficient relative pose estimation with known depth information, ICCV 2025
// For points i, j: A = |a_i x_i - a_j x_j|^2, B = (a_i - a_j)^2; |(b_i + u) y_i - (b_j + u)
// y_j|^2 = C0 + C1 u + C2 u^2 and D = (b_i - b_j)^2, three pairs in a column.
// This file was written by bifocal-generate from three_point_monodepth_shared_focal.problem: 4
// roots, a template of 6 x 10, multiplication by q.
// Unknowns: q, w, u.
//   A*q + B - w*(q*(C0 + u*C1 + u*u*C2) + D) = 0
// Polynomials are those of polynomials_3.lane.h.
// The data are A [3][1], B [3][1], C0 [3][1], C1 [3][1], C2 [3][1], D [3][1], one after the
// other.

// clang-format off

// out += A*q + B - w*(q*(C0 + u*C1 + u*u*C2) + D), of degree 4.
lane_fn void three_point_monodepth_shared_focal_equation_1(const real* data, real* out) {
  real v0[12]; poly3_clear(v0, 12);
  real v1[4]; poly3_clear(v1, 4);
  v1[1] = lane(1);
  poly3_matrix_product_add(data, 0, v1, 1, 3, 1, 1, lane(1), v0);
  poly3_add(v0, 1, 3, lane(1), out, 4);
  poly3_add((data + 3), 0, 3, lane(1), out, 4);
  real v2[4]; poly3_clear(v2, 4);
  v2[2] = lane(1);
  real v3[60]; poly3_clear(v3, 60);
  real v4[4]; poly3_clear(v4, 4);
  v4[1] = lane(1);
  real v5[30]; poly3_clear(v5, 30);
  poly3_add((data + 6), 0, 3, lane(1), v5, 2);
  real v6[12]; poly3_clear(v6, 12);
  real v7[4]; poly3_clear(v7, 4);
  v7[3] = lane(1);
  poly3_matrix_product_add(v7, 1, (data + 9), 0, 1, 1, 3, lane(1), v6);
  poly3_add(v6, 1, 3, lane(1), v5, 2);
  real v8[10]; poly3_clear(v8, 10);
  real v9[4]; poly3_clear(v9, 4);
  v9[3] = lane(1);
  real v10[4]; poly3_clear(v10, 4);
  v10[3] = lane(1);
  poly3_matrix_product_add(v9, 1, v10, 1, 1, 1, 1, lane(1), v8);
  poly3_matrix_product_add(v8, 2, (data + 12), 0, 1, 1, 3, lane(1), v5);
  poly3_matrix_product_add(v4, 1, v5, 2, 1, 1, 3, lane(1), v3);
  poly3_add((data + 15), 0, 3, lane(1), v3, 3);
  poly3_matrix_product_add(v2, 1, v3, 3, 1, 1, 3, lane(-1), out);
}

// The coefficients C [3][6] of the equations, each of norm 1, of the monomials that occur.
lane_fn void three_point_monodepth_shared_focal_coefficients(const real* data, real* C) {
  real D[105];
  const index used[6] = {0, 1, 2, 5, 14, 28};
  poly3_clear(D, 105);
  three_point_monodepth_shared_focal_equation_1(data, D + 0);
  for (index i = 0; i < 3; ++i) {
    real sum = lane_tiny();
    for (index k = 0; k < 35; ++k) sum += D[35 * i + k] * D[35 * i + k];
    real scale = lane(1) / sqrt(sum);
    for (index k = 0; k < 6; ++k) C[6 * i + k] = D[35 * i + used[k]] * scale;
  }
}

// The template M: an equation times a monomial in each row, whose columns are
//   qwuuu qwuu (excess)
//   qwu qu qw q (to reduce)
//   wu u w 1 (basis).
lane_fn void three_point_monodepth_shared_focal_template(const real* C, real* M) {
  const index column[56] = {9, 5, 8, 7, -1, 4, 3, -1, 6, -1, -1, -1, -1, -1, 2, -1, -1, -1, -1,
      -1, -1, -1, -1, -1, -1, -1, -1, -1, 1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
      -1, -1, -1, -1, -1, -1, 0, -1, -1, -1, -1, -1, -1, -1};
  const index equation[6] = {0, 1, 2, 0, 1, 2};
  const index shift[18] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  const index slot[35] = {0, 1, 2, -1, -1, 3, -1, -1, -1, -1, -1, -1, -1, -1, 4, -1, -1, -1, -1,
      -1, -1, -1, -1, -1, -1, -1, -1, -1, 5, -1, -1, -1, -1, -1, -1};
  poly3_clear(M, 60);
  for (index i = 0; i < 6; ++i) {
    index p = 0;
    for (index t1 = 0; t1 <= 4; ++t1)
    for (index t2 = 0; t2 <= t1; ++t2)
    for (index t3 = 0; t3 <= t2; ++t3) {
      const index to = column[poly3_place(t1 + shift[3 * i + 0], t2 + shift[3 * i + 1],
          t3 + shift[3 * i + 2])], from = slot[p++];
      if (from >= 0 && to >= 0) M[10 * i + to] = C[6 * equation[i] + from];
    }
  }
}

// Eliminates the first 6 columns of M [6][10] with partial pivoting. The last 4 rows then
// express the monomials to reduce by the basis.
lane_fn void three_point_monodepth_shared_focal_eliminate(real* M) {
  for (index k = 0; k < 6; ++k) {
    real head = M[11 * k], largest = fabs(head), factor[6];
    mask is_pivot[6];
    for (index i = k + 1; i < 6; ++i) largest = fmax(largest, fabs(M[10 * i + k]));
    // Row k changes places with the first row that has the largest element.
    mask searching = !(fabs(head) >= largest);
    real pivot = head;
    for (index i = k + 1; i < 6; ++i) {
      factor[i] = M[10 * i + k];
      is_pivot[i] = searching & (fabs(factor[i]) >= largest);
      searching = searching & !is_pivot[i];
      pivot = select(is_pivot[i], factor[i], pivot);
      factor[i] = select(is_pivot[i], head, factor[i]);
    }
    real inverse = lane(1) / pivot;
    for (index j = k + 1; j < 10; ++j) {
      real own = M[10 * k + j], chosen = own;
      for (index i = k + 1; i < 6; ++i) chosen = select(is_pivot[i], M[10 * i + j], chosen);
      chosen = chosen * inverse;
      for (index i = k + 1; i < 6; ++i)
        M[10 * i + j] = select(is_pivot[i], own, M[10 * i + j]) - factor[i] * chosen;
      M[10 * k + j] = chosen;
    }
  }
  for (index k = 5; k > 2; --k) {
    for (index i = 2; i < k; ++i) {
      real factor = M[10 * i + k];
      for (index j = 6; j < 10; ++j) M[10 * i + j] -= factor * M[10 * k + j];
    }
  }
}

// A [4][4]: q b = A b for the basis b at every solution.
lane_fn void three_point_monodepth_shared_focal_action(const real* M, lane_array A) {
  const index pitch = lane_pitch(4);
  // The column of each element's image: of a monomial to reduce, or of the basis.
  const index image[4] = {2, 3, 4, 5};
  for (index i = 0; i < 4; ++i) {
    for (index j = 0; j < 4; ++j) {
      if (image[i] < 6)
        lane_at(A, pitch * i + j) = -M[10 * image[i] + 6 + j];
      else
        lane_at(A, pitch * i + j) = lane(image[i] == 6 + j ? 1 : 0);
    }
  }
}

// Four Gauss-Newton steps on the equations C. Returns their largest residual at x beside the largest
// monomial.
lane_fn real three_point_monodepth_shared_focal_polish(const real* C, real* x) {
  const index used[6] = {0, 1, 2, 5, 14, 28};
  real m[35], d[105], worst = lane(0), most = lane(1);
  for (index step = 0; step < 5; ++step) {
    real A[9], g[3];
    for (index i = 0; i < 9; ++i) A[i] = lane(0);
    for (index i = 0; i < 3; ++i) g[i] = lane(0);
    worst = lane(0);
    poly3_monomials(x, 4, m, d);
    for (index q = 0; q < 3; ++q) {
      real r = lane(0), J[3];
      for (index i = 0; i < 3; ++i) J[i] = lane(0);
      for (index k = 0; k < 6; ++k) {
        real c = C[6 * q + k];
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
  for (index k = 0; k < 6; ++k) most = fmax(most, fabs(m[used[k]]));
  return worst / most;
}

// The unknowns x [3] from an eigenvector b and its eigenvalue. Both m and x_k m are among b and
// value b for several monomials m: the largest of them is what is least disturbed.
lane_fn void three_point_monodepth_shared_focal_extract(const real* b, real value, real* x) {
  const index first[4] = {0, 4, 8, 12};
  const index place[24] = {3, 7, 2, 6, 1, 5, 0, 4, 3, 2, 7, 6, 1, 0, 5, 4, 3, 1, 7, 5, 2, 0, 6,
      4};
  real e[8];
  for (index i = 0; i < 4; ++i) {
    e[i] = b[i];
    e[4 + i] = value * b[i];
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

// solutions: [4][3], the unknowns of each; unused slots NaN. Returns their number.
lane_fn real three_point_monodepth_shared_focal(const real* data, real* solutions) {
  real C[18], M[60], A[16], K[43];  // K: the work space of real_eigenvalues
  real b[4], x[3], kept = lane(0);
  three_point_monodepth_shared_focal_coefficients(data, C);
  three_point_monodepth_shared_focal_template(C, M);
  three_point_monodepth_shared_focal_eliminate(M);
  three_point_monodepth_shared_focal_action(M, A);
  lane_int status;
  lane_int found = real_eigenvalues(A, K, 4, 0, 30, &status);
  for (index i = 0; i < 12; ++i) solutions[i] = lane_nan();
  for (index s = 0; s < lanes_max(found); ++s) {
    real_eigenvector(A, K, 4, 0, s, b);
    three_point_monodepth_shared_focal_extract(b, real_eigenvalue(K, 4, s), x);
    real residual = three_point_monodepth_shared_focal_polish(C, x);
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
