// SPDX-License-Identifier: BSD-3-Clause
// Essential matrices E = [a b c; d 0 e; -c f a] of three epipolar equations, E = x E1 + y E2 +
// E3.
//   F. Fraundorfer, P. Tanskanen, M. Pollefeys, A minimal case solution to the calibrated
//   relative pose problem for the case of two known orientation angles, ECCV 2010
// Each of E1 to E3 is the row (a b c d e f); they span the null space of the three equations,
// best orthonormally.
// This file was written by bifocal-generate from three_point_upright.problem: 4 roots, a template
// of 6 x 10, multiplication by x.
// Unknowns: x, y.
//   v = x*E1 + y*E2 + E3
//   a = element(v, 1, 1)
//   b = element(v, 1, 2)
//   c = element(v, 1, 3)
//   d = element(v, 1, 4)
//   e = element(v, 1, 5)
//   f = element(v, 1, 6)
//   E = [a, b, c; d, 0, e; -c, f, a]
//   det(E) = 0
//   2*E*E'*E - trace(E*E')*E = 0
// Polynomials are those of polynomials_2.lane.h.
// The data are E1 [1][6], E2 [1][6], E3 [1][6], one after the other.

// clang-format off

// out += x*E1 + y*E2 + E3, of degree 1.
lane_fn void three_point_upright_value_v(const real* data, real* out) {
  real v0[3]; poly2_clear(v0, 3);
  v0[1] = lane(1);
  poly2_matrix_product_add(v0, 1, data, 0, 1, 1, 6, lane(1), out);
  real v1[3]; poly2_clear(v1, 3);
  v1[2] = lane(1);
  poly2_matrix_product_add(v1, 1, (data + 6), 0, 1, 1, 6, lane(1), out);
  poly2_add((data + 12), 0, 6, lane(1), out, 1);
}

// out += element(v, 1, 1), of degree 1.
lane_fn void three_point_upright_value_a(const real* v, real* out) {
  poly2_add(v, 1, 1, lane(1), out, 1);
}

// out += element(v, 1, 2), of degree 1.
lane_fn void three_point_upright_value_b(const real* v, real* out) {
  poly2_add((v + 3), 1, 1, lane(1), out, 1);
}

// out += element(v, 1, 3), of degree 1.
lane_fn void three_point_upright_value_c(const real* v, real* out) {
  poly2_add((v + 6), 1, 1, lane(1), out, 1);
}

// out += element(v, 1, 4), of degree 1.
lane_fn void three_point_upright_value_d(const real* v, real* out) {
  poly2_add((v + 9), 1, 1, lane(1), out, 1);
}

// out += element(v, 1, 5), of degree 1.
lane_fn void three_point_upright_value_e(const real* v, real* out) {
  poly2_add((v + 12), 1, 1, lane(1), out, 1);
}

// out += element(v, 1, 6), of degree 1.
lane_fn void three_point_upright_value_f(const real* v, real* out) {
  poly2_add((v + 15), 1, 1, lane(1), out, 1);
}

// out += [a, b, c; d, 0, e; -c, f, a], of degree 1.
lane_fn void three_point_upright_value_E(const real* a, const real* b, const real* c,
    const real* d, const real* e, const real* f, real* out) {
  real v0[27]; poly2_clear(v0, 27);
  poly2_add(a, 1, 1, lane(1), v0, 1);
  poly2_add(b, 1, 1, lane(1), (v0 + 3), 1);
  poly2_add(c, 1, 1, lane(1), (v0 + 6), 1);
  poly2_add(d, 1, 1, lane(1), (v0 + 9), 1);
  poly2_add(e, 1, 1, lane(1), (v0 + 15), 1);
  poly2_add(c, 1, 1, lane(-1), (v0 + 18), 1);
  poly2_add(f, 1, 1, lane(1), (v0 + 21), 1);
  poly2_add(a, 1, 1, lane(1), (v0 + 24), 1);
  poly2_add(v0, 1, 9, lane(1), out, 1);
}

// out += det(E), of degree 3.
lane_fn void three_point_upright_equation_1(const real* E, real* out) {
  real v0[10]; poly2_clear(v0, 10);
  real minor1[6];
  poly2_determinant_add(E, 1, minor1, v0);
  poly2_add(v0, 3, 1, lane(1), out, 3);
}

// out += 2*E*E'*E - trace(E*E')*E, of degree 3.
lane_fn void three_point_upright_equation_2(const real* E, real* out) {
  real v0[54]; poly2_clear(v0, 54);
  real v1[27]; poly2_clear(v1, 27);
  poly2_add(E, 1, 9, lane(2), v1, 1);
  real v2[27]; poly2_clear(v2, 27);
  poly2_transpose_add(E, 1, 3, 3, v2);
  poly2_matrix_product_add(v1, 1, v2, 1, 3, 3, 3, lane(1), v0);
  poly2_matrix_product_add(v0, 2, E, 1, 3, 3, 3, lane(1), out);
  real v3[54]; poly2_clear(v3, 54);
  real v4[27]; poly2_clear(v4, 27);
  poly2_transpose_add(E, 1, 3, 3, v4);
  poly2_matrix_product_add(E, 1, v4, 1, 3, 3, 3, lane(1), v3);
  real v5[6]; poly2_clear(v5, 6);
  for (index i = 0; i < 3; ++i) poly2_add(v3 + 24 * i, 2, 1, lane(1), v5, 2);
  poly2_matrix_product_add(v5, 2, E, 1, 1, 1, 9, lane(-1), out);
}

