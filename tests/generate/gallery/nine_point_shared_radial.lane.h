// SPDX-License-Identifier: BSD-3-Clause
// Fundamental matrices F with x2(k)' F x1(k) = 0, x(k) = (u, v, 1 + k (u^2 + v^2)), k the
// distortion of both cameras in the division model.
//   A. W. Fitzgibbon, Simultaneous linear estimation of multiple view geometry and lens
//   distortion, CVPR 2001
// b = (x, y, z, w) are F13, F23, F31, F32 where F33 = 1. The nine equations are solved for the
// other four elements of F, which follow from b and k, and for k b and k^2 = D (b, 1, k).
// This file was written by bifocal-generate from nine_point_shared_radial.problem: 6 roots, a
// template of 5 x 11, multiplication by k.
// Unknowns: x, y, z, w, k.
//   b = [x; y; z; w]
//   k*[b; k] - D*[b; 1; k] = 0
// Polynomials are those of polynomials_5.lane.h.
// The data are D [5][6], one after the other.

// clang-format off

// out += [x; y; z; w], of degree 1.
lane_fn void nine_point_shared_radial_value_b(real* out) {
  real v0[24]; poly5_clear(v0, 24);
  v0[1] += lane(1);
  (v0 + 6)[2] += lane(1);
  (v0 + 12)[3] += lane(1);
  (v0 + 18)[4] += lane(1);
  poly5_add(v0, 1, 4, lane(1), out, 1);
}

// out += k*[b; k] - D*[b; 1; k], of degree 2.
lane_fn void nine_point_shared_radial_equation_1(const real* data, const real* b, real* out) {
  real v0[6]; poly5_clear(v0, 6);
  v0[5] = lane(1);
  real v1[30]; poly5_clear(v1, 30);
  for (index i = 0; i < 4; ++i) poly5_add(b + 6 * i, 1, 1, lane(1), v1 + 6 * i, 1);
  (v1 + 24)[5] += lane(1);
  poly5_matrix_product_add(v0, 1, v1, 1, 1, 1, 5, lane(1), out);
  real v2[30]; poly5_clear(v2, 30);
  real v3[36]; poly5_clear(v3, 36);
  for (index i = 0; i < 4; ++i) poly5_add(b + 6 * i, 1, 1, lane(1), v3 + 6 * i, 1);
  (v3 + 24)[0] += lane(1);
  (v3 + 30)[5] += lane(1);
  poly5_matrix_product_add(data, 0, v3, 1, 5, 6, 1, lane(1), v2);
  poly5_add(v2, 1, 5, lane(-1), out, 2);
}

// The coefficients C [5][11] of the equations, each of norm 1, of the monomials that occur.
lane_fn void nine_point_shared_radial_coefficients(const real* data, real* C) {
  real D[105];
  real b[24];
  const index used[11] = {0, 1, 2, 3, 4, 5, 10, 14, 17, 19, 20};
  poly5_clear(D, 105);
  poly5_clear(b, 24);
  nine_point_shared_radial_value_b(b);
  nine_point_shared_radial_equation_1(data, b, D + 0);
  for (index i = 0; i < 5; ++i) {
    real sum = lane_tiny();
    for (index k = 0; k < 21; ++k) sum += D[21 * i + k] * D[21 * i + k];
    real scale = lane(1) / sqrt(sum);
    for (index k = 0; k < 11; ++k) C[11 * i + k] = D[21 * i + used[k]] * scale;
  }
}

// The template M: an equation times a monomial in each row, whose columns are
//   kk wk zk yk xk (to reduce)
//   k w z y x 1 (basis).
lane_fn void nine_point_shared_radial_template(const real* C, real* M) {
  const index column[21] = {10, 9, 8, 7, 6, 5, -1, -1, -1, -1, 4, -1, -1, -1, 3, -1, -1, 2, -1, 1,
      0};
  const index equation[5] = {0, 1, 2, 3, 4};
  const index shift[25] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
      0};
  const index slot[21] = {0, 1, 2, 3, 4, 5, -1, -1, -1, -1, 6, -1, -1, -1, 7, -1, -1, 8, -1, 9,
      10};
  poly5_clear(M, 55);
  for (index i = 0; i < 5; ++i) {
    index p = 0;
    for (index t1 = 0; t1 <= 2; ++t1)
    for (index t2 = 0; t2 <= t1; ++t2)
    for (index t3 = 0; t3 <= t2; ++t3)
    for (index t4 = 0; t4 <= t3; ++t4)
    for (index t5 = 0; t5 <= t4; ++t5) {
      const index to = column[poly5_place(t1 + shift[5 * i + 0], t2 + shift[5 * i + 1],
          t3 + shift[5 * i + 2], t4 + shift[5 * i + 3], t5 + shift[5 * i + 4])], from = slot[p++];
      if (from >= 0 && to >= 0) M[11 * i + to] = C[11 * equation[i] + from];
    }
  }
}

