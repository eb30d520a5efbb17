// SPDX-License-Identifier: BSD-3-Clause
// Cases of src/rectify and src/stereo.

// Applies a moderate lens to a point, with its Jacobian, and inverts it; the disc has the
// radius 1.2.
lane_fn void case_lens(const real* in, real* out) {
  real k[8];
  for (index i = 0; i < 8; ++i) k[i] = in[i] * lane(i == 2 || i == 3 ? 1e-3 : 0.02);
  real x = in[8] * lane(0.3), y = in[9] * lane(0.3), J[3];
  lens_map(k, x, y, out, J);
  for (index i = 0; i < 3; ++i) out[2 + i] = J[i];
  lens_distort(k, lane(1.44), x, y, out);
  lens_undistort(k, lane(1.44), out[0], out[1], out + 5);
}

// Results are integers, equal in every lane.
lane_fn void case_disparity(const real* in, real* out) {
  out[0] = in[0] * lane(0) + lane(jump_penalty(100, 7, 12));
  out[1] = lane(census_margin(255, 1) + 100 * census_margin(65535, 0));
  out[2] = lane(brightness_of(40000, 65535) + 1000 * brightness_of(77, 255));
  out[3] = lane(subpixel_offset(400, 250, 350, 72));
  out[4] = lane(subpixel_offset(310, 250, 500, 72));
  out[5] = lane(parabola_offset(62000000, 100, 31000000));
  out[6] = lane(is_unique(90, 100, 10) + 2 * is_unique(91, 100, 10));
  out[7] = lane(winner_confidence(90, 100) + 1000 * directions_agree(70, 2, 16));
}