// The coefficients C [10][10] of the equations, each of norm 1.
lane_fn void three_point_upright_coefficients(const real* data, real* C) {
  real D[100];
  real v[18];
  real a[3];
  real b[3];
  real c[3];
  real d[3];
  real e[3];
  real f[3];
  real E[27];
  poly2_clear(D, 100);
  poly2_clear(v, 18);
  three_point_upright_value_v(data, v);
  poly2_clear(a, 3);
  three_point_upright_value_a(v, a);
  poly2_clear(b, 3);
  three_point_upright_value_b(v, b);
  poly2_clear(c, 3);
  three_point_upright_value_c(v, c);
  poly2_clear(d, 3);
  three_point_upright_value_d(v, d);
  poly2_clear(e, 3);
  three_point_upright_value_e(v, e);
  poly2_clear(f, 3);
  three_point_upright_value_f(v, f);
  poly2_clear(E, 27);
  three_point_upright_value_E(a, b, c, d, e, f, E);
  three_point_upright_equation_1(E, D + 0);
  three_point_upright_equation_2(E, D + 10);
  for (index i = 0; i < 10; ++i) {
    real sum = lane_tiny();
    for (index k = 0; k < 10; ++k) sum += D[10 * i + k] * D[10 * i + k];
    real scale = lane(1) / sqrt(sum);
    for (index k = 0; k < 10; ++k) C[10 * i + k] = D[10 * i + k] * scale;
  }
}

// The template M: an equation times a monomial in each row, whose columns are
//   yyy xyy xxy yy (excess)
//   xxx xy (to reduce)
//   xx y x 1 (basis).
lane_fn void three_point_upright_template(const real* C, real* M) {
  const index column[10] = {9, 8, 7, 6, 5, 3, 4, 2, 1, 0};
  const index equation[6] = {2, 3, 4, 5, 8, 9};
  const index shift[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  poly2_clear(M, 60);
  for (index i = 0; i < 6; ++i) {
    index p = 0;
    for (index t1 = 0; t1 <= 3; ++t1)
    for (index t2 = 0; t2 <= t1; ++t2) {
      const index to = column[poly2_place(t1 + shift[2 * i + 0], t2 + shift[2 * i + 1])],
          from = p++;
      if (to >= 0) M[10 * i + to] = C[10 * equation[i] + from];
    }
  }
}

// Eliminates the first 6 columns of M [6][10] with partial pivoting. The last 2 rows then
// express the monomials to reduce by the basis.
lane_fn void three_point_upright_eliminate(real* M) {
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
  for (index k = 5; k > 4; --k) {
    for (index i = 4; i < k; ++i) {
      real factor = M[10 * i + k];
      for (index j = 6; j < 10; ++j) M[10 * i + j] -= factor * M[10 * k + j];
    }
  }
}

// A [4][4]: x b = A b for the basis b at every solution.
lane_fn void three_point_upright_action(const real* M, lane_array A) {
  const index pitch = lane_pitch(4);
  // The column of each element's image: of a monomial to reduce, or of the basis.
  const index image[4] = {4, 5, 6, 8};
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
lane_fn real three_point_upright_polish(const real* C, real* x) {
  real m[10], d[20], worst = lane(0), most = lane(1);
  for (index step = 0; step < 5; ++step) {
    real A[4], g[2];
    for (index i = 0; i < 4; ++i) A[i] = lane(0);
    for (index i = 0; i < 2; ++i) g[i] = lane(0);
    worst = lane(0);
    poly2_monomials(x, 3, m, d);
    for (index q = 0; q < 10; ++q) {
      real r = lane(0), J[2];
      for (index i = 0; i < 2; ++i) J[i] = lane(0);
      for (index k = 0; k < 10; ++k) {
        real c = C[10 * q + k];
        r += c * m[k];
        for (index i = 0; i < 2; ++i) J[i] += c * d[10 * i + k];
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
  for (index k = 0; k < 10; ++k) most = fmax(most, fabs(m[k]));
  return worst / most;
}

// The unknowns x [2] from an eigenvector b and its eigenvalue. Both m and x_k m are among b and
// value b for several monomials m: the largest of them is what is least disturbed.
lane_fn void three_point_upright_extract(const real* b, real value, real* x) {
  const index first[3] = {0, 4, 6};
  const index place[12] = {3, 2, 2, 0, 1, 5, 0, 4, 3, 1, 2, 5};
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
lane_fn real three_point_upright(const real* data, real* solutions) {
  real C[100], M[60], A[16], K[43];  // K: the work space of real_eigenvalues
  real b[4], x[2], kept = lane(0);
  three_point_upright_coefficients(data, C);
  three_point_upright_template(C, M);
  three_point_upright_eliminate(M);
  three_point_upright_action(M, A);
  lane_int status;
  lane_int found = real_eigenvalues(A, K, 4, 0, 30, &status);
  for (index i = 0; i < 8; ++i) solutions[i] = lane_nan();
  for (index s = 0; s < lanes_max(found); ++s) {
    real_eigenvector(A, K, 4, 0, s, b);
    three_point_upright_extract(b, real_eigenvalue(K, 4, s), x);
    real residual = three_point_upright_polish(C, x);
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
