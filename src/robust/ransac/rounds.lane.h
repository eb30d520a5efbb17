// SPDX-License-Identifier: BSD-3-Clause
// The size of the first round and the lowest score, shared by host and devices.

// Returns the number of samples of the first round: the samples needed in any case, within the size
// of an efficient launch.
lane_fn index first_round(index min_iterations, index max_iterations) {
  index count = min_iterations < LEAST_ROUND ? LEAST_ROUND
                : min_iterations < 128       ? min_iterations
                                             : 128;
  return count < max_iterations ? count : max_iterations;
}

// Returns the score that a model from a sample must exceed. best: highest score of such a model
// so far.
lane_fn double score_floor(double best, index n) { return n < 1024 ? best / 2 : best; }
