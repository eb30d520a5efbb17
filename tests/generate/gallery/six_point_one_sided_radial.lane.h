// SPDX-License-Identifier: BSD-3-Clause
// Essential matrices E with x2' E (u, v, 1 + k (u^2 + v^2)) = 0 for six points, k the distortion
// of the first camera in the division model.
//   Y. Kuang, J. E. Solem, F. Kahl, K. Astrom, Minimal solvers for relative pose with a single
//   unknown radial distortion, CVPR 2014
// The six equations are solved for the first two columns of E, by what the last column (x, y, 1)
// and k times it are multiplied by.
// This file was written by bifocal-generate from six_point_one_sided_radial.problem: 26 roots, a
// template of 14 x 40, multiplication by k.
// Unknowns: x, y, k.
//   E = [x*N1 + y*N2 + N3 + k*(x*K1 + y*K2 + K3), [x; y; 1]]
//   G = E*E'
//   det(E) = 0
//   2*G*E - trace(G)*E = 0
// Polynomials are those of polynomials_3.lane.h.
// The data are N1 [3][2], N2 [3][2], N3 [3][2], K1 [3][2], K2 [3][2], K3 [3][2], one after the
// other.

// clang-format off

// out += [x*N1 + y*N2 + N3 + k*(x*K1 + y*K2 + K3), [x; y; 1]], of degree 2.
lane_fn void six_point_one_sided_radial_value_E(const real* data, real* out) {
  real v0[90]; poly3_clear(v0, 90);
  real v1[60]; poly3_clear(v1, 60);
  real v2[24]; poly3_clear(v2, 24);
  real v3[4]; poly3_clear(v3, 4);
  v3[1] = lane(1);
  poly3_matrix_product_add(v3, 1, data, 0, 1, 1, 6, lane(1), v2);
  poly3_add(v2, 1, 6, lane(1), v1, 2);
  real v4[24]; poly3_clear(v4, 24);
  real v5[4]; poly3_clear(v5, 4);
  v5[2] = lane(1);
  poly3_matrix_product_add(v5, 1, (data + 6), 0, 1, 1, 6, lane(1), v4);
  poly3_add(v4, 1, 6, lane(1), v1, 2);
  poly3_add((data + 12), 0, 6, lane(1), v1, 2);
  real v6[4]; poly3_clear(v6, 4);
  v6[3] = lane(1);
  real v7[24]; poly3_clear(v7, 24);
  real v8[4]; poly3_clear(v8, 4);
  v8[1] = lane(1);
  poly3_matrix_product_add(v8, 1, (data + 18), 0, 1, 1, 6, lane(1), v7);
  real v9[4]; poly3_clear(v9, 4);
  v9[2] = lane(1);
  poly3_matrix_product_add(v9, 1, (data + 24), 0, 1, 1, 6, lane(1), v7);
  poly3_add((data + 30), 0, 6, lane(1), v7, 1);
  poly3_matrix_product_add(v6, 1, v7, 1, 1, 1, 6, lane(1), v1);
  for (index i = 0; i < 3; ++i) poly3_add(v1 + 20 * i, 2, 2, lane(1), v0 + 30 * i, 2);
  real v10[12]; poly3_clear(v10, 12);
  v10[1] += lane(1);
  (v10 + 4)[2] += lane(1);
  (v10 + 8)[0] += lane(1);
  for (index i = 0; i < 3; ++i) poly3_add(v10 + 4 * i, 1, 1, lane(1), (v0 + 20) + 30 * i, 2);
  poly3_add(v0, 2, 9, lane(1), out, 2);
}

// out += E*E', of degree 4.
lane_fn void six_point_one_sided_radial_value_G(const real* E, real* out) {
  real v0[90]; poly3_clear(v0, 90);
  poly3_transpose_add(E, 2, 3, 3, v0);
  poly3_matrix_product_add(E, 2, v0, 2, 3, 3, 3, lane(1), out);
}

// out += det(E), of degree 6.
lane_fn void six_point_one_sided_radial_equation_1(const real* E, real* out) {
  real v0[84]; poly3_clear(v0, 84);
  real minor1[35];
  poly3_determinant_add(E, 2, minor1, v0);
  poly3_add(v0, 6, 1, lane(1), out, 6);
}

// out += 2*G*E - trace(G)*E, of degree 6.
lane_fn void six_point_one_sided_radial_equation_2(const real* E, const real* G, real* out) {
  real v0[315]; poly3_clear(v0, 315);
  poly3_add(G, 4, 9, lane(2), v0, 4);
  poly3_matrix_product_add(v0, 4, E, 2, 3, 3, 3, lane(1), out);
  real v1[35]; poly3_clear(v1, 35);
  for (index i = 0; i < 3; ++i) poly3_add(G + 140 * i, 4, 1, lane(1), v1, 4);
  poly3_matrix_product_add(v1, 4, E, 2, 1, 1, 9, lane(-1), out);
}

