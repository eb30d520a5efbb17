// SPDX-License-Identifier: BSD-3-Clause
// Affine shape of a point: the symmetric matrix A = [xx xy; xy yy] of determinant 1 that maps a
// frame (u, v) to the image, (x, y) = A (u, v). In this frame the gradients around the point are
// equally strong in all directions.
//
//   T. Lindeberg, J. Garding, Shape-adapted smoothing in estimation of 3-D shape cues from affine
//   deformations of local 2-D brightness structure, Image and Vision Computing 15(6), 1997.
//   A. Baumberg, Reliable feature matching across widely separated views, CVPR 2000.
//   K. Mikolajczyk, C. Schmid, Scale & affine invariant interest point detectors, IJCV 60(1), 2004;
//   here the position and the scale of the point are fixed.

// Returns the step of the sample grid for shape and orientation, in sigma.
lane_fn real shape_step(void) { return lane(0.6); }
// Returns the window of the second moments, in sigma.
lane_fn real shape_window(void) { return lane(3); }

enum { SHAPE_ROUNDS = 10 };  // limit; a shape that has not converged is rejected

// Returns the largest ratio of the axes of A; beyond it the point lies on an edge and has no shape.
// A maps a unit vector to a length of at most sqrt(6).
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

// Computes the next A from the second moments of the gradients in the frame of A: the root of A
// moments^-1 A, which does not depend on a rotation of the frame. Returns 1 if the moments were
// equal in all directions to within a tenth, 0 if they were not, and -1 if the point has no shape.
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
  // A matrix C of determinant 1 has the root (C + 1) / sqrt(trace(C) + 2).
  real root = lane(1) / sqrt(fmax(c00 + c11 + lane(2), lane(1)));
  A->xx = (c00 + lane(1)) * root;
  A->xy = c01 * root;
  A->yy = (c11 + lane(1)) * root;
  // The eigenvalues e and 1 / e have a ratio of e^2 and a sum of e + 1 / e.
  real most = shape_most_ratio();
  is_shape = is_shape & (c00 + c11 < most + lane(1) / most);
  mask has_converged = xx + yy < lane(0.9486832981) + lane(1.0540925534);
  return select(is_shape, select(has_converged, lane(1), lane(0)), lane(-1));
}
