// SPDX-License-Identifier: BSD-3-Clause
// Fundamental matrices F = x F1 + y F2 + F3 in the null space of six epipolar equations, where F
// diag(f, f, 1) is an essential matrix and q = 1 / f^2.
//   M. Bujnak, Z. Kukelova, T. Pajdla, 3D reconstruction from image collections with a single
//   known focal length, ICCV 2009
// F1 to F3 span the null space, best orthonormally, of points of about unit size.
// This file was written by bifocal-generate from one_sided_focal.problem: 9 roots, a template of
// 11 x 20, multiplication by x.
// Unknowns: x, y, q.
//   F = x*F1 + y*F2 + F3
//   G = F*diag(1, 1, q)*F'
//   det(F) = 0
//   2*G*F - trace(G)*F = 0
// The data are F1 [3][3], F2 [3][3], F3 [3][3], one after the other.

// clang-format off

// Polynomials in x, y, q begin with their terms of lowest degree, so that those of a low degree
// are the beginning of those of a higher one. The tails t1 >= t2 >= ... of a monomial are the
// sums of its exponents from an unknown on; this is its place.
lane_fn index one_sided_focal_place(index t1, index t2, index t3) {
  return t1 * (t1 + 1) * (t1 + 2) / 6 + t2 * (t2 + 1) / 2 + t3;
}

// The number of coefficients.
lane_fn index one_sided_focal_size(index degree) {
  return (degree + 1) * (degree + 2) * (degree + 3) / 6;
}

// out += factor a: count polynomials of a degree, in out of another one.
lane_fn void one_sided_focal_add(const real* a, index degree, index count, real factor, real* out,
    index out_degree) {
  const index n = one_sided_focal_size(degree), pitch = one_sided_focal_size(out_degree);
  for (index i = 0; i < count; ++i) {
    for (index k = 0; k < n; ++k) out[pitch * i + k] += factor * a[n * i + k];
  }
}

// out += factor a b.
lane_fn void one_sided_focal_product_add(const real* a, index a_degree, const real* b,
    index b_degree, real factor, real* out) {
  index i = 0;
  for (index s1 = 0; s1 <= a_degree; ++s1)
  for (index s2 = 0; s2 <= s1; ++s2)
  for (index s3 = 0; s3 <= s2; ++s3) {
    real f = factor * a[i++];
    index j = 0;
    for (index t1 = 0; t1 <= b_degree; ++t1)
    for (index t2 = 0; t2 <= t1; ++t2)
    for (index t3 = 0; t3 <= t2; ++t3) {
      out[one_sided_focal_place(s1 + t1, s2 + t2, s3 + t3)] += f * b[j++];
    }
  }
}

// out += factor A B, matrices of polynomials.
lane_fn void one_sided_focal_matrix_product_add(const real* A, index a_degree, const real* B,
    index b_degree, index rows, index inner, index columns, real factor, real* out) {
  const index a = one_sided_focal_size(a_degree), b = one_sided_focal_size(b_degree),
      c = one_sided_focal_size(a_degree + b_degree);
  for (index i = 0; i < rows; ++i) {
    for (index j = 0; j < columns; ++j) {
      for (index k = 0; k < inner; ++k)
        one_sided_focal_product_add(A + a * (inner * i + k), a_degree, B + b * (columns * k + j),
            b_degree, factor, out + c * (columns * i + j));
    }
  }
}

// out += x*F1 + y*F2 + F3, of degree 1.
lane_fn void one_sided_focal_value_F(const real* data, real* out) {
  real v0[4];
  for (index i = 0; i < 4; ++i) v0[i] = lane(0);
  v0[1] = lane(1);
  one_sided_focal_matrix_product_add(v0, 1, data, 0, 1, 1, 9, lane(1), out);
  real v1[4];
  for (index i = 0; i < 4; ++i) v1[i] = lane(0);
  v1[2] = lane(1);
  one_sided_focal_matrix_product_add(v1, 1, (data + 9), 0, 1, 1, 9, lane(1), out);
  one_sided_focal_add((data + 18), 0, 9, lane(1), out, 1);
}

