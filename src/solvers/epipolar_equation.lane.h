// SPDX-License-Identifier: BSD-3-Clause
// The linear equation of a correspondence in the elements of a fundamental or essential matrix.

// Computes the row a [9] with a . F = x2' F x1, F row-major.
lane_fn void epipolar_equation(real x1, real y1, real x2, real y2, real* a) {
  a[0] = x2 * x1;
  a[1] = x2 * y1;
  a[2] = x2;
  a[3] = y2 * x1;
  a[4] = y2 * y1;
  a[5] = y2;
  a[6] = x1;
  a[7] = y1;
  a[8] = lane(1);
}
