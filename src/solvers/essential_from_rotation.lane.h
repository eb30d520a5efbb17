// SPDX-License-Identifier: BSD-3-Clause
// Essential matrix of four correspondences with a known rotation.

// Computes E = [t]x R for the rotation u, |u| = tan(angle / 2). t lies in the planes of the
// bearings b [4][3] and R a, with a [4][3]. Returns the square of the largest sine between
// two planes.
lane_fn real essential_from_rotation(const real* a, const real* b, const real* u, real* E) {
  real R[9], planes[12], rotated[3], cross[3], t[3], column[3], best = lane(0);
  for (index k = 0; k < 3; ++k) t[k] = u[k] + u[k];
  rotation_cayley(t, R);
  for (index i = 0; i < 4; ++i) {
    mat3_apply(R, a + 3 * i, rotated);
    vec3_cross(b + 3 * i, rotated, planes + 3 * i);
    real scale = lane(1) / sqrt(vec3_dot(planes + 3 * i, planes + 3 * i) + lane_tiny());
    for (index k = 0; k < 3; ++k) planes[3 * i + k] = planes[3 * i + k] * scale;
  }
  for (index k = 0; k < 3; ++k) t[k] = lane(0);
  for (index i = 0; i < 4; ++i) {
    vec3_cross(planes + 3 * i, planes + 3 * ((i + 1) % 4), cross);
    real length = vec3_dot(cross, cross);
    mask longer = length > best;
    best = select(longer, length, best);
    for (index k = 0; k < 3; ++k) t[k] = select(longer, cross[k], t[k]);
  }
  for (index j = 0; j < 3; ++j) {
    for (index i = 0; i < 3; ++i) column[i] = R[3 * i + j];
    vec3_cross(t, column, cross);
    for (index i = 0; i < 3; ++i) E[3 * i + j] = cross[i];
  }
  mat3_normalise(E);
  return best;
}
