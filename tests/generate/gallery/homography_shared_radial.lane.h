// SPDX-License-Identifier: BSD-3-Clause
// Homographies H with (u2, v2, 1 + k r2^2) ~ H (u1, v1, 1 + k r1^2), k the distortion of both
// pictures in the division model.
//   Z. Kukelova, J. Heller, M. Bujnak, T. Pajdla, Radial distortion homography, CVPR 2015
// H23 = 1 and x = H13. Five equations without the third row give H11, H12, H21, H22 and k x = d
// (x, 1, k); four with it then give H31, H32, H33 = L (x, 1, k, k^2) and k H33 = M (x, 1, k,
// k^2).
// This file was written by bifocal-generate from homography_shared_radial.problem: 4 roots, a
// template of 2 x 6, multiplication by k.
// Unknowns: x, k.
//   m = [x; 1; k; k*k]
//   k*x - d*[x; 1; k] = 0
//   k*L*m - M*m = 0
// Polynomials are those of polynomials_2.lane.h.
// The data are d [1][3], L [1][4], M [1][4], one after the other.

// clang-format off

// out += [x; 1; k; k*k], of degree 2.
lane_fn void homography_shared_radial_value_m(real* out) {
  real v0[24]; poly2_clear(v0, 24);
  v0[1] += lane(1);
  (v0 + 6)[0] += lane(1);
  (v0 + 12)[2] += lane(1);
  real v1[3]; poly2_clear(v1, 3);
  v1[2] = lane(1);
  real v2[3]; poly2_clear(v2, 3);
  v2[2] = lane(1);
  poly2_matrix_product_add(v1, 1, v2, 1, 1, 1, 1, lane(1), (v0 + 18));
  poly2_add(v0, 2, 4, lane(1), out, 2);
}

// out += k*x - d*[x; 1; k], of degree 3.
lane_fn void homography_shared_radial_equation_1(const real* data, real* out) {
  real v0[6]; poly2_clear(v0, 6);
  real v1[3]; poly2_clear(v1, 3);
  v1[2] = lane(1);
  real v2[3]; poly2_clear(v2, 3);
  v2[1] = lane(1);
  poly2_matrix_product_add(v1, 1, v2, 1, 1, 1, 1, lane(1), v0);
  poly2_add(v0, 2, 1, lane(1), out, 3);
  real v3[3]; poly2_clear(v3, 3);
  real v4[9]; poly2_clear(v4, 9);
  v4[1] += lane(1);
  (v4 + 3)[0] += lane(1);
  (v4 + 6)[2] += lane(1);
  poly2_matrix_product_add(data, 0, v4, 1, 1, 3, 1, lane(1), v3);
  poly2_add(v3, 1, 1, lane(-1), out, 3);
}

// out += k*L*m - M*m, of degree 3.
lane_fn void homography_shared_radial_equation_2(const real* data, const real* m, real* out) {
  real v0[12]; poly2_clear(v0, 12);
  real v1[3]; poly2_clear(v1, 3);
  v1[2] = lane(1);
  poly2_matrix_product_add(v1, 1, (data + 3), 0, 1, 1, 4, lane(1), v0);
  poly2_matrix_product_add(v0, 1, m, 2, 1, 4, 1, lane(1), out);
  real v2[6]; poly2_clear(v2, 6);
  poly2_matrix_product_add((data + 7), 0, m, 2, 1, 4, 1, lane(1), v2);
  poly2_add(v2, 2, 1, lane(-1), out, 3);
}

// The coefficients C [2][6] of the equations, each of norm 1, of the monomials that occur.
lane_fn void homography_shared_radial_coefficients(const real* data, real* C) {
  real D[20];
  real m[24];
  const index used[6] = {0, 1, 2, 4, 5, 9};
  poly2_clear(D, 20);
  poly2_clear(m, 24);
  homography_shared_radial_value_m(m);
  homography_shared_radial_equation_1(data, D + 0);
  homography_shared_radial_equation_2(data, m, D + 10);
  for (index i = 0; i < 2; ++i) {
    real sum = lane_tiny();
    for (index k = 0; k < 10; ++k) sum += D[10 * i + k] * D[10 * i + k];
    real scale = lane(1) / sqrt(sum);
    for (index k = 0; k < 6; ++k) C[6 * i + k] = D[10 * i + used[k]] * scale;
  }
}

// The template M: an equation times a monomial in each row, whose columns are
//   kkk xk (to reduce)
//   kk k x 1 (basis).
lane_fn void homography_shared_radial_template(const real* C, real* M) {
  const index column[10] = {5, 4, 3, -1, 1, 2, -1, -1, -1, 0};
  const index equation[2] = {0, 1};
  const index shift[4] = {0, 0, 0, 0};
  const index slot[10] = {0, 1, 2, -1, 3, 4, -1, -1, -1, 5};
  poly2_clear(M, 12);
  for (index i = 0; i < 2; ++i) {
    index p = 0;
    for (index t1 = 0; t1 <= 3; ++t1)
    for (index t2 = 0; t2 <= t1; ++t2) {
      const index to = column[poly2_place(t1 + shift[2 * i + 0], t2 + shift[2 * i + 1])],
          from = slot[p++];
      if (from >= 0 && to >= 0) M[6 * i + to] = C[6 * equation[i] + from];
    }
  }
}

