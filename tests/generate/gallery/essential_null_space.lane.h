// SPDX-License-Identifier: BSD-3-Clause
// Essential matrices E = x E1 + y E2 + z E3 + E4 in the null space of five epipolar equations.
//   D. Nister, An efficient solution to the five-point relative pose problem, PAMI 26(6), 2004
//   H. Stewenius, C. Engels, D. Nister, Recent developments on direct relative orientation, ISPRS
//   J. 60(4), 2006
// E1 to E4 span the null space, best orthonormally; solutions with E4's share 0 are not found.
// This file was written by bifocal-generate from essential_null_space.problem: 10 roots, a
// template of 10 x 20, multiplication by x.
// Unknowns: x, y, z.
//   E = x*E1 + y*E2 + z*E3 + E4
//   G = E*E'
//   det(E) = 0
//   2*G*E - trace(G)*E = 0
// Polynomials are those of polynomials_3.lane.h.
// The data are E1 [3][3], E2 [3][3], E3 [3][3], E4 [3][3], one after the other.

// clang-format off

// out += x*E1 + y*E2 + z*E3 + E4, of degree 1.
lane_fn void essential_null_space_value_E(const real* data, real* out) {
  real v0[4]; poly3_clear(v0, 4);
  v0[1] = lane(1);
  poly3_matrix_product_add(v0, 1, data, 0, 1, 1, 9, lane(1), out);
  real v1[4]; poly3_clear(v1, 4);
  v1[2] = lane(1);
  poly3_matrix_product_add(v1, 1, (data + 9), 0, 1, 1, 9, lane(1), out);
  real v2[4]; poly3_clear(v2, 4);
  v2[3] = lane(1);
  poly3_matrix_product_add(v2, 1, (data + 18), 0, 1, 1, 9, lane(1), out);
  poly3_add((data + 27), 0, 9, lane(1), out, 1);
}

// out += E*E', of degree 2.
lane_fn void essential_null_space_value_G(const real* E, real* out) {
  real v0[36]; poly3_clear(v0, 36);
  poly3_transpose_add(E, 1, 3, 3, v0);
  poly3_matrix_product_add(E, 1, v0, 1, 3, 3, 3, lane(1), out);
}

// out += det(E), of degree 3.
lane_fn void essential_null_space_equation_1(const real* E, real* out) {
  real v0[20]; poly3_clear(v0, 20);
  real minor1[10];
  poly3_determinant_add(E, 1, minor1, v0);
  poly3_add(v0, 3, 1, lane(1), out, 3);
}

// out += 2*G*E - trace(G)*E, of degree 3.
lane_fn void essential_null_space_equation_2(const real* E, const real* G, real* out) {
  real v0[90]; poly3_clear(v0, 90);
  poly3_add(G, 2, 9, lane(2), v0, 2);
  poly3_matrix_product_add(v0, 2, E, 1, 3, 3, 3, lane(1), out);
  real v1[10]; poly3_clear(v1, 10);
  for (index i = 0; i < 3; ++i) poly3_add(G + 40 * i, 2, 1, lane(1), v1, 2);
  poly3_matrix_product_add(v1, 2, E, 1, 1, 1, 9, lane(-1), out);
}

// The coefficients C [10][20] of the equations, each of norm 1.
lane_fn void essential_null_space_coefficients(const real* data, real* C) {
  real D[200];
  real E[36];
  real G[90];
  poly3_clear(D, 200);
  poly3_clear(E, 36);
  essential_null_space_value_E(data, E);
  poly3_clear(G, 90);
  essential_null_space_value_G(E, G);
  essential_null_space_equation_1(E, D + 0);
  essential_null_space_equation_2(E, G, D + 20);
  for (index i = 0; i < 10; ++i) {
    real sum = lane_tiny();
    for (index k = 0; k < 20; ++k) sum += D[20 * i + k] * D[20 * i + k];
    real scale = lane(1) / sqrt(sum);
    for (index k = 0; k < 20; ++k) C[20 * i + k] = D[20 * i + k] * scale;
  }
}

