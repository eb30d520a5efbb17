// SPDX-License-Identifier: BSD-3-Clause
// Robust score of one correspondence: its contribution to the score of a model.
//   P. Torr, A. Zisserman, MLESAC, CVIU 78(1), 2000 (MSAC);  J. Beaton, J. Tukey, Technometrics
//   16(2), 1974 (biweight).

// Returns the MSAC score 1 - e / t^2 of a squared error e, at least 0; 0 if e is NaN.
lane_fn real msac_score(real squared_error, real inverse_squared_threshold) {
  return fmax(lane(0), lane(1) - squared_error * inverse_squared_threshold);
}