// out += F*diag(1, 1, q)*F', of degree 3.
lane_fn void one_sided_focal_value_G(const real* F, real* out) {
  real v0[90];
  for (index i = 0; i < 90; ++i) v0[i] = lane(0);
  real v1[36];
  for (index i = 0; i < 36; ++i) v1[i] = lane(0);
  v1[0] += lane(1);
  (v1 + 16)[0] += lane(1);
  (v1 + 32)[3] += lane(1);
  one_sided_focal_matrix_product_add(F, 1, v1, 1, 3, 3, 3, lane(1), v0);
  real v2[36];
  for (index i = 0; i < 36; ++i) v2[i] = lane(0);
  for (index i = 0; i < 3; ++i) {
    for (index j = 0; j < 3; ++j)
      one_sided_focal_add(F + 4 * (3 * j + i), 1, 1, lane(1), v2 + 4 * (3 * i + j), 1);
  }
  one_sided_focal_matrix_product_add(v0, 2, v2, 1, 3, 3, 3, lane(1), out);
}

// out += det(F), of degree 4.
lane_fn void one_sided_focal_equation_1(const real* F, real* out) {
  real v0[20];
  for (index i = 0; i < 20; ++i) v0[i] = lane(0);
  for (index j = 0; j < 3; ++j) {
    const real* p = F + 4 * (3 + (j + 1) % 3);
    const real* q = F + 4 * (3 + (j + 2) % 3);
    real minor[10];
    for (index i = 0; i < 10; ++i) minor[i] = lane(0);
    one_sided_focal_product_add(p, 1, q + 12, 1, lane(1), minor);
    one_sided_focal_product_add(q, 1, p + 12, 1, lane(-1), minor);
    one_sided_focal_product_add(minor, 2, F + 4 * j, 1, lane(1), v0);
  }
  one_sided_focal_add(v0, 3, 1, lane(1), out, 4);
}

// out += 2*G*F - trace(G)*F, of degree 4.
lane_fn void one_sided_focal_equation_2(const real* F, const real* G, real* out) {
  real v0[180];
  for (index i = 0; i < 180; ++i) v0[i] = lane(0);
  one_sided_focal_add(G, 3, 9, lane(2), v0, 3);
  one_sided_focal_matrix_product_add(v0, 3, F, 1, 3, 3, 3, lane(1), out);
  real v1[20];
  for (index i = 0; i < 20; ++i) v1[i] = lane(0);
  for (index i = 0; i < 3; ++i) one_sided_focal_add(G + 80 * i, 3, 1, lane(1), v1, 3);
  one_sided_focal_matrix_product_add(v1, 3, F, 1, 1, 1, 9, lane(-1), out);
}

// The coefficients C [10][35] of the equations, each of norm 1.
lane_fn void one_sided_focal_coefficients(const real* data, real* C) {
  real F[36];
  real G[180];
  for (index i = 0; i < 350; ++i) C[i] = lane(0);
  for (index i = 0; i < 36; ++i) F[i] = lane(0);
  one_sided_focal_value_F(data, F);
  for (index i = 0; i < 180; ++i) G[i] = lane(0);
  one_sided_focal_value_G(F, G);
  one_sided_focal_equation_1(F, C + 0);
  one_sided_focal_equation_2(F, G, C + 35);
  for (index i = 0; i < 10; ++i) {
    real sum = lane(0);
    for (index k = 0; k < 35; ++k) sum += C[35 * i + k] * C[35 * i + k];
    real scale = lane(1) / sqrt(sum);
    for (index k = 0; k < 35; ++k) C[35 * i + k] = C[35 * i + k] * scale;
  }
}

// The template M: an equation times a monomial in each row, whose columns are
//   yyyq xyyq yyq yyy xyy yy (excess)
//   xxyq xxxq xxy xxx xq (to reduce)
//   xyq xxq yq xy xx q y x 1 (basis).
lane_fn void one_sided_focal_template(const real* C, real* M) {
  const index column[56] = {19, 18, 17, 16, 15, 14, 10, 5, 13, -1, 9, 8, 12, 4, 11, -1, 3, 2, -1,
      -1, -1, -1, 7, -1, 6, -1, -1, 1, -1, -1, -1, 0, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
      -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
  const index equation[11] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0};
  const index shift[33] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
      0, 0, 0, 0, 0, 0, 1, 1, 1};
  for (index i = 0; i < 220; ++i) M[i] = lane(0);
  for (index i = 0; i < 11; ++i) {
    const real* c = C + 35 * equation[i];
    for (index t1 = 0; t1 <= 4; ++t1)
    for (index t2 = 0; t2 <= t1; ++t2)
    for (index t3 = 0; t3 <= t2; ++t3) {
      const index to = column[one_sided_focal_place(t1 + shift[3 * i + 0], t2 + shift[3 * i + 1],
          t3 + shift[3 * i + 2])];
      if (to >= 0) M[20 * i + to] = *c;
      ++c;
    }
  }
}

