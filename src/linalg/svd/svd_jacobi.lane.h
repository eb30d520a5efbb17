// SPDX-License-Identifier: BSD-3-Clause
// One-sided Jacobi rotations (M. Hestenes, Inversion of matrices by biorthogonalization, 1958;
// longer columns first: P. de Rijk, A one-sided Jacobi algorithm for computing the singular value
// decomposition on a vector computer, 1989). Matrices have n <= 32 columns, stored one after
// another and scaled as in jacobi_rotation.lane.h.

// Runs one round of rotations of the columns of W [n][m], and the same rotations of V [n][v] (v
// = 0: none). norm2: squared lengths of the columns of W. Returns the mask of lanes that rotated
// a pair.
lane_fn mask jacobi_round(real* W, index m, real* V, index v, index n, real* norm2, index round,
                          real tolerance2) {
  real product[16], c[16], s[16];
  mask rotate[16], rotated = lane(1) < lane(0);
  lane_unroll for (index k = 0; k < round_pairs(n, round); ++k) {
    index p = round_first(round, k), q = round_second(n, round, k);
    product[k] = columns_dot(W + p * m, W + q * m, m);
  }
  lane_unroll for (index k = 0; k < round_pairs(n, round); ++k) {
    index p = round_first(round, k), q = round_second(n, round, k);
    real longer = fmax(norm2[p], norm2[q]), shorter = fmin(norm2[p], norm2[q]), shift;
    real scale = reciprocal_power(longer);
    rotate[k] =
        rotation_due(norm2[p], norm2[q], product[k], scale, tolerance2) & (shorter > lane(0));
    rotation_make(rotate[k], norm2[p] * scale - norm2[q] * scale, fabs(product[k] * scale),
                  product[k], c + k, s + k, &shift);
    norm2[p] = select(rotate[k], longer + shift, norm2[p]);
    norm2[q] = select(rotate[k], fmax(shorter - shift, lane(0)), norm2[q]);
    rotated = rotated | rotate[k];
  }
  lane_unroll for (index k = 0; k < round_pairs(n, round); ++k) {
    index p = round_first(round, k), q = round_second(n, round, k);
    if (any(rotate[k])) {
      columns_rotate(W + p * m, W + q * m, m, c[k], s[k]);
      columns_rotate(V + p * v, V + q * v, v, c[k], s[k]);
    }
  }
  return rotated;
}

// Makes the columns of W [n][m] orthogonal: W <- W J, V [n][v] <- V J (v = 0: none). Sweeps over
// all pairs are repeated until a sweep needs no rotation, i.e. every |p'q| <= sqrt(m) epsilon |p|
// |q|. norm2: squared lengths of the columns, 0 if negligible. Returns the mask of lanes for which
// max_sweeps were too few.
lane_fn mask jacobi_orthogonalise(real* W, index m, real* V, index v, index n, real* norm2,
                                  index max_sweeps) {
  real tolerance2 = lane(m) * lane_epsilon() * lane_epsilon();
  mask active = lane(0) < lane(1);
  for (index sweep = 0; sweep < max_sweeps && any(active); ++sweep) {
    lane_unroll for (index j = 0; j < n; ++j) {
      real length2 = columns_dot(W + j * m, W + j * m, m);
      norm2[j] = select(length2 > jacobi_floor(), length2, lane(0));
    }
    mask rotated = lane(1) < lane(0);
    lane_unroll for (index round = 0; round < n; ++round) rotated =
        rotated | jacobi_round(W, m, V, v, n, norm2, round, tolerance2);
    active = active & rotated;
  }
  return active;
}

// Sorts the columns of W [n][m] and V [n][v] by norm2, longest first.
lane_fn void jacobi_sort(real* W, index m, real* V, index v, index n, real* norm2) {
  lane_unroll for (index p = 0; p < n - 1; ++p) {
    lane_unroll for (index q = p + 1; q < n; ++q) {
      mask swap = norm2[p] < norm2[q];
      if (any(swap)) {
        columns_exchange(swap, W + p * m, W + q * m, m);
        columns_exchange(swap, V + p * v, V + q * v, v);
        columns_exchange(swap, norm2 + p, norm2 + q, 1);
      }
    }
  }
}

// Replaces column j of W [.][m], m <= 32, in the lanes of `missing` by a unit vector orthogonal to
// the orthonormal columns before it: the axis that they span least, orthogonalised twice.
lane_fn void jacobi_complete(real* W, index m, index j, mask missing) {
  real overlap[32], fresh[32];
  real least = lane(2), axis = lane(0);
  for (index i = 0; i < m; ++i) {
    real spanned = lane(0);
    for (index l = 0; l < j; ++l) spanned += W[l * m + i] * W[l * m + i];
    mask better = spanned < least;
    least = select(better, spanned, least);
    axis = select(better, lane(i), axis);
  }
  for (index i = 0; i < m; ++i) fresh[i] = select(axis == lane(i), lane(1), lane(0));
  for (index repeat = 0; repeat < 2; ++repeat) {
    for (index l = 0; l < j; ++l) overlap[l] = columns_dot(W + l * m, fresh, m);
    for (index l = 0; l < j; ++l) {
      for (index i = 0; i < m; ++i) fresh[i] -= overlap[l] * W[l * m + i];
    }
  }
  real inverse = lane(1) / sqrt(columns_dot(fresh, fresh, m));
  for (index i = 0; i < m; ++i) W[j * m + i] = select(missing, fresh[i] * inverse, W[j * m + i]);
}

// Scales the orthogonal, sorted columns of W [n][m] to unit length; S [n]: their lengths before.
// Columns of length zero (norm2 = 0) are replaced so that the set is orthonormal, for m <= 32.
lane_fn void jacobi_normalise(real* W, index m, index n, const real* norm2, real* S) {
  lane_unroll for (index j = 0; j < n; ++j) {
    mask missing = norm2[j] <= lane(0);
    S[j] = sqrt(norm2[j]);
    real inverse = select(missing, lane(0), lane(1) / S[j]);
    // Adding zero turns -0 into 0, because the sign of zero depends on rotations in
    // neighbouring lanes.
    lane_unroll for (index i = 0; i < m; ++i) W[j * m + i] = W[j * m + i] * inverse + lane(0);
    if (any(missing)) jacobi_complete(W, m, j, missing);
  }
}
