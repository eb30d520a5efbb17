// SPDX-License-Identifier: BSD-3-Clause
// The affine shape of a point: the symmetric matrix A of determinant 1, [xx xy; xy yy], of the
// frame in which the gradients around the point are equally strong in all directions; (x, y) = A
// (u, v) takes that frame to the picture's.
//
//   T. Lindeberg, J. Garding, Shape-adapted smoothing in estimation of 3-D shape cues from affine
//   deformations of local 2-D brightness structure, Image and Vision Computing 15(6), 1997.
//   A. Baumberg, Reliable feature matching across widely separated views, CVPR 2000.
//   K. Mikolajczyk, C. Schmid, Scale & affine invariant interest point detectors, IJCV 60(1), 2004:
//   here at the point's own place and scale.

// Step in sigma of the grid of samples of shape and orientation.
lane_fn real shape_step(void) { return lane(0.6); }
// The window of the second moments, in sigma.
lane_fn real shape_window(void) { return lane(3); }

enum { SHAPE_ROUNDS = 10 };  // after which a shape that has not settled is none

// Beyond it is no shape but an edge: the longer axis of A over the shorter one; A takes a unit
// vector to one of length sqrt(6) at most.
lane_fn real shape_most_ratio(void) { return lane(6); }

typedef struct {
  real xx, xy, yy;
} symmetric_2x2;

lane_fn symmetric_2x2 shape_circle(void) {
  symmetric_2x2 A;
  A.xx = A.yy = lane(1);
  A.xy = lane(0);
  return A;
}

// From the second moments of the gradients in the frame of A to the next A, the root
// of A moments^-1 A: as the old one turned by any angle would give it. Returns 1 where the moments
// were alike in all directions, to a tenth, 0 where they were not, and -1 where there is no shape.
lane_fn real shape_round(const symmetric_2x2 moments, symmetric_2x2* A) {
  real xx = moments.xx, xy = moments.xy, yy = moments.yy, trace = xx + yy;
  real determinant = xx * yy - xy * xy;
  mask is_shape = determinant > lane(1e-4) * trace * trace;
  real scale = lane(1) / sqrt(select(is_shape, determinant, lane(1)));
  xx = xx * scale, xy = xy * scale, yy = yy * scale;
  real p00 = yy * A->xx - xy * A->xy, p01 = yy * A->xy - xy * A->yy;
  real p11 = xx * A->yy - xy * A->xy, p10 = xx * A->xy - xy * A->xx;
  real c00 = A->xx * p00 + A->xy * p10, c01 = A->xx * p01 + A->xy * p11;
  real c11 = A->xy * p01 + A->yy * p11;
  // The root of a matrix C of determinant 1: (C + 1) / sqrt(trace(C) + 2).
  real root = lane(1) / sqrt(fmax(c00 + c11 + lane(2), lane(1)));
  A->xx = (c00 + lane(1)) * root;
  A->xy = c01 * root;
  A->yy = (c11 + lane(1)) * root;
  // Eigenvalues e and 1 / e have a ratio of e^2 and a sum of e + 1 / e.
  real most = shape_most_ratio();
  is_shape = is_shape & (c00 + c11 < most + lane(1) / most);
  mask is_settled = xx + yy < lane(0.9486832981) + lane(1.0540925534);
  return select(is_shape, select(is_settled, lane(1), lane(0)), lane(-1));
}
