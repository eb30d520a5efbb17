// SPDX-License-Identifier: BSD-3-Clause
// Eigenvalues and eigenvectors of symmetric matrices by cyclic Jacobi rotations (C. Jacobi,
// 1846; G. Golub, C. Van Loan, Matrix Computations, 4th ed., 8.5), with high relative accuracy
// for positive definite matrices (J. Demmel, K. Veselic, Jacobi's method is more accurate than
// QR, 1992).

// Diagonalises A [n][n], n <= 32, both triangles of which are given, scaled as in
// jacobi_rotation.lane.h. V [n][v] <- V J (v = 0: none); V becomes the eigenvectors if it starts as
// the identity. Returns the mask of lanes for which max_sweeps were too few.
lane_fn mask symmetric_diagonalise(real* A, index n, real* V, index v, index max_sweeps) {
  real c[16], s[16], shift[16];
  mask rotate[16], active = lane(0) < lane(1);
  real tolerance2 = lane_epsilon() * lane_epsilon();
  for (index sweep = 0; sweep < max_sweeps && any(active); ++sweep) {
    mask rotated = lane(1) < lane(0);
    lane_unroll for (index round = 0; round < n; ++round) {
      lane_unroll for (index k = 0; k < round_pairs(n, round); ++k) {
        index p = round_first(round, k), q = round_second(n, round, k);
        real pp = A[p * n + p], qq = A[q * n + q], pq = A[p * n + q];
        real scale = reciprocal_power(fmax(fabs(pq), fmax(fabs(pp), fabs(qq))));
        rotate[k] = rotation_due(pp, qq, pq, scale, tolerance2) & (fabs(pq) > jacobi_floor());
        rotation_make(rotate[k], pp * scale - qq * scale, fabs(pq * scale), pq, c + k, s + k,
                      shift + k);
        rotated = rotated | rotate[k];
      }
      lane_unroll for (index k = 0; k < round_pairs(n, round); ++k) {
        index p = round_first(round, k), q = round_second(n, round, k);
        if (any(rotate[k])) {
          real pp = A[p * n + p], qq = A[q * n + q], pq = A[p * n + q];
          lane_unroll for (index i = 0; i < n; ++i) {
            real x = A[p * n + i], y = A[q * n + i];
            real a = c[k] * x + s[k] * y, b = c[k] * y - s[k] * x;
            A[p * n + i] = a;
            A[q * n + i] = b;
            A[i * n + p] = a;
            A[i * n + q] = b;
          }
          A[p * n + p] = select(rotate[k], fmax(pp, qq) + shift[k], pp);
          A[q * n + q] = select(rotate[k], fmin(pp, qq) - shift[k], qq);
          A[p * n + q] = A[q * n + p] = select(rotate[k], lane(0), pq);
          columns_rotate(V + p * v, V + q * v, v, c[k], s[k]);
        }
      }
    }
    active = active & rotated;
  }
  return active;
}

// Computes the eigenvalues L [n], in descending order, and if with_v the eigenvectors V [n][n] of
// A, given as in symmetric_diagonalise.
lane_fn mask symmetric_jacobi(real* A, index n, real* L, real* V, index with_v, index max_sweeps) {
  index v = with_v ? n : 0;
  lane_unroll for (index j = 0; j < v; ++j) {
    lane_unroll for (index i = 0; i < n; ++i) V[j * n + i] = lane(i == j ? 1 : 0);
  }
  mask unfinished = symmetric_diagonalise(A, n, V, v, max_sweeps);
  lane_unroll for (index i = 0; i < n; ++i) L[i] = A[i * n + i] + lane(0);
  lane_unroll for (index j = 0; j < v; ++j) {
    lane_unroll for (index i = 0; i < n; ++i) V[j * n + i] += lane(0);  // as in jacobi_normalise
  }
  jacobi_sort(L, 0, V, v, n, L);
  return unfinished;
}
