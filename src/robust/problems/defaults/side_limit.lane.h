// SPDX-License-Identifier: BSD-3-Clause
// Returns the limit for point_side: the given parallax.
lane_fn real side_limit(const real* side, real inverse_squared_threshold, real parallax) {
  (void)side, (void)inverse_squared_threshold;
  return parallax;
}
