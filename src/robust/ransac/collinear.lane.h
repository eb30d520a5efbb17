// SPDX-License-Identifier: BSD-3-Clause
// Collinearity of points of an image.

// Returns whether points with these moments (sums of 1, x, y, xx, xy, yy) deviate from a line by at
// most the noise.
lane_fn mask moments_on_line(const real* s, real noise) {
  real mx = s[1] / s[0], my = s[2] / s[0];
  real xx = s[3] / s[0] - mx * mx, xy = s[4] / s[0] - mx * my, yy = s[5] / s[0] - my * my;
  real mean = lane(0.5) * (xx + yy), apart = lane(0.5) * (xx - yy);
  real spread = sqrt(apart * apart + xy * xy), along = mean + spread;
  // The smaller variance is the determinant divided by the larger one.
  real across = fmax(xx * yy - xy * xy, lane(0)) / along;
  real limit = fmax(lane(16) * noise * noise, lane(1e-12) * along);
  return !(across > limit);
}
