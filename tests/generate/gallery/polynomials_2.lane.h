// SPDX-License-Identifier: BSD-3-Clause
// Polynomials in 2 unknowns, for emitted solvers. They begin with their terms of lowest degree,
// so that those of a low degree are the beginning of those of a higher one. The tails t1 >= t2 >=
// ... of a monomial are the sums of its exponents from an unknown on. This file was written by
// bifocal-generate.

// clang-format off

lane_fn index poly2_place(index t1, index t2) {
  return t1 * (t1 + 1) / 2 + t2;
}

// The number of coefficients.
lane_fn index poly2_size(index degree) {
  return (degree + 1) * (degree + 2) / 2;
}

lane_fn void poly2_clear(real* v, index count) {
  for (index i = 0; i < count; ++i) v[i] = lane(0);
}

// out += factor a: count polynomials of a degree, in out of another one.
lane_fn void poly2_add(const real* a, index degree, index count, real factor, real* out,
    index out_degree) {
  const index n = poly2_size(degree), pitch = poly2_size(out_degree);
  for (index i = 0; i < count; ++i) {
    for (index k = 0; k < n; ++k) out[pitch * i + k] += factor * a[n * i + k];
  }
}

// out += factor a b.
lane_fn void poly2_product_add(const real* a, index a_degree, const real* b, index b_degree,
    real factor, real* out) {
  index i = 0;
  for (index s1 = 0; s1 <= a_degree; ++s1)
  for (index s2 = 0; s2 <= s1; ++s2) {
    real f = factor * a[i++];
    index j = 0;
    for (index t1 = 0; t1 <= b_degree; ++t1)
    for (index t2 = 0; t2 <= t1; ++t2) {
      out[poly2_place(s1 + t1, s2 + t2)] += f * b[j++];
    }
  }
}

// out += factor A B, matrices of polynomials.
lane_fn void poly2_matrix_product_add(const real* A, index a_degree, const real* B, index b_degree,
    index rows, index inner, index columns, real factor, real* out) {
  const index a = poly2_size(a_degree), b = poly2_size(b_degree),
      c = poly2_size(a_degree + b_degree);
  for (index i = 0; i < rows; ++i) {
    for (index j = 0; j < columns; ++j) {
      for (index k = 0; k < inner; ++k)
        poly2_product_add(A + a * (inner * i + k), a_degree, B + b * (columns * k + j), b_degree,
            factor, out + c * (columns * i + j));
    }
  }
}

// out += A', A [rows][columns].
lane_fn void poly2_transpose_add(const real* A, index degree, index rows, index columns,
    real* out) {
  const index n = poly2_size(degree);
  for (index i = 0; i < rows; ++i) {
    for (index j = 0; j < columns; ++j)
      poly2_add(A + n * (columns * i + j), degree, 1, lane(1), out + n * (rows * j + i), degree);
  }
}

// out += the matrix [3][3] of the cross product with v.
lane_fn void poly2_skew_add(const real* v, index degree, real* out) {
  const index n = poly2_size(degree);
  for (index i = 0; i < 3; ++i) {
    const index j = (i + 1) % 3, k = (i + 2) % 3;
    poly2_add(v + n * i, degree, 1, lane(1), out + n * (3 * k + j), degree);
    poly2_add(v + n * i, degree, 1, lane(-1), out + n * (3 * j + k), degree);
  }
}

// out += det A, A [3][3], along the first row. minor: room for a polynomial of twice the degree.
lane_fn void poly2_determinant_add(const real* A, index degree, real* minor, real* out) {
  const index n = poly2_size(degree), m = poly2_size(2 * degree);
  for (index j = 0; j < 3; ++j) {
    const real* p = A + n * (3 + (j + 1) % 3);
    const real* q = A + n * (3 + (j + 2) % 3);
    poly2_clear(minor, m);
    poly2_product_add(p, degree, q + 3 * n, degree, lane(1), minor);
    poly2_product_add(q, degree, p + 3 * n, degree, lane(-1), minor);
    poly2_product_add(minor, 2 * degree, A + n * j, degree, lane(1), out);
  }
}

// All monomials m [size] up to a degree at x, and their derivatives d [2][size].
lane_fn void poly2_monomials(const real* x, index degree, real* m, real* d) {
  const index size = poly2_size(degree);
  index p = 0;
  poly2_clear(d, 2 * size);
  m[0] = lane(1);
  for (index t1 = 0; t1 <= degree; ++t1)
  for (index t2 = 0; t2 <= t1; ++t2) {
    if (t1 - t2 > 0) {
      real before = m[poly2_place(t1 - 1, t2)];
      m[p] = x[0] * before;
      d[p] = lane(t1 - t2) * before;
    }
    if (t2 > 0) {
      real before = m[poly2_place(t1 - 1, t2 - 1)];
      m[p] = x[1] * before;
      d[1 * size + p] = lane(t2) * before;
    }
    ++p;
  }
}
