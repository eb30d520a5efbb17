// SPDX-License-Identifier: BSD-3-Clause
// First-order geometric (Sampson) error of a correspondence under an epipolar matrix.
//   P. D. Sampson, CGIP 18(1), 1982;  R. Hartley, A. Zisserman, Multiple View Geometry, 2nd ed., eq. 11.9.

// Squared Sampson error of (x1, y1) <-> (x2, y2) under F (row-major 3x3, x2' F x1 = 0), in the points' unit squared.
lane_fn real sampson_squared(const real* F, real x1, real y1, real x2, real y2) {
  real a = F[0] * x1 + F[1] * y1 + F[2];
  real b = F[3] * x1 + F[4] * y1 + F[5];
  real c = F[6] * x1 + F[7] * y1 + F[8];
  real d = F[0] * x2 + F[3] * y2 + F[6];
  real e = F[1] * x2 + F[4] * y2 + F[7];
  real r = x2 * a + y2 * b + c;
  return r * r / (a * a + b * b + d * d + e * e);
}