// Eliminates the first 11 columns of M [11][20] with partial pivoting. The last 5 rows then
// express the monomials to reduce by the basis.
lane_fn void one_sided_focal_eliminate(real* M) {
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
  for (index k = 10; k > 6; --k) {
    for (index i = 6; i < k; ++i) {
      real factor = M[20 * i + k];
      for (index j = 11; j < 20; ++j) M[20 * i + j] -= factor * M[20 * k + j];
    }
  }
}

// A [9][9]: x b = A b for the basis b at every solution.
lane_fn void one_sided_focal_action(const real* M, lane_array A) {
  const index pitch = lane_pitch(9);
  // The column of each element's image: of a monomial to reduce, or of the basis.
  const index image[9] = {6, 7, 11, 8, 9, 10, 14, 15, 18};
  for (index i = 0; i < 9; ++i) {
    for (index j = 0; j < 9; ++j) {
      if (image[i] < 11)
        lane_at(A, pitch * i + j) = -M[20 * image[i] + 11 + j];
      else
        lane_at(A, pitch * i + j) = lane(image[i] == 11 + j ? 1 : 0);
    }
  }
}

// All monomials m [35] up to degree 4 at x, and their derivatives d [3][35].
lane_fn void one_sided_focal_monomials(const real* x, real* m, real* d) {
  index p = 0;
  for (index i = 0; i < 105; ++i) d[i] = lane(0);
  m[0] = lane(1);
  for (index t1 = 0; t1 <= 4; ++t1)
  for (index t2 = 0; t2 <= t1; ++t2)
  for (index t3 = 0; t3 <= t2; ++t3) {
    if (t1 - t2 > 0) {
      real before = m[one_sided_focal_place(t1 - 1, t2, t3)];
      m[p] = x[0] * before;
      d[0 + p] = lane(t1 - t2) * before;
    }
    if (t2 - t3 > 0) {
      real before = m[one_sided_focal_place(t1 - 1, t2 - 1, t3)];
      m[p] = x[1] * before;
      d[35 + p] = lane(t2 - t3) * before;
    }
    if (t3 > 0) {
      real before = m[one_sided_focal_place(t1 - 1, t2 - 1, t3 - 1)];
      m[p] = x[2] * before;
      d[70 + p] = lane(t3) * before;
    }
    ++p;
  }
}

// Two Gauss-Newton steps on the equations C. Returns their largest residual at x beside the largest
// monomial.
lane_fn real one_sided_focal_polish(const real* C, real* x) {
  real m[35], d[105], worst = lane(0), most = lane(1);
  for (index step = 0; step < 3; ++step) {
    real A[9], g[3];
    for (index i = 0; i < 9; ++i) A[i] = lane(0);
    for (index i = 0; i < 3; ++i) g[i] = lane(0);
    worst = lane(0);
    one_sided_focal_monomials(x, m, d);
    for (index q = 0; q < 10; ++q) {
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
    if (step == 2) break;
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
lane_fn void one_sided_focal_extract(const real* b, real value, real* x) {
  const index first[4] = {0, 10, 16, 23};
  const index place[46] = {8, 7, 7, 4, 6, 3, 5, 14, 4, 13, 3, 12, 14, 1, 2, 0, 1, 10, 0, 9, 8, 6,
      7, 3, 5, 2, 4, 12, 14, 0, 1, 9, 8, 5, 7, 14, 6, 2, 4, 1, 3, 0, 13, 10, 12, 9};
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
lane_fn real one_sided_focal(const real* data, real* solutions) {
  real C[350], M[220], A[81], K[138];  // K: the work space of real_eigenvalues
  real b[9], x[3], kept = lane(0);
  one_sided_focal_coefficients(data, C);
  one_sided_focal_template(C, M);
  one_sided_focal_eliminate(M);
  one_sided_focal_action(M, A);
  lane_int status;
  lane_int found = real_eigenvalues(A, K, 9, 0, 30, &status);
  for (index i = 0; i < 27; ++i) solutions[i] = lane_nan();
  for (index s = 0; s < lanes_max(found); ++s) {
    real_eigenvector(A, K, 9, 0, s, b);
    one_sided_focal_extract(b, real_eigenvalue(K, 9, s), x);
    real residual = one_sided_focal_polish(C, x);
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
