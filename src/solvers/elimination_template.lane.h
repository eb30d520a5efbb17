// SPDX-License-Identifier: BSD-3-Clause
// Roots of polynomial equations by an elimination template from the generator of minimal solvers
// (docs/develop/generator.md). The rows of the template are equations times monomials. They are
// solved for some of the monomials, which gives the matrix of multiplication by an unknown, or by
// its inverse, modulo the equations. At every root, the vector of basis monomials is an eigenvector
// of this matrix.
//   Z. Kukelova, M. Bujnak, T. Pajdla, Automatic generator of minimal problem solvers, ECCV 2008

// A template matrix M [rows][rows + basis]. Its columns are the excess monomials, the monomials to
// reduce, and the basis.
typedef struct {
  index unknowns, degree, equations;  // degree: the largest of an equation
  index used;                         // number of monomials that occur in the equations
  index rows, reducible, basis;
  const index* monomials;  // [used], their indices
  const index* equation;   // [rows]
  const index* shift;      // [rows][unknowns], tails of the monomial that multiplies the equation
  const index* column;     // column of a monomial, by its index; -1 for none
  const index* image;      // [basis], column of each element times the unknown, or its inverse
  // For unknown k, the pairs [first[k], first[k + 1]) of elements m and x_k m. Indices from `basis`
  // on are basis elements times the eigenvalue.
  const index *first, *pairs;
} elimination_template;

// Computes the coefficients C [equations][used] of the equations D, each scaled to norm 1.
lane_fn void template_coefficients(const elimination_template* t, const real* D, real* C) {
  const index size = poly_size(t->unknowns, t->degree);
  for (index i = 0; i < t->equations; ++i) {
    real sum = lane_tiny();
    for (index k = 0; k < size; ++k) sum += D[size * i + k] * D[size * i + k];
    real scale = lane(1) / sqrt(sum);
    for (index k = 0; k < t->used; ++k) C[t->used * i + k] = D[size * i + t->monomials[k]] * scale;
  }
}

// Fills M. Rows with the same shift are consecutive, so that their monomials are located once.
lane_fn void template_fill(const elimination_template* t, const real* C, real* M) {
  const index n = t->unknowns, columns = t->rows + t->basis;
  poly_clear(M, t->rows * columns);
  for (index first = 0, end = 0; first < t->rows; first = end) {
    index tails[5] = {0, 0, 0, 0, 0}, sum[5], place = 0, differences = 0;
    const index* shift = t->shift + n * first;
    for (end = first + 1; end < t->rows; ++end) {
      for (index q = 0; q < n; ++q) differences += shift[q] == t->shift[n * end + q] ? 0 : 1;
      if (differences > 0) break;
    }
    for (index k = 0; k < t->used; ++k) {
      for (; place < t->monomials[k]; ++place) poly_next(n, tails);
      for (index q = 0; q < n; ++q) sum[q] = tails[q] + shift[q];
      const index to = t->column[poly_place(n, sum)];
      if (to < 0) continue;
      for (index i = first; i < end; ++i) M[columns * i + to] = C[t->used * t->equation[i] + k];
    }
  }
}

// Eliminates the first `rows` columns of M [rows][columns] with partial pivoting. After that,
// these columns are the identity in the last `solved` rows: the first unknown of a row is minus
// the rest of the row times the unknowns of the remaining columns. Returns the smallest pivot
// divided by the largest element.
lane_fn_apart real rows_eliminate(real* M, index rows, index columns, index solved) {
  real most = lane(0), least = lane(0);
  for (index i = 0; i < rows; ++i) {
    for (index k = 0; k < rows; ++k) most = fmax(most, fabs(M[columns * i + k]));
  }
  for (index k = 0; k < rows; ++k) {
    real* pivots = M + columns * k;
    real largest = fabs(pivots[k]);
    for (index i = k + 1; i < rows; ++i) largest = fmax(largest, fabs(M[columns * i + k]));
    least = k == 0 ? largest : select(largest < least, largest, least);
    // Exchange row k with the first row that has the largest element.
    mask searching = !(fabs(pivots[k]) >= largest);
    for (index i = k + 1; i < rows; ++i) {
      real* row = M + columns * i;
      mask here = searching & (fabs(row[k]) >= largest);
      if (!any(here)) continue;
      searching = searching & !here;
      for (index j = k; j < columns; ++j) {
        real own = pivots[j];
        pivots[j] = select(here, row[j], own);
        row[j] = select(here, own, row[j]);
      }
    }
    real inverse = lane(1) / pivots[k];
    for (index j = k + 1; j < columns; ++j) pivots[j] = pivots[j] * inverse;
    for (index i = k + 1; i < rows; ++i) {
      real factor = M[columns * i + k];
      if (all(factor == lane(0))) continue;
      for (index j = k + 1; j < columns; ++j) M[columns * i + j] -= factor * pivots[j];
    }
  }
  for (index k = rows - 1; k > rows - solved; --k) {
    for (index i = rows - solved; i < k; ++i) {
      real factor = M[columns * i + k];
      for (index j = rows; j < columns; ++j) M[columns * i + j] -= factor * M[columns * k + j];
    }
  }
  return least / most;
}

