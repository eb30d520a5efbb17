// SPDX-License-Identifier: BSD-3-Clause
// Symmetric transfer error of a correspondence under a homography H (row-major 3x3, x2 ~ H x1), to
// first order: the distance by which the point (x1, y1, x2, y2) must move until x2 ~ H x1. If both
// images have the same scale, its square is |x2 - H x1|^2 / 2. It has the unit of the points.
//   R. Hartley, A. Zisserman, Multiple View Geometry, 2nd ed., 4.2.6 (Sampson error of H).

// Computes the two equations c = w (x2, y2) - (u, v), with (u, v, w) = H (x1, y1, 1), and their
// derivatives with respect to x1, y1: d[0..1] of c[0] and d[2..3] of c[1]. The derivative of c[0]
// by x2 and of c[1] by y2 is w, which is returned.
lane_fn real transfer_constraints(const real* H, real x1, real y1, real x2, real y2, real* c,
                                  real* d) {
  real w = H[6] * x1 + H[7] * y1 + H[8];
  c[0] = w * x2 - (H[0] * x1 + H[1] * y1 + H[2]);
  c[1] = w * y2 - (H[3] * x1 + H[4] * y1 + H[5]);
  d[0] = H[6] * x2 - H[0];
  d[1] = H[7] * x2 - H[1];
  d[2] = H[6] * y2 - H[3];
  d[3] = H[7] * y2 - H[4];
  return w;
}

// Returns the determinant of the covariance J J' of the constraints, as a sum of squares, so that
// rounding cannot make it negative.
lane_fn real transfer_determinant(const real* d, real w) {
  real w2 = w * w;
  real cross = d[0] * d[3] - d[1] * d[2];
  return cross * cross + w2 * (vec4_norm_squared(d) + w2);
}

// Returns the squared error c' (J J')^-1 c, also as sums of squares.
lane_fn real transfer_error(const real* c, const real* d, real w, real inverse_determinant) {
  real a = c[0] * d[2] - c[1] * d[0];
  real b = c[0] * d[3] - c[1] * d[1];
  real sum = a * a + b * b + w * w * (c[0] * c[0] + c[1] * c[1]);
  return sum * inverse_determinant;
}

lane_fn real transfer_squared(const real* H, real x1, real y1, real x2, real y2) {
  real c[2], d[4];
  real w = transfer_constraints(H, x1, y1, x2, y2, c, d);
  return transfer_error(c, d, w, reciprocal(transfer_determinant(d, w)));
}

// Returns whether transfer_squared is below a limit, without its division.
lane_fn mask transfer_within(const real* H, real x1, real y1, real x2, real y2, real limit) {
  real c[2], d[4];
  real w = transfer_constraints(H, x1, y1, x2, y2, c, d);
  return transfer_error(c, d, w, lane(1)) < limit * transfer_determinant(d, w);
}

// Linearises the error. The rows of B = dc/dH at the point moved onto the variety, to first order,
// are (-p, 0, q) and (0, -p, r) with p, q, r [3]. With A = (J J')^-1 (symmetric 2x2: a00, a01, a11)
// and l = A c, half the gradient of the squared error is B' l, and B' A B is the Gauss-Newton
// matrix. terms [14]: l [2], a [3], p [3], q [3], r [3]. Returns the squared error.
lane_fn real transfer_linearise(const real* H, real x1, real y1, real x2, real y2, real* terms) {
  real c[2], d[4], *l = terms, *a = terms + 2, *p = terms + 5, *q = terms + 8, *r = terms + 11;
  real w = transfer_constraints(H, x1, y1, x2, y2, c, d);
  real w2 = w * w;
  real inverse = reciprocal(transfer_determinant(d, w));
  a[0] = (d[2] * d[2] + d[3] * d[3] + w2) * inverse;
  a[1] = -(d[0] * d[2] + d[1] * d[3]) * inverse;
  a[2] = (d[0] * d[0] + d[1] * d[1] + w2) * inverse;
  l[0] = a[0] * c[0] + a[1] * c[1];
  l[1] = a[1] * c[0] + a[2] * c[1];
  real dx2 = w * l[0], dy2 = w * l[1];
  p[0] = x1 - (d[0] * l[0] + d[2] * l[1]);
  p[1] = y1 - (d[1] * l[0] + d[3] * l[1]);
  p[2] = lane(1);
  q[0] = x2 * p[0] - dx2 * x1;
  q[1] = x2 * p[1] - dx2 * y1;
  q[2] = x2 - dx2;
  r[0] = y2 * p[0] - dy2 * x1;
  r[1] = y2 * p[1] - dy2 * y1;
  r[2] = y2 - dy2;
  return transfer_error(c, d, w, inverse);
}
