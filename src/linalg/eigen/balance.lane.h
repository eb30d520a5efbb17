// SPDX-License-Identifier: BSD-3-Clause
// Scaling and balancing of a matrix before its eigenvalues are computed.

// Divides A (n x n) by a power of two such that its largest element is about 1, which prevents
// over- and underflow in the functions below. A matrix that contains a NaN or an infinity becomes
// zero. The power is powers[0] * powers[1], because the product itself may not be representable.
// Returns 0, or 2 if the matrix was not finite (LinalgStatus).
lane_fn lane_int matrix_normalise(lane_array A, index n, real* powers) {
  const index pitch = lane_pitch(n);
  real largest = lane(0), sound = lane(0);
  for (index i = 0; i < n; ++i) {
    for (index j = 0; j < n; ++j) {
      real a = lane_at(A, i * pitch + j);
      largest = fmax(largest, fabs(a));
      sound = sound + a * lane(0);
    }
  }
  mask finite = sound == lane(0);
  largest = select(finite, largest, lane(0));
  powers[0] = power_of_two(largest);
  real f = lane(1) / powers[0];
  powers[1] = power_of_two(largest * f);
  real g = lane(1) / powers[1];
  for (index i = 0; i < n; ++i) {
    for (index j = 0; j < n; ++j) {
      lane_at(A, i * pitch + j) = select(finite, lane_at(A, i * pitch + j) * f * g, lane(0));
    }
  }
  return select_int(finite, lane_int_of(0), lane_int_of(2));
}

// Divides row i by `factor` and multiplies column i and element d + i of K by it.
lane_fn void balance_row(lane_array A, kept_array K, index d, index n, index i, real factor) {
  const index pitch = lane_pitch(n);
  real g = lane(1) / factor;
  for (index j = 0; j < n; ++j) {
    lane_at(A, i * pitch + j) = lane_at(A, i * pitch + j) * g;
    lane_at(A, j * pitch + i) = lane_at(A, j * pitch + i) * factor;
  }
  kept_at(K, d + i) = kept_at(K, d + i) * factor;
}

// Undoes balancing in lanes in which it would increase the error of the eigenvectors. The error of
// an eigenvector of the balanced matrix grows by up to max D / min D when it is transformed back.
// Zeros or grading may leave D unbounded; then balancing is kept only if the balanced matrix is
// smaller in proportion.
lane_fn void balance_undo(lane_array A, kept_array K, index d, index n) {
  const index pitch = lane_pitch(n);
  real most = kept_at(K, d), least = most, largest = lane(0);
  for (index i = 0; i < n; ++i) {
    most = fmax(most, kept_at(K, d + i));
    least = fmin(least, kept_at(K, d + i));
    for (index j = 0; j < n; ++j) largest = fmax(largest, fabs(lane_at(A, i * pitch + j)));
  }
  mask harmful = most * largest > lane(256) * least;
  if (any(harmful)) {
    for (index i = 0; i < n; ++i)
      balance_row(A, K, d, n, i, select(harmful, lane(1) / kept_at(K, d + i), lane(1)));
  }
}

// Replaces A (elements of about 1) by D^-1 A D. The diagonal D of powers of two, stored at K[d +
// i], makes the norms of a row and its column similar (B. Parlett, C. Reinsch, 1969; the 2-norm
// with the diagonal element: R. James, J. Langou, B. Lowery, On matrix balancing and eigenvector
// computation, 2014). Rows are scaled but not permuted: lanes could not permute rows together, and
// the sweeps deflate the eigenvalues that a permutation would have isolated.
lane_fn void matrix_balance(lane_array A, kept_array K, index d, index n) {
  const index pitch = lane_pitch(n);
  for (index i = 0; i < n; ++i) kept_at(K, d + i) = lane(1);
  mask moved = lane(0) == lane(0), ever = lane(0) == lane(1);
  for (index pass = 0; pass < 20 && any(moved); ++pass) {
    moved = lane(0) == lane(1);
    for (index i = 0; i < n; ++i) {
      real column = lane(0), row = lane(0);
      for (index j = 0; j < n; ++j) {
        real c = lane_at(A, j * pitch + i), r = lane_at(A, i * pitch + j);
        column = column + c * c;
        row = row + r * r;
      }
      // A factor of 2 has no benefit before the squares differ by 2^2.
      mask uneven = (column > lane_tiny() * lane_tiny()) & (row > lane_tiny() * lane_tiny()) &
                    ((column * lane(4) < row) | (row * lane(4) <= column));
      if (any(uneven)) {
        real f = power_of_two(sqrt(sqrt(row / column)) * lane(1.4142135623730951));
        f = select(uneven, f, lane(1));
        mask improves = column * (f * f) + row / (f * f) < lane(0.9) * (column + row);
        if (any(improves)) balance_row(A, K, d, n, i, select(improves, f, lane(1)));
        moved = moved | improves;
      }
    }
    ever = ever | moved;
  }
  if (any(ever)) balance_undo(A, K, d, n);
}