// Computes A [basis][basis] from the reduced M: A b is the image of the basis b at every root.
lane_fn void template_action(const elimination_template* t, const real* M, lane_array A) {
  const index size = t->basis, pitch = lane_pitch(size), rows = t->rows;
  for (index i = 0; i < size; ++i) {
    for (index j = 0; j < size; ++j) {
      if (t->image[i] < rows)
        lane_at(A, pitch * i + j) = -M[(rows + size) * t->image[i] + rows + j];
      else
        lane_at(A, pitch * i + j) = lane(t->image[i] == rows + j ? 1 : 0);
    }
  }
}

// Computes the unknowns x from an eigenvector b and its eigenvalue. From the pairs m and x_k m, the
// pair with the largest m is used, because its relative error is smallest.
lane_fn void template_extract(const elimination_template* t, const real* b, real value, real* x) {
  for (index k = 0; k < t->unknowns; ++k) {
    real best = lane(0), part = lane(0);
    for (index i = t->first[k]; i < t->first[k + 1]; ++i) {
      real both[2];
      for (index q = 0; q < 2; ++q) {
        const index p = t->pairs[2 * i + q];
        both[q] = p < t->basis ? b[p] : value * b[p - t->basis];
      }
      mask better = fabs(both[0]) > fabs(best);
      best = select(better, both[0], best);
      part = select(better, both[1], part);
    }
    x[k] = part / best;
  }
}

// Computes the monomials V [used] at x, followed by their derivatives, V [unknowns][used].
lane_fn void template_monomials(const elimination_template* t, const real* x, real* V) {
  const index n = t->unknowns;
  index tails[6] = {0, 0, 0, 0, 0, 0}, place = 0;
  real powers[50];  // [unknowns][10]
  for (index k = 0; k < n; ++k) {
    powers[10 * k] = lane(1);
    for (index i = 0; i < t->degree; ++i) powers[10 * k + i + 1] = powers[10 * k + i] * x[k];
  }
  for (index q = 0; q < t->used; ++q) {
    for (; place < t->monomials[q]; ++place) poly_next(n, tails);
    for (index i = 0; i <= n; ++i) {  // the monomial, then its derivatives by x_(i - 1)
      const index own = i == 0 ? 1 : tails[i - 1] - tails[i];
      real v = lane(own);
      for (index k = 0; k < n && own > 0; ++k)
        v = v * powers[10 * k + tails[k] - tails[k + 1] - (k == i - 1 ? 1 : 0)];
      V[t->used * i + q] = v;
    }
  }
}

// Returns the sum of n products, in four independent partial sums.
lane_fn real long_dot(const real* a, const real* b, index n) {
  real s0 = lane(0), s1 = lane(0), s2 = lane(0), s3 = lane(0);
  index k = 0;
  for (; k + 4 <= n; k += 4) {
    s0 += a[k] * b[k];
    s1 += a[k + 1] * b[k + 1];
    s2 += a[k + 2] * b[k + 2];
    s3 += a[k + 3] * b[k + 3];
  }
  for (; k < n; ++k) s0 += a[k] * b[k];
  return (s0 + s1) + (s2 + s3);
}

