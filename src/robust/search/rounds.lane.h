// SPDX-License-Identifier: BSD-3-Clause
// Plain numbers that the host and the devices plan the first round by.

// Trials of the first round: as many as are wanted anyway, within what is worth one launch.
lane_fn index first_round(index min_trials, index max_trials) {
  index trials = min_trials < LEAST_ROUND ? LEAST_ROUND : min_trials < 128 ? min_trials : 128;
  return trials < max_trials ? trials : max_trials;
}

// What a model from a sample has to gain to be of interest. raw: gain of the best one so far.
lane_fn double score_floor(double raw, index n) { return n < 1024 ? raw / 2 : raw; }
