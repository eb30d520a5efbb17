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
