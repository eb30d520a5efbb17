// SPDX-License-Identifier: BSD-3-Clause
// Selection and order of solutions, the same on every device.

// Appends solution s [rows] to the `kept` <= s solutions of a lane if it is valid. Returns the new
// number of solutions.
lane_fn real solution_keep(mask valid, const real* solution, index rows, index s, real kept,
                           real* solutions) {
  for (index k = 0; k <= s; ++k) {
    mask here = valid & (kept == lane(k));
    for (index i = 0; i < rows; ++i)
      solutions[rows * k + i] = select(here, solution[i], solutions[rows * k + i]);
  }
  return kept + select(valid, lane(1), lane(0));
}

// Sorts the first `found` real eigenvalues in K in ascending order, so that solutions have the same
// order on every device. Unused slots repeat the last eigenvalue: without it, a lane without an
// eigenvalue in a slot would make all lanes of its register wait for an invalid eigenvector.
lane_fn void real_eigenvalues_sort(kept_array K, index n, lane_int found) {
  const index values = eigen_list(n, 2);
  real last = kept_at(K, values);
  for (index i = 1; i < lanes_max(found); ++i) {
    real v = kept_at(K, values + i);
    last = select(lane_int_of(i) < found, fmax(last, v), last);
  }
  for (index i = 0; i < lanes_max(found); ++i) {
    real v = select(lane_int_of(i) < found, kept_at(K, values + i), last);
    for (index j = 0; j < i; ++j) {
      real before = kept_at(K, values + j);
      kept_at(K, values + j) = fmin(before, v);
      v = fmax(before, v);
    }
    kept_at(K, values + i) = v;
  }
}
