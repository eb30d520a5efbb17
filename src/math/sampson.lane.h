// SPDX-License-Identifier: BSD-3-Clause
// First-order geometric (Sampson) error of a correspondence under an epipolar matrix F (row-major
// 3x3, x2' F x1 = 0): the distance by which the point (x1, y1, x2, y2) must move to satisfy the
// equation, to first order. It has the unit of the points.
//   P. D. Sampson, CGIP 18(1), 1982;  R. Hartley, A. Zisserman, Multiple View Geometry, 2nd
//   ed., eq. 11.9.

// Returns c = x2' F x1 and writes its derivatives with respect to x1, y1, x2, y2.
lane_fn real epipolar_constraint(const real* F, real x1, real y1, real x2, real y2,
                                 real* derivatives) {
  real a = F[0] * x1 + F[1] * y1 + F[2];
  real b = F[3] * x1 + F[4] * y1 + F[5];
  derivatives[0] = F[0] * x2 + F[3] * y2 + F[6];
  derivatives[1] = F[1] * x2 + F[4] * y2 + F[7];
  derivatives[2] = a;
  derivatives[3] = b;
  return x2 * a + y2 * b + (F[6] * x1 + F[7] * y1 + F[8]);
}

lane_fn real vec4_norm_squared(const real* v) {
  return v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3];
}

// Returns the squared Sampson error.
lane_fn real sampson_squared(const real* F, real x1, real y1, real x2, real y2) {
  real d[4];
  real c = epipolar_constraint(F, x1, y1, x2, y2, d);
  return c * c * reciprocal(vec4_norm_squared(d));
}

// Returns whether sampson_squared is below a limit, without its division.
lane_fn mask sampson_within(const real* F, real x1, real y1, real x2, real y2, real limit) {
  real d[4];
  real c = epipolar_constraint(F, x1, y1, x2, y2, d);
  return c * c < limit * vec4_norm_squared(d);
}

// Linearises the error: with r = sqrt(weight) c, r^2 is the squared error and sqrt(weight) B =
// dr/dF [9]. B is the derivative of c at the point moved onto the variety, to first order.
// Returns c.
lane_fn real sampson_linearise(const real* F, real x1, real y1, real x2, real y2, real* B,
                               real* weight) {
  real d[4];
  real c = epipolar_constraint(F, x1, y1, x2, y2, d);
  *weight = reciprocal(vec4_norm_squared(d));
  real s = c * *weight;
  real dx1 = s * d[0], dy1 = s * d[1], dx2 = s * d[2], dy2 = s * d[3];
  B[0] = x2 * (x1 - dx1) - dx2 * x1;
  B[1] = x2 * (y1 - dy1) - dx2 * y1;
  B[2] = x2 - dx2;
  B[3] = y2 * (x1 - dx1) - dy2 * x1;
  B[4] = y2 * (y1 - dy1) - dy2 * y1;
  B[5] = y2 - dy2;
  B[6] = x1 - dx1;
  B[7] = y1 - dy1;
  B[8] = lane(1);
  return c;
}
