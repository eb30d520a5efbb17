// SPDX-License-Identifier: BSD-3-Clause
// The robust weight of a point, and sums of weighted equations.

// Returns the robust score of a point and writes its weight. With u = max(0, 1 - e / threshold^2),
// the score is u (MSAC: sharp) or u^3 (Tukey's biweight: smooth), and the weight inside the
// threshold is 1 or u^2.
lane_fn real robust_weight(real squared_error, real inverse_squared_threshold, mask smooth,
                           real* weight) {
  real u = msac_score(squared_error, inverse_squared_threshold);
  mask inside = u > lane(0);
  *weight = select(inside, select(smooth, u * u, lane(1)), lane(0));
  return select(smooth, u * u * u, u);
}

// Returns 0 if the weight is 0, even if the value is NaN.
lane_fn real masked(real weight, real value) { return select(weight > lane(0), value, lane(0)); }

// Adds w a b' for a, b [3] to the block of the packed lower triangle whose first element is (row,
// column). A block on the diagonal gets its lower triangle only.
lane_fn void packed_add(real* N, index row, index column, real w, const real* a, const real* b) {
  for (index i = 0; i < 3; ++i) {
    real wa = w * a[i];
    index start = (row + i) * (row + i + 1) / 2 + column;
    for (index j = 0; j < 3; ++j) {
      if (row != column || j <= i) N[start + j] += wa * b[j];
    }
  }
}
