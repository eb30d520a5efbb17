// SPDX-License-Identifier: BSD-3-Clause
// QR factorisations by Householder reflections (G. Golub, C. Van Loan, Matrix Computations, 4th
// ed., 5.1-5.2, 5.4). Matrices are stored column by column, scaled by jacobi_scaled.

// Computes the reflector I - beta v v' that maps a[0..m-1] to a multiple of the first axis; v
// replaces a. Returns that multiple. If all elements except a[0] are negligible, *beta is 0 and the
// reflector is the identity.
lane_fn real householder_make(real* a, index m, real* beta) {
  real head = a[0], tail2 = lane(0);
  lane_unroll for (index i = 1; i < m; ++i) tail2 += a[i] * a[i];
  real norm2 = head * head + tail2;
  real norm = sqrt(norm2);
  real v = head + copysign(norm, head);
  mask useful = tail2 > jacobi_floor();
  *beta = select(useful, lane(1) / (norm * fabs(v)), lane(0));
  a[0] = select(useful, v, lane(0));
  return select(useful, lane(0) - copysign(norm, head), head);
}

// b -= beta (v'b) v, for m numbers.
lane_fn void householder_apply(const real* v, real beta, index m, real* b) {
  real s = beta * columns_dot(v, b, m);
  lane_unroll for (index i = 0; i < m; ++i) b[i] -= s * v[i];
}

// Factors A [n][m], m >= n. Reflectors replace the columns from the diagonal down, R the elements
// above the diagonal. The diagonal of R and the factors of the reflectors are written to
// diagonal[n] and beta[n].
lane_fn void qr_factor(real* A, index m, index n, real* diagonal, real* beta) {
  lane_unroll for (index k = 0; k < n; ++k) {
    diagonal[k] = householder_make(A + k * m + k, m - k, beta + k);
    lane_unroll for (index j = k + 1; j < n; ++j)
        householder_apply(A + k * m + k, beta[k], m - k, A + j * m + k);
  }
}

// Factors A like qr_factor, with column pivoting: the longest of the remaining columns comes first.
// Column k was exchanged with column pivot[k] before its step.
lane_fn void qr_factor_pivoted(real* A, index m, index n, real* diagonal, real* beta, real* pivot) {
  real norm2[32];
  lane_unroll for (index j = 0; j < n; ++j) norm2[j] = columns_dot(A + j * m, A + j * m, m);
  lane_unroll for (index k = 0; k < n; ++k) {
    real longest = norm2[k];
    pivot[k] = lane(k);
    lane_unroll for (index j = k + 1; j < n; ++j) {
      mask longer = norm2[j] > longest;
      longest = select(longer, norm2[j], longest);
      pivot[k] = select(longer, lane(j), pivot[k]);
    }
    lane_unroll for (index j = k + 1; j < n; ++j) {
      mask chosen = pivot[k] == lane(j);
      if (any(chosen)) {
        columns_exchange(chosen, A + k * m, A + j * m, m);
        norm2[j] = select(chosen, norm2[k], norm2[j]);
      }
    }
    diagonal[k] = householder_make(A + k * m + k, m - k, beta + k);
    lane_unroll for (index j = k + 1; j < n; ++j) {
      real* v = A + k * m + k;
      real* b = A + j * m + k;
      real s = beta[k] * columns_dot(v, b, m - k);
      b[0] -= s * v[0];
      norm2[j] = lane(0);
      lane_unroll for (index i = 1; i < m - k; ++i) {
        b[i] -= s * v[i];
        norm2[j] += b[i] * b[i];
      }
    }
  }
}

// C <- Q C for the columns C [columns][m] and the reflectors in A [n][m].
lane_fn void qr_apply(const real* A, const real* beta, index m, index n, real* C, index columns) {
  lane_unroll for (index k = n - 1; k >= 0; --k) {
    lane_unroll for (index j = 0; j < columns; ++j)
        householder_apply(A + k * m + k, beta[k], m - k, C + j * m + k);
  }
}

// R [n][n] <- the triangular factor of R on top of the rows of B [n][m], which is overwritten. So a
// tall matrix is reduced a few rows at a time. Elements of R below the diagonal are unchanged.
lane_fn void qr_append(real* R, real* B, index m, index n) {
  lane_unroll for (index k = 0; k < n; ++k) {
    real* v = B + k * m;
    real head = R[k * n + k], tail2 = columns_dot(v, v, m);
    real norm = sqrt(head * head + tail2);
    real first = head + copysign(norm, head);
    mask useful = tail2 > jacobi_floor();
    real beta = select(useful, lane(1) / (norm * fabs(first)), lane(0));
    R[k * n + k] = select(useful, lane(0) - copysign(norm, head), head);
    lane_unroll for (index j = k + 1; j < n; ++j) {
      real* b = B + j * m;
      real s = beta * (first * R[j * n + k] + columns_dot(v, b, m));
      R[j * n + k] -= s * first;
      lane_unroll for (index i = 0; i < m; ++i) b[i] -= s * v[i];
    }
  }
}
