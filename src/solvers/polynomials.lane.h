// SPDX-License-Identifier: BSD-3-Clause
// Polynomials in n <= 5 unknowns for generated solvers (docs/develop/generator.md). Terms are in
// ascending order of degree, so that the monomials of a lower degree are a prefix of the
// monomials of a higher degree. The tails t[0] >= t[1] >= ... of a monomial are the sums of its
// exponents from an unknown on.

// Returns the number of coefficients up to a degree.
lane_fn index poly_size(index n, index degree) {
  index size = 1;
  for (index i = 1; i <= n; ++i) size = size * (degree + i) / i;
  return size;
}

// Returns the number of monomials in m + 1 <= 5 unknowns of degree below k, k <= 100.
lane_fn index poly_count_below(index m, index k) {
  if (m == 0) return k;
  if (m == 1) return k * (k + 1) / 2;
  if (m == 2) return k * (k + 1) * (k + 2) / 6;
  if (m == 3) return k * (k + 1) * (k + 2) / 2 * (k + 3) / 12;
  return k * (k + 1) * (k + 2) / 2 * (k + 3) / 4 * (k + 4) / 15;
}

// Returns the index of the monomial with the tails t, which is the number of monomials before it.
lane_fn index poly_place(index n, const index* t) {
  index place = 0;
  for (index k = 0; k < n; ++k) place += poly_count_below(n - 1 - k, t[k]);
  return place;
}

// Advances the tails t of a monomial to the tails of the next monomial.
lane_fn void poly_next(index n, index* t) {
  index k = n - 1;
  for (; k > 0 && t[k] == t[k - 1]; --k) t[k] = 0;
  ++t[k];
}

// Computes the indices `to` [size] of the first monomials times the monomial with the tails s.
// Indices of monomials that differ in the last tail only are consecutive.
lane_fn void poly_places(index n, const index* s, index size, index* to) {
  index t[5] = {0, 0, 0, 0, 0}, least[5], part[5];
  for (index k = 0; k < n; ++k) least[k] = part[k] = poly_count_below(n - 1 - k, s[k]);
  for (index j = 0; j < size;) {
    index place = part[0], run = n > 1 ? t[n - 2] + 1 : size;
    for (index k = 1; k < n; ++k) place += part[k];
    for (index q = 0; q < run && j < size; ++q, ++j) to[j] = place + q;
    index k = n > 1 ? n - 2 : 0;
    for (; k > 0 && t[k] == t[k - 1]; --k) {
      t[k] = 0;
      part[k] = least[k];
    }
    ++t[k];
    part[k] = poly_count_below(n - 1 - k, s[k] + t[k]);
  }
}

lane_fn void poly_clear(real* v, index count) {
  for (index i = 0; i < count; ++i) v[i] = lane(0);
}

// out += factor a, for count polynomials of a degree; the polynomials of out have
// the degree out_degree.
lane_fn_apart void poly_add(index n, const real* a, index degree, index count, real factor,
                            real* out, index out_degree) {
  const index size = poly_size(n, degree), pitch = poly_size(n, out_degree);
  for (index i = 0; i < count; ++i) {
    for (index k = 0; k < size; ++k) out[pitch * i + k] += factor * a[size * i + k];
  }
}

// A matrix of polynomials of equal degree.
typedef struct poly_matrix {
  const real* values;  // [rows][columns][poly_size]
  index degree, rows, columns;
} poly_matrix;
lane_fn poly_matrix poly_matrix_of(const real* values, index degree, index rows, index columns) {
  poly_matrix m = {values, degree, rows, columns};
  return m;
}

// out += factor A B.
lane_fn_apart void poly_matrix_product_add(index n, poly_matrix A, poly_matrix B, real factor,
                                           real* out) {
  const index a = poly_size(n, A.degree), b = poly_size(n, B.degree);
  const index c = poly_size(n, A.degree + B.degree);
  const index inner = A.columns, columns = B.columns;
  index s[5] = {0, 0, 0, 0, 0}, to[252];  // to: indices of a monomial of A times those of B
  for (index i = 0; i < a; ++i) {
    poly_places(n, s, b, to);
    poly_next(n, s);
    for (index e = 0; e < A.rows * inner; ++e) {
      const index row = e / inner, k = e - row * inner;
      real f = factor * A.values[a * e + i];
      if (all(f == lane(0))) continue;
      const real* v = B.values + b * columns * k;
      real* w = out + c * columns * row;
      for (index column = 0; column < columns; ++column, v += b, w += c) {
        for (index j = 0; j < b; ++j) w[to[j]] += f * v[j];
      }
    }
  }
}

// out += the matrix [3][3] of the cross product with v.
lane_fn void poly_skew_add(index n, const real* v, index degree, real* out) {
  const index size = poly_size(n, degree);
  for (index i = 0; i < 3; ++i) {
    const index j = (i + 1) % 3, k = (i + 2) % 3;
    poly_add(n, v + size * i, degree, 1, lane(1), out + size * (3 * k + j), degree);
    poly_add(n, v + size * i, degree, 1, lane(-1), out + size * (3 * j + k), degree);
  }
}