// Eliminates the first 2 columns of M [2][6] with partial pivoting. The last 2 rows then
// express the monomials to reduce by the basis.
lane_fn void homography_shared_radial_eliminate(real* M) {
  for (index k = 0; k < 2; ++k) {
    real head = M[7 * k], largest = fabs(head), factor[2];
    mask is_pivot[2];
    for (index i = k + 1; i < 2; ++i) largest = fmax(largest, fabs(M[6 * i + k]));
    // Row k changes places with the first row that has the largest element.
    mask searching = !(fabs(head) >= largest);
    real pivot = head;
    for (index i = k + 1; i < 2; ++i) {
      factor[i] = M[6 * i + k];
      is_pivot[i] = searching & (fabs(factor[i]) >= largest);
      searching = searching & !is_pivot[i];
      pivot = select(is_pivot[i], factor[i], pivot);
      factor[i] = select(is_pivot[i], head, factor[i]);
    }
    real inverse = lane(1) / pivot;
    for (index j = k + 1; j < 6; ++j) {
      real own = M[6 * k + j], chosen = own;
      for (index i = k + 1; i < 2; ++i) chosen = select(is_pivot[i], M[6 * i + j], chosen);
      chosen = chosen * inverse;
      for (index i = k + 1; i < 2; ++i)
        M[6 * i + j] = select(is_pivot[i], own, M[6 * i + j]) - factor[i] * chosen;
      M[6 * k + j] = chosen;
    }
  }
  for (index k = 1; k > 0; --k) {
    for (index i = 0; i < k; ++i) {
      real factor = M[6 * i + k];
      for (index j = 2; j < 6; ++j) M[6 * i + j] -= factor * M[6 * k + j];
    }
  }
}

// A [4][4]: k b = A b for the basis b at every solution.
lane_fn void homography_shared_radial_action(const real* M, lane_array A) {
  const index pitch = lane_pitch(4);
  // The column of each element's image: of a monomial to reduce, or of the basis.
  const index image[4] = {0, 2, 1, 3};
  for (index i = 0; i < 4; ++i) {
    for (index j = 0; j < 4; ++j) {
      if (image[i] < 2)
        lane_at(A, pitch * i + j) = -M[6 * image[i] + 2 + j];
      else
        lane_at(A, pitch * i + j) = lane(image[i] == 2 + j ? 1 : 0);
    }
  }
}

// Four Gauss-Newton steps on the equations C. Returns their largest residual at x beside the largest
// monomial.
lane_fn real homography_shared_radial_polish(const real* C, real* x) {
  const index used[6] = {0, 1, 2, 4, 5, 9};
  real m[10], d[20], worst = lane(0), most = lane(1);
  for (index step = 0; step < 5; ++step) {
    real A[4], g[2];
    for (index i = 0; i < 4; ++i) A[i] = lane(0);
    for (index i = 0; i < 2; ++i) g[i] = lane(0);
    worst = lane(0);
    poly2_monomials(x, 3, m, d);
    for (index q = 0; q < 2; ++q) {
      real r = lane(0), J[2];
      for (index i = 0; i < 2; ++i) J[i] = lane(0);
      for (index k = 0; k < 6; ++k) {
        real c = C[6 * q + k];
        r += c * m[used[k]];
        for (index i = 0; i < 2; ++i) J[i] += c * d[10 * i + used[k]];
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
  for (index k = 0; k < 6; ++k) most = fmax(most, fabs(m[used[k]]));
  return worst / most;
}

// The unknowns x [2] from an eigenvector b and its eigenvalue. Both m and x_k m are among b and
// value b for several monomials m: the largest of them is what is least disturbed.
lane_fn void homography_shared_radial_extract(const real* b, real value, real* x) {
  const index first[3] = {0, 2, 6};
  const index place[12] = {3, 2, 1, 6, 3, 1, 2, 6, 1, 0, 0, 4};
  real e[8];
  for (index i = 0; i < 4; ++i) {
    e[i] = b[i];
    e[4 + i] = value * b[i];
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

// solutions: [4][2], the unknowns of each; unused slots NaN. Returns their number.
lane_fn real homography_shared_radial(const real* data, real* solutions) {
  real C[12], M[12], A[16], K[43];  // K: the work space of real_eigenvalues
  real b[4], x[2], kept = lane(0);
  homography_shared_radial_coefficients(data, C);
  homography_shared_radial_template(C, M);
  homography_shared_radial_eliminate(M);
  homography_shared_radial_action(M, A);
  lane_int status;
  lane_int found = real_eigenvalues(A, K, 4, 0, 30, &status);
  for (index i = 0; i < 8; ++i) solutions[i] = lane_nan();
  for (index s = 0; s < lanes_max(found); ++s) {
    real_eigenvector(A, K, 4, 0, s, b);
    homography_shared_radial_extract(b, real_eigenvalue(K, 4, s), x);
    real residual = homography_shared_radial_polish(C, x);
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