// Computes the normal equations A [n][n], g [n] of a Gauss-Newton step from the monomials and their
// derivatives V. Returns the largest residual.
lane_fn real template_normal_equations(const elimination_template* t, const real* C, const real* V,
                                       real* A, real* g) {
  const index n = t->unknowns, used = t->used;
  real worst = lane(0), J[5];
  poly_clear(A, n * n);
  poly_clear(g, n);
  for (index q = 0; q < t->equations; ++q) {
    const real* c = C + used * q;
    real r = long_dot(c, V, used);
    worst = fmax(worst, fabs(r));
    for (index i = 0; i < n; ++i) {
      J[i] = long_dot(c, V + used * (i + 1), used);
      g[i] += J[i] * r;
      for (index j = 0; j <= i; ++j) A[n * i + j] += J[i] * J[j];
    }
  }
  return worst;
}

// Makes up to five Gauss-Newton steps on the equations C. A lane stops after the first step smaller
// than half its digits, because the next step would be below the precision. Returns the largest
// residual before the last step, divided by the largest monomial. V [unknowns + 1][used].
lane_fn real template_polish(const elimination_template* t, const real* C, real* x, real* V) {
  const index n = t->unknowns;
  real A[25], g[5], residual = lane(1);
  mask moving = lane(0) == lane(0);
  for (index step = 0; step < 5 && any(moving); ++step) {
    template_monomials(t, x, V);
    real worst = template_normal_equations(t, C, V, A, g);
    real most = lane(1), length = lane(1), moved = lane(0);
    for (index k = 0; k < t->used; ++k) most = fmax(most, fabs(V[k]));
    residual = select(moving, worst / most, residual);
    for (index i = 0; i < n; ++i) length += fabs(x[i]);
    real sound = ldl_solve(A, g, n);
    for (index i = 0; i < n; ++i) moved += fabs(g[i]);
    moving = moving & (sound > lane(0)) & (moved < lane(0.1) * length);
    for (index i = 0; i < n; ++i) x[i] -= select(moving, g[i], lane(0));
    moving = moving & (moved > lane(0.1) * sqrt(lane_epsilon()) * length);
  }
  return residual;
}

// Computes the real eigenvalues of the action matrix of the equations D, in K in ascending order,
// and on the way C and the reduced M. Returns the number of eigenvalues.
lane_fn lane_int template_eigenvalues(const elimination_template* t, const real* D, real* C,
                                      real* M, lane_array A, kept_array K) {
  const index size = t->basis;
  template_coefficients(t, D, C);
  template_fill(t, C, M);
  rows_eliminate(M, t->rows, t->rows + size, t->reducible);
  template_action(t, M, A);
  lane_int status;
  lane_int found = real_eigenvalues(A, K, size, 0, 30, &status);
  real_eigenvalues_sort(K, size, found);
  return found;
}

// Appends the root of the eigenvector in work [basis] to the `kept` roots; its eigenvalue is
// number s of `found`. Returns the new number of roots. work: after the eigenvector, scratch
// memory for template_polish.
lane_fn real template_keep(const elimination_template* t, const real* C, real* work, real value,
                           index s, lane_int found, real kept, real* roots) {
  real x[5];
  template_extract(t, work, value, x);
  real residual = template_polish(t, C, x, work + t->basis);
  mask valid = (lane_int_of(s) < found) & (residual < sqrt(lane_epsilon()));
  return solution_keep(valid, x, t->unknowns, s, kept, roots);
}

// Computes the roots [basis][unknowns] of the equations D [equations][poly_size]; unused slots are
// NaN. Returns the number of roots. Scratch memory: C [equations][used], M [rows][rows + basis], A
// and K as for real_eigenvalues, work [basis + (unknowns + 1) used].
lane_fn_apart real template_roots(const elimination_template* t, const real* D, real* C, real* M,
                                  lane_array A, kept_array K, real* work, real* roots) {
  const index size = t->basis;
  lane_int found = template_eigenvalues(t, D, C, M, A, K);
  real kept = lane(0);
  for (index i = 0; i < t->unknowns * size; ++i) roots[i] = lane_nan();
  for (index s = 0; s < lanes_max(found); ++s) {
    real_eigenvector(A, K, size, 0, s, work);
    kept = template_keep(t, C, work, real_eigenvalue(K, size, s), s, found, kept, roots);
  }
  return kept;
}