// The coefficients C [10][40] of the equations, each of norm 1, of the monomials that occur.
lane_fn void six_point_one_sided_radial_coefficients(const real* data, real* C) {
  real D[840];
  real E[90];
  real G[315];
  const index used[40] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
      22, 24, 25, 27, 28, 29, 31, 32, 33, 40, 43, 44, 47, 48, 52, 53, 65, 69, 74, 80};
  poly3_clear(D, 840);
  poly3_clear(E, 90);
  six_point_one_sided_radial_value_E(data, E);
  poly3_clear(G, 315);
  six_point_one_sided_radial_value_G(E, G);
  six_point_one_sided_radial_equation_1(E, D + 0);
  six_point_one_sided_radial_equation_2(E, G, D + 84);
  for (index i = 0; i < 10; ++i) {
    real sum = lane_tiny();
    for (index k = 0; k < 84; ++k) sum += D[84 * i + k] * D[84 * i + k];
    real scale = lane(1) / sqrt(sum);
    for (index k = 0; k < 40; ++k) C[40 * i + k] = D[84 * i + used[k]] * scale;
  }
}

// The template M: an equation times a monomial in each row, whose columns are
//   xykkk xy 1 (excess)
//   yyykkk xyykkk xxykkk xxxkkk yykkk xxkkk ykkk xkkk xykk xxyk kkk (to reduce)
//   yyykk xyykk xxykk xxxkk yykk yyyk xyyk xxkk xxxk ykk yyk yyy xkk xyk xyy xxk xxy xxx kk yk yy xk xx k y x (basis).
lane_fn void six_point_one_sided_radial_template(const real* C, real* M) {
  const index column[120] = {2, 39, 38, 37, 36, 1, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24,
      23, 13, -1, -1, 22, -1, 12, 21, -1, 20, 11, 10, -1, 19, 18, 9, -1, -1, -1, -1, -1, -1, 17,
      -1, -1, 16, 8, -1, -1, 15, 0, -1, -1, -1, 14, 7, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
      6, -1, -1, -1, 5, -1, -1, -1, -1, 4, -1, -1, -1, -1, -1, 3, -1, -1, -1, -1, -1, -1, -1, -1,
      -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
      -1, -1, -1, -1, -1, -1, -1, -1};
  const index equation[14] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 3, 6, 9};
  const index shift[42] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
      0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  const index slot[84] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
      -1, -1, 20, -1, 21, 22, -1, 23, 24, 25, -1, 26, 27, 28, -1, -1, -1, -1, -1, -1, 29, -1, -1,
      30, 31, -1, -1, 32, 33, -1, -1, -1, 34, 35, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 36,
      -1, -1, -1, 37, -1, -1, -1, -1, 38, -1, -1, -1, -1, -1, 39, -1, -1, -1};
  poly3_clear(M, 560);
  for (index i = 0; i < 14; ++i) {
    index p = 0;
    for (index t1 = 0; t1 <= 6; ++t1)
    for (index t2 = 0; t2 <= t1; ++t2)
    for (index t3 = 0; t3 <= t2; ++t3) {
      const index to = column[poly3_place(t1 + shift[3 * i + 0], t2 + shift[3 * i + 1],
          t3 + shift[3 * i + 2])], from = slot[p++];
      if (from >= 0 && to >= 0) M[40 * i + to] = C[40 * equation[i] + from];
    }
  }
}

// Eliminates the first 14 columns of M [14][40] with partial pivoting. The last 11 rows then
// express the monomials to reduce by the basis.
lane_fn void six_point_one_sided_radial_eliminate(real* M) {
  for (index k = 0; k < 14; ++k) {
    real head = M[41 * k], largest = fabs(head), factor[14];
    mask is_pivot[14];
    for (index i = k + 1; i < 14; ++i) largest = fmax(largest, fabs(M[40 * i + k]));
    // Row k changes places with the first row that has the largest element.
    mask searching = !(fabs(head) >= largest);
    real pivot = head;
    for (index i = k + 1; i < 14; ++i) {
      factor[i] = M[40 * i + k];
      is_pivot[i] = searching & (fabs(factor[i]) >= largest);
      searching = searching & !is_pivot[i];
      pivot = select(is_pivot[i], factor[i], pivot);
      factor[i] = select(is_pivot[i], head, factor[i]);
    }
    real inverse = lane(1) / pivot;
    for (index j = k + 1; j < 40; ++j) {
      real own = M[40 * k + j], chosen = own;
      for (index i = k + 1; i < 14; ++i) chosen = select(is_pivot[i], M[40 * i + j], chosen);
      chosen = chosen * inverse;
      for (index i = k + 1; i < 14; ++i)
        M[40 * i + j] = select(is_pivot[i], own, M[40 * i + j]) - factor[i] * chosen;
      M[40 * k + j] = chosen;
    }
  }
  for (index k = 13; k > 3; --k) {
    for (index i = 3; i < k; ++i) {
      real factor = M[40 * i + k];
      for (index j = 14; j < 40; ++j) M[40 * i + j] -= factor * M[40 * k + j];
    }
  }
}

