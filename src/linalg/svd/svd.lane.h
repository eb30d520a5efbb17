// SPDX-License-Identifier: BSD-3-Clause
// Singular value decomposition A = U diag(S) V', S in descending order. Matrices are stored column
// by column, scaled as in jacobi_rotation.lane.h. Functions return the mask of lanes that did not
// converge within max_sweeps; their results are undefined.

// Y [n][n] <- the rows of W [n][n] in the order that they had before the column
// exchanges of qr_factor_pivoted.
lane_fn void rows_restore(const real* W, index n, const real* pivot, real* Y) {
  real row[32];  // the destination of row k of W
  lane_unroll for (index k = 0; k < n; ++k) row[k] = lane(k);
  lane_unroll for (index k = 0; k < n; ++k) {
    lane_unroll for (index j = k + 1; j < n; ++j)
        columns_exchange(pivot[k] == lane(j), row + k, row + j, 1);
  }
  lane_unroll for (index j = 0; j < n; ++j) {
    lane_unroll for (index i = 0; i < n; ++i) {
      real value = W[j * n];
      lane_unroll for (index k = 1; k < n; ++k) value =
          select(row[k] == lane(i), W[j * n + k], value);
      Y[j * n + i] = value;
    }
  }
}

// Decomposes B [n][n], which is overwritten. After a QR factorisation with column pivoting, Jacobi
// rotations are applied to the rows of R (Z. Drmac, K. Veselic, New fast and accurate Jacobi SVD
// algorithm, 2008). The rows become S V', so that V costs no extra work, and they need fewer sweeps
// than the columns of B. V [n][n]; U [n][n] if with_u. W [n][n]: scratch memory.
lane_fn mask svd_square(real* B, index n, real* W, real* S, real* V, real* U, index with_u,
                        index max_sweeps) {
  real diagonal[32], beta[32], pivot[32], norm2[32];
  qr_factor_pivoted(B, n, n, diagonal, beta, pivot);
  lane_unroll for (index i = 0; i < n; ++i) {
    lane_unroll for (index j = 0; j < n; ++j) {
      W[i * n + j] = i < j ? B[j * n + i] : (i == j ? diagonal[i] : lane(0));
      if (with_u) U[i * n + j] = lane(i == j ? 1 : 0);
    }
  }
  index u = with_u ? n : 0;
  mask unfinished = jacobi_orthogonalise(W, n, U, u, n, norm2, max_sweeps);
  jacobi_sort(W, n, U, u, n, norm2);
  jacobi_normalise(W, n, n, norm2, S);
  rows_restore(W, n, pivot, V);
  if (with_u) {
    qr_apply(B, beta, n, n, U, n);
    lane_unroll for (index e = 0; e < n * n; ++e) U[e] += lane(0);  // as in jacobi_normalise
  }
  return unfinished;
}

// Y [columns][m] <- Q [X 0; 0 I], for X [n][n] and the reflectors of qr_factor in A [n][m].
lane_fn void qr_embed(const real* A, const real* beta, index m, index n, const real* X, real* Y,
                      index columns) {
  lane_unroll for (index j = 0; j < columns; ++j) {
    lane_unroll for (index i = 0; i < m; ++i) Y[j * m + i] =
        i < n && j < n ? X[j * n + i] : lane(i == j ? 1 : 0);
  }
  qr_apply(A, beta, m, n, Y, columns);
}

// Scratch matrices [k][k] of svd_tall and svd_wide, where k is the smaller of rows and columns.
typedef struct {
  real *B, *W, *X;
} svd_workspace;
// The output of a decomposition.
typedef struct {
  real *S, *V, *U;
} svd_factors;

// Decomposes A [n][m], m > n, which is overwritten: S [n], V [n][n], U [n][m]. Without U, qr_append
// reduces A a few rows at a time.
lane_fn mask svd_tall(real* A, index m, index n, const svd_workspace* work, const svd_factors* out,
                      index max_sweeps) {
  real* B = work->B;
  real diagonal[32], beta[32];
  qr_factor(A, m, n, diagonal, beta);
  lane_unroll for (index j = 0; j < n; ++j) {
    lane_unroll for (index i = 0; i < n; ++i) B[j * n + i] =
        i < j ? A[j * m + i] : (i == j ? diagonal[i] : lane(0));
  }
  mask unfinished = svd_square(B, n, work->W, out->S, out->V, work->X, 1, max_sweeps);
  qr_embed(A, beta, m, n, work->X, out->U, n);
  return unfinished;
}

// Decomposes A with m < n, given by its rows T [m][n], which are overwritten. S [n], the last n - m
// are zero; V [n][n], its last columns span the null space; U [m][m] if with_u.
lane_fn mask svd_wide(real* T, index m, index n, const svd_workspace* work, const svd_factors* out,
                      index with_u, index max_sweeps) {
  real* B = work->B;
  real diagonal[32], beta[32];
  qr_factor(T, n, m, diagonal, beta);
  lane_unroll for (index j = 0; j < m; ++j) {  // A = R' Q'
    lane_unroll for (index i = 0; i < m; ++i) B[j * m + i] =
        j < i ? T[i * n + j] : (i == j ? diagonal[i] : lane(0));
  }
  mask unfinished = svd_square(B, m, work->W, out->S, work->X, out->U, with_u, max_sweeps);
  lane_unroll for (index i = m; i < n; ++i) out->S[i] = lane(0);
  qr_embed(T, beta, n, m, work->X, out->V, n);
  return unfinished;
}
