// SPDX-License-Identifier: BSD-3-Clause
// Homography from 4 correspondences: x2 ~ H x1, in closed form.
// The four points of an image are a projective basis. With p4 = l1 p1 + l2 p2 + l3 p3, the matrix
// [l1 p1, l2 p2, l3 p3] maps the standard basis to them, so H = P2 diag(m_i / l_i) P1^-1 (R.
// Hartley, A. Zisserman, Multiple View Geometry, 2nd ed., 2.3 and 4.1). A camera sees a plane from
// one side, so that corresponding triples of points must either all have the same orientation or
// all the opposite one (O. Chum, T. Werner, J. Matas, Epipolar geometry estimation via RANSAC
// benefits from the oriented epipolar constraint, ICPR 2004).
// Solutions: 0 or 1. None if three points of an image are collinear or equal, if the orientations
// differ, for NaN, or if the coordinates overflow (above about 1e17 in double). Coordinates in any
// unit: they are taken relative to the fourth point, so that pixels need no normalisation in
// double; in float they should be of about unit size.

// x1, y1, x2, y2: 4 points each. H: row-major with Frobenius norm 1, with the sign for which H x1 =
// s x2 with s > 0; NaN without a solution.
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

  // G = sum_i w_i p2_i r_i', with r_i the rows of adj(P1), maps the points relative to the fourth
  // point of each image.
  real w[3] = {m[0] * l[1] * l[2], l[0] * m[1] * l[2], l[0] * l[1] * m[2]};
  real r[9] = {b[1] - b[2], a[2] - a[1], l[0],        b[2] - b[0], a[0] - a[2],
               l[1],        b[0] - b[1], a[1] - a[0], l[2]};
  for (index j = 0; j < 3; ++j) {
    real g0 = w[0] * r[j], g1 = w[1] * r[3 + j], g2 = w[2] * r[6 + j];
    H[j] = c[0] * g0 + c[1] * g1 + c[2] * g2;
    H[3 + j] = d[0] * g0 + d[1] * g1 + d[2] * g2;
    H[6 + j] = g0 + g1 + g2;
  }
  // Convert to the original coordinates of the points.
  for (index i = 0; i < 3; ++i) H[3 * i + 2] -= H[3 * i] * x1[3] + H[3 * i + 1] * y1[3];
  for (index j = 0; j < 3; ++j) {
    H[j] += x2[3] * H[6 + j];
    H[3 + j] += y2[3] * H[6 + j];
  }
  real size2 = mat3_dot(H, H);
  valid = valid & (size2 - size2 == lane(0));  // not infinite or NaN
  real s = copysign(lane(1) / sqrt(size2), w[0] * (l[0] + l[1] + l[2]));
  mat3_scale(H, select(valid, s, lane_nan()));
  return select(valid, lane(1), lane(0));
}