// Eliminates the first 5 columns of M [5][11] with partial pivoting. The last 5 rows then
// express the monomials to reduce by the basis.
lane_fn void nine_point_shared_radial_eliminate(real* M) {
  for (index k = 0; k < 5; ++k) {
    real head = M[12 * k], largest = fabs(head), factor[5];
    mask is_pivot[5];
    for (index i = k + 1; i < 5; ++i) largest = fmax(largest, fabs(M[11 * i + k]));
    // Row k changes places with the first row that has the largest element.
    mask searching = !(fabs(head) >= largest);
    real pivot = head;
    for (index i = k + 1; i < 5; ++i) {
      factor[i] = M[11 * i + k];
      is_pivot[i] = searching & (fabs(factor[i]) >= largest);
      searching = searching & !is_pivot[i];
      pivot = select(is_pivot[i], factor[i], pivot);
      factor[i] = select(is_pivot[i], head, factor[i]);
    }
    real inverse = lane(1) / pivot;
    for (index j = k + 1; j < 11; ++j) {
      real own = M[11 * k + j], chosen = own;
      for (index i = k + 1; i < 5; ++i) chosen = select(is_pivot[i], M[11 * i + j], chosen);
      chosen = chosen * inverse;
      for (index i = k + 1; i < 5; ++i)
        M[11 * i + j] = select(is_pivot[i], own, M[11 * i + j]) - factor[i] * chosen;
      M[11 * k + j] = chosen;
    }
  }
  for (index k = 4; k > 0; --k) {
    for (index i = 0; i < k; ++i) {
      real factor = M[11 * i + k];
      for (index j = 5; j < 11; ++j) M[11 * i + j] -= factor * M[11 * k + j];
    }
  }
}

// A [6][6]: k b = A b for the basis b at every solution.
lane_fn void nine_point_shared_radial_action(const real* M, lane_array A) {
  const index pitch = lane_pitch(6);
  // The column of each element's image: of a monomial to reduce, or of the basis.
  const index image[6] = {0, 1, 2, 3, 4, 5};
  for (index i = 0; i < 6; ++i) {
    for (index j = 0; j < 6; ++j) {
      if (image[i] < 5)
        lane_at(A, pitch * i + j) = -M[11 * image[i] + 5 + j];
      else
        lane_at(A, pitch * i + j) = lane(image[i] == 5 + j ? 1 : 0);
    }
  }
}

// Four Gauss-Newton steps on the equations C. Returns their largest residual at x beside the largest
// monomial.
lane_fn real nine_point_shared_radial_polish(const real* C, real* x) {
  const index used[11] = {0, 1, 2, 3, 4, 5, 10, 14, 17, 19, 20};
  real m[21], d[105], worst = lane(0), most = lane(1);
  for (index step = 0; step < 5; ++step) {
    real A[25], g[5];
    for (index i = 0; i < 25; ++i) A[i] = lane(0);
    for (index i = 0; i < 5; ++i) g[i] = lane(0);
    worst = lane(0);
    poly5_monomials(x, 2, m, d);
    for (index q = 0; q < 5; ++q) {
      real r = lane(0), J[5];
      for (index i = 0; i < 5; ++i) J[i] = lane(0);
      for (index k = 0; k < 11; ++k) {
        real c = C[11 * q + k];
        r += c * m[used[k]];
        for (index i = 0; i < 5; ++i) J[i] += c * d[21 * i + used[k]];
      }
      worst = fmax(worst, fabs(r));
      for (index i = 0; i < 5; ++i) {
        g[i] += J[i] * r;
        for (index j = 0; j <= i; ++j) A[5 * i + j] += J[i] * J[j];
      }
    }
    real size = lane(1), moved = lane(0);
    for (index i = 0; i < 5; ++i) size += fabs(x[i]);
    if (step == 4) break;
    real sound = ldl_solve(A, g, 5);
    for (index i = 0; i < 5; ++i) moved += fabs(g[i]);
    mask sane = (sound > lane(0)) & (moved < lane(0.1) * size);
    for (index i = 0; i < 5; ++i) x[i] -= select(sane, g[i], lane(0));
  }
  for (index k = 0; k < 11; ++k) most = fmax(most, fabs(m[used[k]]));
  return worst / most;
}

// The unknowns x [5] from an eigenvector b and its eigenvalue. Both m and x_k m are among b and
// value b for several monomials m: the largest of them is what is least disturbed.
lane_fn void nine_point_shared_radial_extract(const real* b, real value, real* x) {
  const index first[6] = {0, 2, 4, 6, 8, 14};
  const index place[28] = {5, 4, 0, 10, 5, 3, 0, 9, 5, 2, 0, 8, 5, 1, 0, 7, 5, 0, 4, 10, 3, 9, 2,
      8, 1, 7, 0, 6};
  real e[12];
  for (index i = 0; i < 6; ++i) {
    e[i] = b[i];
    e[6 + i] = value * b[i];
  }
  for (index k = 0; k < 5; ++k) {
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

// solutions: [6][5], the unknowns of each; unused slots NaN. Returns their number.
lane_fn real nine_point_shared_radial(const real* data, real* solutions) {
  real C[55], M[55], A[36], K[75];  // K: the work space of real_eigenvalues
  real b[6], x[5], kept = lane(0);
  nine_point_shared_radial_coefficients(data, C);
  nine_point_shared_radial_template(C, M);
  nine_point_shared_radial_eliminate(M);
  nine_point_shared_radial_action(M, A);
  lane_int status;
  lane_int found = real_eigenvalues(A, K, 6, 0, 30, &status);
  for (index i = 0; i < 30; ++i) solutions[i] = lane_nan();
  for (index s = 0; s < lanes_max(found); ++s) {
    real_eigenvector(A, K, 6, 0, s, b);
    nine_point_shared_radial_extract(b, real_eigenvalue(K, 6, s), x);
    real residual = nine_point_shared_radial_polish(C, x);
    mask valid = (lane_int_of(s) < found) & (residual < sqrt(lane_epsilon()));
    for (index k = 0; k <= s; ++k) {
      mask here = valid & (kept == lane(k));
      for (index i = 0; i < 5; ++i)
        solutions[5 * k + i] = select(here, x[i], solutions[5 * k + i]);
    }
    kept += select(valid, lane(1), lane(0));
  }
  return kept;
}
