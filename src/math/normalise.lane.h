// SPDX-License-Identifier: BSD-3-Clause
// Normalisation of points by R. Hartley, In defense of the eight-point algorithm, PAMI 19(6), 1997.

// Transforms n points to mean 0 and root mean square distance sqrt(2): x' = s (x - mx), y' = s (y -
// my). normal: s mx my.
lane_fn void points_normalise(const real* x, const real* y, index n, real* out_x, real* out_y,
                              real* normal) {
  real mx = lane(0), my = lane(0), spread = lane(0);
  for (index i = 0; i < n; ++i) {
    mx += x[i];
    my += y[i];
  }
  mx = mx * lane(1.0 / n);
  my = my * lane(1.0 / n);
  for (index i = 0; i < n; ++i) {
    out_x[i] = x[i] - mx;
    out_y[i] = y[i] - my;
    spread += out_x[i] * out_x[i] + out_y[i] * out_y[i];
  }
  real s = sqrt(lane(2.0 * n) / spread);
  for (index i = 0; i < n; ++i) {
    out_x[i] = s * out_x[i];
    out_y[i] = s * out_y[i];
  }
  normal[0] = s;
  normal[1] = mx;
  normal[2] = my;
}
