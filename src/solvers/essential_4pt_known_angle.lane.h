// SPDX-License-Identifier: BSD-3-Clause
// Essential matrix from 4 correspondences of calibrated cameras and the rotation angle between
// them, for example from a gyroscope or an odometer: x2' E x1 = 0, E = [t]x R, where R is a
// rotation by that angle about any axis.
//   B. Li, L. Heng, G. H. Lee, M. Pollefeys, A 4-point algorithm for relative pose estimation of a
//   calibrated camera with a known relative rotation angle, IROS 2013
// Solutions: 0 to 20. None without motion, for an angle of 0, two equal points or NaN.

// Computes the data of the generated solver: three of the four bearings p [4][3], and the cross
// products of the pairs 13, 14, 23, 24, 34.
lane_fn void known_angle_bearings(const real* p, real* data) {
  for (index i = 0; i < 9; ++i) data[i] = p[i];
  vec3_cross(p, p + 6, data + 9);
  vec3_cross(p, p + 9, data + 12);
  vec3_cross(p + 3, p + 6, data + 15);
  vec3_cross(p + 3, p + 9, data + 18);
  vec3_cross(p + 6, p + 9, data + 21);
}

// x1, y1, x2, y2: 4 normalised points each; tangent: of half the angle. E: [20][9], row-major with
// Frobenius norm 1; unused slots are NaN.
lane_fn real essential_4pt_known_angle(const real* x1, const real* y1, const real* x2,
                                       const real* y2, real tangent, real* E) {
  real a[12], b[12], data[49], roots[60], own[9], kept = lane(0);
  for (index i = 0; i < 4; ++i) {
    real s = lane(1) / sqrt(x1[i] * x1[i] + y1[i] * y1[i] + lane(1));
    real t = lane(1) / sqrt(x2[i] * x2[i] + y2[i] * y2[i] + lane(1));
    a[3 * i] = s * x1[i];
    a[3 * i + 1] = s * y1[i];
    a[3 * i + 2] = s;
    b[3 * i] = t * x2[i];
    b[3 * i + 1] = t * y2[i];
    b[3 * i + 2] = t;
  }
  known_angle_bearings(a, data);
  known_angle_bearings(b, data + 24);
  data[48] = tangent * tangent;
  real count = essential_4pt_known_angle_roots(data, roots);
  for (index i = 0; i < 180; ++i) E[i] = lane_nan();
  for (index s = 0; s < 20 && any(count > lane(s)); ++s) {
    real sine2 = essential_from_rotation(a, b, roots + 3 * s, own);
    mask valid = (count > lane(s)) & (sine2 > lane_epsilon());
    kept = solution_keep(valid, own, 9, s, kept, E);
  }
  return kept;
}
