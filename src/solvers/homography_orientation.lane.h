// SPDX-License-Identifier: BSD-3-Clause
// Test whether four correspondences can be related by a homography. A camera sees a plane from one
// side, so that corresponding triples of points must either all have the same orientation or all
// the opposite one (O. Chum, T. Werner, J. Matas, Epipolar geometry estimation via RANSAC benefits
// from the oriented epipolar constraint, ICPR 2004).

// Computes the orientations of the triples (4,2,3), (1,4,3), (1,2,4) of the points (x, y), given
// relative to the fourth. Returns whether all are nonzero, i.e. larger than rounding errors of
// collinear points.
lane_fn mask homography_triples(const real* x, const real* y, real* l) {
  real extent = lane(0);
  for (index i = 0; i < 3; ++i) extent = fmax(extent, x[i] * x[i] + y[i] * y[i]);
  l[0] = x[1] * y[2] - x[2] * y[1];
  l[1] = x[2] * y[0] - x[0] * y[2];
  l[2] = x[0] * y[1] - x[1] * y[0];
  real smallest = fmin(fmin(fabs(l[0]), fabs(l[1])), fmin(fabs(l[2]), fabs(l[0] + l[1] + l[2])));
  return smallest > lane(1e3) * lane_epsilon() * extent;
}

// Returns whether two cameras can see a plane like this. The points of image 1 (a, b) and image 2
// (c, d) are relative to the fourth; l, m: see homography_triples.
lane_fn mask homography_admits(const real* a, const real* b, const real* c, const real* d, real* l,
                               real* m) {
  mask valid = homography_triples(a, b, l) & homography_triples(c, d, m);
  real side = (l[0] + l[1] + l[2]) * (m[0] + m[1] + m[2]);
  for (index i = 0; i < 3; ++i) valid = valid & (l[i] * m[i] * side > lane(0));
  return valid;
}