// A [26][26]: k b = A b for the basis b at every solution.
lane_fn void six_point_one_sided_radial_action(const real* M, lane_array A) {
  const index pitch = lane_pitch(26);
  // The column of each element's image: of a monomial to reduce, or of the basis.
  const index image[26] = {3, 4, 5, 6, 7, 14, 15, 8, 17, 9, 18, 19, 10, 11, 20, 21, 12, 22, 13,
      23, 24, 26, 29, 32, 33, 35};
  for (index i = 0; i < 26; ++i) {
    for (index j = 0; j < 26; ++j) {
      if (image[i] < 14)
        lane_at(A, pitch * i + j) = -M[40 * image[i] + 14 + j];
      else
        lane_at(A, pitch * i + j) = lane(image[i] == 14 + j ? 1 : 0);
    }
  }
}

// Four Gauss-Newton steps on the equations C. Returns their largest residual at x beside the largest
// monomial.
lane_fn real six_point_one_sided_radial_polish(const real* C, real* x) {
  const index used[40] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
      22, 24, 25, 27, 28, 29, 31, 32, 33, 40, 43, 44, 47, 48, 52, 53, 65, 69, 74, 80};
  real m[84], d[252], worst = lane(0), most = lane(1);
  for (index step = 0; step < 5; ++step) {
    real A[9], g[3];
    for (index i = 0; i < 9; ++i) A[i] = lane(0);
    for (index i = 0; i < 3; ++i) g[i] = lane(0);
    worst = lane(0);
    poly3_monomials(x, 6, m, d);
    for (index q = 0; q < 10; ++q) {
      real r = lane(0), J[3];
      for (index i = 0; i < 3; ++i) J[i] = lane(0);
      for (index k = 0; k < 40; ++k) {
        real c = C[40 * q + k];
        r += c * m[used[k]];
        for (index i = 0; i < 3; ++i) J[i] += c * d[84 * i + used[k]];
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
  for (index k = 0; k < 40; ++k) most = fmax(most, fabs(m[used[k]]));
  return worst / most;
}

// The unknowns x [3] from an eigenvector b and its eigenvalue. Both m and x_k m are among b and
// value b for several monomials m: the largest of them is what is least disturbed.
lane_fn void six_point_one_sided_radial_extract(const real* b, real value, real* x) {
  const index first[4] = {0, 19, 38, 65};
  const index place[130] = {25, 22, 23, 21, 22, 17, 21, 15, 20, 14, 19, 13, 18, 12, 15, 8, 13, 42,
      12, 7, 10, 6, 9, 39, 44, 38, 7, 3, 39, 2, 38, 33, 4, 1, 33, 29, 30, 27, 24, 20, 23, 19, 22,
      16, 21, 13, 20, 11, 19, 10, 18, 9, 15, 42, 13, 6, 12, 39, 10, 5, 9, 4, 44, 35, 7, 2, 39, 1,
      4, 0, 35, 30, 33, 28, 30, 26, 25, 21, 24, 19, 23, 18, 22, 15, 21, 12, 20, 10, 19, 9, 18, 44,
      17, 8, 16, 42, 15, 7, 14, 6, 13, 39, 12, 38, 11, 5, 10, 4, 9, 35, 8, 3, 42, 2, 7, 33, 6, 1,
      5, 0, 4, 30, 3, 29, 2, 28, 1, 27, 0, 26};
  real e[52];
  for (index i = 0; i < 26; ++i) {
    e[i] = b[i];
    e[26 + i] = value * b[i];
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

// solutions: [26][3], the unknowns of each; unused slots NaN. Returns their number.
lane_fn real six_point_one_sided_radial(const real* data, real* solutions) {
  real C[400], M[560], A[676], K[835];  // K: the work space of real_eigenvalues
  real b[26], x[3], kept = lane(0);
  six_point_one_sided_radial_coefficients(data, C);
  six_point_one_sided_radial_template(C, M);
  six_point_one_sided_radial_eliminate(M);
  six_point_one_sided_radial_action(M, A);
  lane_int status;
  lane_int found = real_eigenvalues(A, K, 26, 0, 30, &status);
  for (index i = 0; i < 78; ++i) solutions[i] = lane_nan();
  for (index s = 0; s < lanes_max(found); ++s) {
    real_eigenvector(A, K, 26, 0, s, b);
    six_point_one_sided_radial_extract(b, real_eigenvalue(K, 26, s), x);
    real residual = six_point_one_sided_radial_polish(C, x);
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
