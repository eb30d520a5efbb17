// SPDX-License-Identifier: BSD-3-Clause
// Functions that generated solvers call, but no solver of the library. Included after
// solvers/shared.lanes. A function moves to src/solvers with the first solver that needs it.

// out += factor a b.
lane_fn void poly_product_add(index n, const real* a, index a_degree, const real* b, index b_degree,
                              real factor, real* out) {
  poly_matrix_product_add(n, poly_matrix_of(a, a_degree, 1, 1), poly_matrix_of(b, b_degree, 1, 1),
                          factor, out);
}

// out += A' for A [rows][columns].
lane_fn void poly_transpose_add(index n, const real* A, index degree, index rows, index columns,
                                real* out) {
  const index size = poly_size(n, degree);
  for (index i = 0; i < rows; ++i) {
    for (index j = 0; j < columns; ++j)
      poly_add(n, A + size * (columns * i + j), degree, 1, lane(1), out + size * (rows * j + i),
               degree);
  }
}

// out += det A for A [3][3], expanded along the first row. minor: scratch memory for a polynomial
// of twice the degree.
lane_fn_apart void poly_determinant_add(index n, const real* A, index degree, real* minor,
                                        real* out) {
  const index size = poly_size(n, degree);
  for (index j = 0; j < 3; ++j) {
    const real* p = A + size * (3 + (j + 1) % 3);
    const real* q = A + size * (3 + (j + 2) % 3);
    poly_clear(minor, poly_size(n, 2 * degree));
    poly_product_add(n, p, degree, q + 3 * size, degree, lane(1), minor);
    poly_product_add(n, q, degree, p + 3 * size, degree, lane(-1), minor);
    poly_product_add(n, minor, 2 * degree, A + size * j, degree, lane(1), out);
  }
}

// The basis of a template in chains m, z m, z^2 m, ... of the eigenvalue z. The images of the last
// elements of the chains are the reducible monomials, in their order.
typedef struct {
  const elimination_template* of;
  const index* length;   // [reducible], lengths of the chains
  const index* element;  // [basis], elements of one chain after another
} template_chains;

// A <- P(z), the hidden-variable matrix [reducible][reducible] of polynomials in the eigenvalue z,
// from the reduced M. A row expresses z^length m = ... for the first monomial m of a chain, so that
// P(z) m = 0. If |z| > 1, columns are divided by z^length. Returns the largest element.
//   D. Manocha, J. Canny, Multipolynomial resultant algorithms, J. Symbolic Computation 15, 1993
lane_fn real hidden_matrix(const elimination_template* t, const template_chains* chains,
                           const real* M, real z, lane_array A) {
  const index n = t->reducible, pitch = lane_pitch(n), columns = t->rows + t->basis;
  const real* last = M + columns * (t->rows - n) + t->rows;
  const index* chain = chains->element;
  mask beyond = fabs(z) > lane(1);
  real u = select(beyond, lane(1) / z, z), most = lane(0);
  for (index m = 0; m < n; ++m) {
    const index length = chains->length[m];
    for (index k = 0; k < n; ++k) {
      const real* row = last + columns * k;
      const real leading = lane(k == m ? 1 : 0);
      real v = select(beyond, row[chain[0]], leading);
      for (index i = 1; i < length; ++i)
        v = v * u + select(beyond, row[chain[i]], row[chain[length - i]]);
      v = v * u + select(beyond, leading, row[chain[0]]);
      lane_at(A, pitch * k + m) = v;
      most = fmax(most, fabs(v));
    }
    chain += length;
  }
  return most;
}

// A [n][n] <- U of P A = L U with partial pivoting. Its diagonal holds the reciprocals of the
// pivots; pivots smaller than `least` are replaced by it.
lane_fn void hidden_factor(lane_array A, index n, real least) {
  const index pitch = lane_pitch(n);
  for (index k = 0; k < n; ++k) {
    const index top = pitch * k;
    real largest = fabs(lane_at(A, top + k));
    for (index i = k + 1; i < n; ++i) largest = fmax(largest, fabs(lane_at(A, pitch * i + k)));
    mask searching = !(fabs(lane_at(A, top + k)) >= largest);
    for (index i = k + 1; i < n; ++i) {
      mask here = searching & (fabs(lane_at(A, pitch * i + k)) >= largest);
      if (!any(here)) continue;
      searching = searching & !here;
      for (index j = k; j < n; ++j) {
        real own = lane_at(A, top + j), other = lane_at(A, pitch * i + j);
        lane_at(A, top + j) = select(here, other, own);
        lane_at(A, pitch * i + j) = select(here, own, other);
      }
    }
    real pivot = lane_at(A, top + k);
    real inverse = reciprocal(select(fabs(pivot) < least, least, pivot));
    lane_at(A, top + k) = inverse;
    for (index i = k + 1; i < n; ++i) {
      real factor = lane_at(A, pitch * i + k) * inverse;
      for (index j = k + 1; j < n; ++j)
        lane_at(A, pitch * i + j) = lane_at(A, pitch * i + j) - factor * lane_at(A, top + j);
    }
  }
}

// Computes the eigenvector b [basis] of the eigenvalue z from the null vector of the
// hidden-variable matrix, by one solve of inverse iteration. Further start vectors are tried if the
// solution does not grow. Overwrites A. x [reducible]: scratch memory.
lane_fn void hidden_vector(const elimination_template* t, const template_chains* chains,
                           const real* M, real z, lane_array A, real* x, real* b) {
  const index n = t->reducible;
  const index* chain = chains->element;
  real least = hidden_matrix(t, chains, M, z, A) * lane_epsilon();
  hidden_factor(A, n, least);
  const real enough = lane(0.02) / (sqrt(lane(n)) * least);
  mask wanted = lane(0) == lane(0), beyond = fabs(z) > lane(1);
  for (index attempt = 0; attempt <= n && any(wanted); ++attempt) {
    for (index i = 0; i < n; ++i) x[i] = select(wanted, lane(i == n - attempt ? n : 1), x[i]);
    real growth = shrinking_solve(A, n, wanted, lane_tiny(), x);
    wanted = wanted & (growth < enough);
  }
  real largest = lane(0);
  for (index i = 0; i < n; ++i) largest = fmax(largest, fabs(x[i]));
  for (index m = 0; m < n; ++m) {
    const index length = chains->length[m];
    real v = x[m] / largest;
    for (index i = 0; i < length; ++i) v = select(beyond, v / z, v);
    for (index i = 0; i < length; ++i) {
      b[chain[i]] = v;
      v = v * z;
    }
    chain += length;
  }
}

// Computes the roots like template_roots, but with eigenvectors from the hidden-variable matrix.
// work has at least [basis + reducible] numbers.
lane_fn_apart real template_roots_hidden(const template_chains* chains, const real* D, real* C,
                                         real* M, lane_array A, kept_array K, real* work,
                                         real* roots) {
  const elimination_template* t = chains->of;
  const index size = t->basis;
  lane_int found = template_eigenvalues(t, D, C, M, A, K);
  real kept = lane(0);
  for (index i = 0; i < t->unknowns * size; ++i) roots[i] = lane_nan();
  for (index s = 0; s < lanes_max(found); ++s) {
    real value = real_eigenvalue(K, size, s);
    hidden_vector(t, chains, M, value, A, work + size, work);
    kept = template_keep(t, C, work, value, s, found, kept, roots);
  }
  return kept;
}