// The template M: an equation times a monomial in each row, whose columns are
//   zzz yzz yyz yyy (excess)
//   xzz xyz xyy xxz xxy xxx (to reduce)
//   zz yz yy xz xy xx z y x 1 (basis).
lane_fn void essential_null_space_template(const real* C, real* M) {
  const index column[20] = {19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
  const index equation[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  const index shift[30] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
      0, 0, 0, 0, 0, 0};
  poly3_clear(M, 200);
  for (index i = 0; i < 10; ++i) {
    index p = 0;
    for (index t1 = 0; t1 <= 3; ++t1)
    for (index t2 = 0; t2 <= t1; ++t2)
    for (index t3 = 0; t3 <= t2; ++t3) {
      const index to = column[poly3_place(t1 + shift[3 * i + 0], t2 + shift[3 * i + 1],
          t3 + shift[3 * i + 2])], from = p++;
      if (to >= 0) M[20 * i + to] = C[20 * equation[i] + from];
    }
  }
}

// Eliminates the first 10 columns of M [10][20] with partial pivoting. The last 6 rows then
// express the monomials to reduce by the basis.
lane_fn void essential_null_space_eliminate(real* M) {
  for (index k = 0; k < 10; ++k) {
    real head = M[21 * k], largest = fabs(head), factor[10];
    mask is_pivot[10];
    for (index i = k + 1; i < 10; ++i) largest = fmax(largest, fabs(M[20 * i + k]));
    // Row k changes places with the first row that has the largest element.
    mask searching = !(fabs(head) >= largest);
    real pivot = head;
    for (index i = k + 1; i < 10; ++i) {
      factor[i] = M[20 * i + k];
      is_pivot[i] = searching & (fabs(factor[i]) >= largest);
      searching = searching & !is_pivot[i];
      pivot = select(is_pivot[i], factor[i], pivot);
      factor[i] = select(is_pivot[i], head, factor[i]);
    }
    real inverse = lane(1) / pivot;
    for (index j = k + 1; j < 20; ++j) {
      real own = M[20 * k + j], chosen = own;
      for (index i = k + 1; i < 10; ++i) chosen = select(is_pivot[i], M[20 * i + j], chosen);
      chosen = chosen * inverse;
      for (index i = k + 1; i < 10; ++i)
        M[20 * i + j] = select(is_pivot[i], own, M[20 * i + j]) - factor[i] * chosen;
      M[20 * k + j] = chosen;
    }
  }
  for (index k = 9; k > 4; --k) {
    for (index i = 4; i < k; ++i) {
      real factor = M[20 * i + k];
      for (index j = 10; j < 20; ++j) M[20 * i + j] -= factor * M[20 * k + j];
    }
  }
}

// A [10][10]: x b = A b for the basis b at every solution.
lane_fn void essential_null_space_action(const real* M, lane_array A) {
  const index pitch = lane_pitch(10);
  // The column of each element's image: of a monomial to reduce, or of the basis.
  const index image[10] = {4, 5, 6, 7, 8, 9, 13, 14, 15, 18};
  for (index i = 0; i < 10; ++i) {
    for (index j = 0; j < 10; ++j) {
      if (image[i] < 10)
        lane_at(A, pitch * i + j) = -M[20 * image[i] + 10 + j];
      else
        lane_at(A, pitch * i + j) = lane(image[i] == 10 + j ? 1 : 0);
    }
  }
}

// Four Gauss-Newton steps on the equations C. Returns their largest residual at x beside the largest
// monomial.
lane_fn real essential_null_space_polish(const real* C, real* x) {
  real m[20], d[60], worst = lane(0), most = lane(1);
  for (index step = 0; step < 5; ++step) {
    real A[9], g[3];
    for (index i = 0; i < 9; ++i) A[i] = lane(0);
    for (index i = 0; i < 3; ++i) g[i] = lane(0);
    worst = lane(0);
    poly3_monomials(x, 3, m, d);
    for (index q = 0; q < 10; ++q) {
      real r = lane(0), J[3];
      for (index i = 0; i < 3; ++i) J[i] = lane(0);
      for (index k = 0; k < 20; ++k) {
        real c = C[20 * q + k];
        r += c * m[k];
        for (index i = 0; i < 3; ++i) J[i] += c * d[20 * i + k];
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
  for (index k = 0; k < 20; ++k) most = fmax(most, fabs(m[k]));
  return worst / most;
}

// The unknowns x [3] from an eigenvector b and its eigenvalue. Both m and x_k m are among b and
// value b for several monomials m: the largest of them is what is least disturbed.
lane_fn void essential_null_space_extract(const real* b, real value, real* x) {
  const index first[4] = {0, 10, 17, 24};
  const index place[48] = {9, 8, 8, 5, 7, 4, 6, 3, 5, 15, 4, 14, 3, 13, 2, 12, 1, 11, 0, 10, 9, 7,
      8, 4, 7, 2, 6, 1, 5, 14, 4, 12, 3, 11, 9, 6, 8, 3, 7, 1, 6, 0, 5, 13, 4, 11, 3, 10};
  real e[20];
  for (index i = 0; i < 10; ++i) {
    e[i] = b[i];
    e[10 + i] = value * b[i];
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

// solutions: [10][3], the unknowns of each; unused slots NaN. Returns their number.
lane_fn real essential_null_space(const real* data, real* solutions) {
  real C[200], M[200], A[100], K[163];  // K: the work space of real_eigenvalues
  real b[10], x[3], kept = lane(0);
  essential_null_space_coefficients(data, C);
  essential_null_space_template(C, M);
  essential_null_space_eliminate(M);
  essential_null_space_action(M, A);
  lane_int status;
  lane_int found = real_eigenvalues(A, K, 10, 0, 30, &status);
  for (index i = 0; i < 30; ++i) solutions[i] = lane_nan();
  for (index s = 0; s < lanes_max(found); ++s) {
    real_eigenvector(A, K, 10, 0, s, b);
    essential_null_space_extract(b, real_eigenvalue(K, 10, s), x);
    real residual = essential_null_space_polish(C, x);
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
