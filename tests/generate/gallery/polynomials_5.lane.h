// SPDX-License-Identifier: BSD-3-Clause
// Polynomials in 5 unknowns, for emitted solvers. They begin with their terms of lowest degree,
// so that those of a low degree are the beginning of those of a higher one. The tails t1 >= t2 >=
// ... of a monomial are the sums of its exponents from an unknown on. This file was written by
// bifocal-generate.

// clang-format off

lane_fn index poly5_place(index t1, index t2, index t3, index t4, index t5) {
  return t1 * (t1 + 1) * (t1 + 2) * (t1 + 3) * (t1 + 4) / 120 + t2 * (t2 + 1) * (t2 + 2) * (t2 + 3) / 24 + t3 * (t3 + 1) * (t3 + 2) / 6 + t4 * (t4 + 1) / 2 + t5;
}

// The number of coefficients.
lane_fn index poly5_size(index degree) {
  return (degree + 1) * (degree + 2) * (degree + 3) * (degree + 4) * (degree + 5) / 120;
}

lane_fn void poly5_clear(real* v, index count) {
  for (index i = 0; i < count; ++i) v[i] = lane(0);
}

// out += factor a: count polynomials of a degree, in out of another one.
lane_fn void poly5_add(const real* a, index degree, index count, real factor, real* out,
    index out_degree) {
  const index n = poly5_size(degree), pitch = poly5_size(out_degree);
  for (index i = 0; i < count; ++i) {
    for (index k = 0; k < n; ++k) out[pitch * i + k] += factor * a[n * i + k];
  }
}

// out += factor a b.
lane_fn void poly5_product_add(const real* a, index a_degree, const real* b, index b_degree,
    real factor, real* out) {
  index i = 0;
  for (index s1 = 0; s1 <= a_degree; ++s1)
  for (index s2 = 0; s2 <= s1; ++s2)
  for (index s3 = 0; s3 <= s2; ++s3)
  for (index s4 = 0; s4 <= s3; ++s4)
  for (index s5 = 0; s5 <= s4; ++s5) {
    real f = factor * a[i++];
    index j = 0;
    for (index t1 = 0; t1 <= b_degree; ++t1)
    for (index t2 = 0; t2 <= t1; ++t2)
    for (index t3 = 0; t3 <= t2; ++t3)
    for (index t4 = 0; t4 <= t3; ++t4)
    for (index t5 = 0; t5 <= t4; ++t5) {
      out[poly5_place(s1 + t1, s2 + t2, s3 + t3, s4 + t4, s5 + t5)] += f * b[j++];
    }
  }
}

// out += factor A B, matrices of polynomials.
lane_fn void poly5_matrix_product_add(const real* A, index a_degree, const real* B, index b_degree,
    index rows, index inner, index columns, real factor, real* out) {
  const index a = poly5_size(a_degree), b = poly5_size(b_degree),
      c = poly5_size(a_degree + b_degree);
  for (index i = 0; i < rows; ++i) {
    for (index j = 0; j < columns; ++j) {
      for (index k = 0; k < inner; ++k)
        poly5_product_add(A + a * (inner * i + k), a_degree, B + b * (columns * k + j), b_degree,
            factor, out + c * (columns * i + j));
    }
  }
}

// out += A', A [rows][columns].
lane_fn void poly5_transpose_add(const real* A, index degree, index rows, index columns,
    real* out) {
  const index n = poly5_size(degree);
  for (index i = 0; i < rows; ++i) {
    for (index j = 0; j < columns; ++j)
      poly5_add(A + n * (columns * i + j), degree, 1, lane(1), out + n * (rows * j + i), degree);
  }
}

// out += the matrix [3][3] of the cross product with v.
lane_fn void poly5_skew_add(const real* v, index degree, real* out) {
  const index n = poly5_size(degree);
  for (index i = 0; i < 3; ++i) {
    const index j = (i + 1) % 3, k = (i + 2) % 3;
    poly5_add(v + n * i, degree, 1, lane(1), out + n * (3 * k + j), degree);
    poly5_add(v + n * i, degree, 1, lane(-1), out + n * (3 * j + k), degree);
  }
}

// out += det A, A [3][3], along the first row. minor: room for a polynomial of twice the degree.
lane_fn void poly5_determinant_add(const real* A, index degree, real* minor, real* out) {
  const index n = poly5_size(degree), m = poly5_size(2 * degree);
  for (index j = 0; j < 3; ++j) {
    const real* p = A + n * (3 + (j + 1) % 3);
    const real* q = A + n * (3 + (j + 2) % 3);
    poly5_clear(minor, m);
    poly5_product_add(p, degree, q + 3 * n, degree, lane(1), minor);
    poly5_product_add(q, degree, p + 3 * n, degree, lane(-1), minor);
    poly5_product_add(minor, 2 * degree, A + n * j, degree, lane(1), out);
  }
}

// All monomials m [size] up to a degree at x, and their derivatives d [5][size].
lane_fn void poly5_monomials(const real* x, index degree, real* m, real* d) {
  const index size = poly5_size(degree);
  index p = 0;
  poly5_clear(d, 5 * size);
  m[0] = lane(1);
  for (index t1 = 0; t1 <= degree; ++t1)
  for (index t2 = 0; t2 <= t1; ++t2)
  for (index t3 = 0; t3 <= t2; ++t3)
  for (index t4 = 0; t4 <= t3; ++t4)
  for (index t5 = 0; t5 <= t4; ++t5) {
    if (t1 - t2 > 0) {
      real before = m[poly5_place(t1 - 1, t2, t3, t4, t5)];
      m[p] = x[0] * before;
      d[p] = lane(t1 - t2) * before;
    }
    if (t2 - t3 > 0) {
      real before = m[poly5_place(t1 - 1, t2 - 1, t3, t4, t5)];
      m[p] = x[1] * before;
      d[1 * size + p] = lane(t2 - t3) * before;
    }
    if (t3 - t4 > 0) {
      real before = m[poly5_place(t1 - 1, t2 - 1, t3 - 1, t4, t5)];
      m[p] = x[2] * before;
      d[2 * size + p] = lane(t3 - t4) * before;
    }
    if (t4 - t5 > 0) {
      real before = m[poly5_place(t1 - 1, t2 - 1, t3 - 1, t4 - 1, t5)];
      m[p] = x[3] * before;
      d[3 * size + p] = lane(t4 - t5) * before;
    }
    if (t5 > 0) {
      real before = m[poly5_place(t1 - 1, t2 - 1, t3 - 1, t4 - 1, t5 - 1)];
      m[p] = x[4] * before;
      d[4 * size + p] = lane(t5) * before;
    }
    ++p;
  }
}
