// SPDX-License-Identifier: BSD-3-Clause
// How the host and the devices plan the first round.

// Samples of the first round: as many as are needed anyway, within what one launch is worth.
lane_fn index first_round(index min_iterations, index max_iterations) {
  index count = min_iterations < LEAST_ROUND ? LEAST_ROUND
                : min_iterations < 128       ? min_iterations
                                             : 128;
  return count < max_iterations ? count : max_iterations;
}

// A model from a sample has to score more than this. best: the highest score of such a model so
// far.
lane_fn double score_floor(double best, index n) { return n < 1024 ? best / 2 : best; }
