// SPDX-License-Identifier: BSD-3-Clause
// Homography from 4 correspondences: x2 ~ H x1, closed form.
// The four points of an image are a projective basis: with p4 = l1 p1 + l2 p2 + l3 p3 the matrix
// [l1 p1, l2 p2, l3 p3] maps the standard basis to them, so H = P2 diag(m_i / l_i) P1^-1 (R.
// Hartley, A. Zisserman, Multiple View Geometry, 2nd ed., 2.3 and 4.1). A camera sees a plane from
// one side, so corresponding triples must have the same orientation, or all the opposite one (O.
// Chum, T. Werner, J. Matas, Epipolar geometry estimation via RANSAC benefits from the oriented
// epipolar constraint, ICPR 2004). Solutions: 0 or 1. None when three points of an image are
// collinear (or equal), when the orientations differ, or for NaN. Any unit: computed relative to
// the fourth point, so pixels do not need to be normalised in double; about unit size for float.

// Orientations of the triples (4,2,3), (1,4,3), (1,2,4) of the points (x, y) relative to the
// fourth. Returns all of them nonzero: larger than rounding makes of collinear points.
lane_fn mask homography_triples(const real* x, const real* y, real* l) {
  real extent = lane(0);
  for (index i = 0; i < 3; ++i) extent = fmax(extent, x[i] * x[i] + y[i] * y[i]);
  l[0] = x[1] * y[2] - x[2] * y[1];
  l[1] = x[2] * y[0] - x[0] * y[2];
  l[2] = x[0] * y[1] - x[1] * y[0];
  real smallest = fmin(fmin(fabs(l[0]), fabs(l[1])), fmin(fabs(l[2]), fabs(l[0] + l[1] + l[2])));
  return smallest > lane(1e3) * lane_epsilon() * extent;
}

// Can a camera see a plane so? The points of image 1 (a, b) and image 2 (c, d) relative to the
// fourth; l, m: see homography_triples.
lane_fn mask homography_admits(const real* a, const real* b, const real* c, const real* d, real* l,
                               real* m) {
  mask valid = homography_triples(a, b, l) & homography_triples(c, d, m);
  real side = (l[0] + l[1] + l[2]) * (m[0] + m[1] + m[2]);
  for (index i = 0; i < 3; ++i) valid = valid & (l[i] * m[i] * side > lane(0));
  return valid;
}

// x1, y1, x2, y2: 4 points each. H: row-major, Frobenius norm 1, the sign that gives H x1 = s x2
// with s > 0; NaN without a solution.
lane_fn real homography_4pt(const real* x1, const real* y1, const real* x2, const real* y2,
                            real* H) {
  real a[3], b[3], c[3], d[3], l[3], m[3];
  for (index i = 0; i < 3; ++i) {
    a[i] = x1[i] - x1[3];
    b[i] = y1[i] - y1[3];
    c[i] = x2[i] - x2[3];
    d[i] = y2[i] - y2[3];
  }
  mask valid = homography_admits(a, b, c, d, l, m);

  // G = sum_i w_i p2_i r_i' with r_i the rows of adj(P1): maps the points relative to their fourth
  // ones.
  real w[3] = {m[0] * l[1] * l[2], l[0] * m[1] * l[2], l[0] * l[1] * m[2]};
  real r[9] = {b[1] - b[2], a[2] - a[1], l[0],        b[2] - b[0], a[0] - a[2],
               l[1],        b[0] - b[1], a[1] - a[0], l[2]};
  for (index j = 0; j < 3; ++j) {
    real g0 = w[0] * r[j], g1 = w[1] * r[3 + j], g2 = w[2] * r[6 + j];
    H[j] = c[0] * g0 + c[1] * g1 + c[2] * g2;
    H[3 + j] = d[0] * g0 + d[1] * g1 + d[2] * g2;
    H[6 + j] = g0 + g1 + g2;
  }
  // Back to the points' own origins.
  for (index i = 0; i < 3; ++i) H[3 * i + 2] -= H[3 * i] * x1[3] + H[3 * i + 1] * y1[3];
  for (index j = 0; j < 3; ++j) {
    H[j] += x2[3] * H[6 + j];
    H[3 + j] += y2[3] * H[6 + j];
  }
  real s = copysign(lane(1) / sqrt(mat3_dot(H, H)), w[0] * (l[0] + l[1] + l[2]));
  mat3_scale(H, select(valid, s, lane_nan()));
  return select(valid, lane(1), lane(0));
}
