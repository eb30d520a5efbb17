// SPDX-License-Identifier: BSD-3-Clause
// The limit of point_side.
lane_fn real side_limit(const real* side, real inverse_squared_threshold, real parallax) {
  (void)side, (void)inverse_squared_threshold;
  return parallax;
}
