// SPDX-License-Identifier: BSD-3-Clause
// On which side of the cameras points lie, as far as an epipolar matrix tells.

// On which side of F x1 the epipole e2 (e2'F = 0) has x2: positive for all points in front of both
// cameras or for all behind one. *near2: squared distance of x2 from the epipole times e[2]^2.
lane_fn real epipolar_side(const real* F, const real* e, real x1, real y1, real x2, real y2,
                           real* near2) {
  real p[3] = {x1, y1, lane(1)}, q[3] = {x2, y2, lane(1)}, line[3], through[3];
  mat3_apply(F, p, line);
  vec3_cross(e, q, through);
  *near2 = vec3_dot(through, through);
  return vec3_dot(line, through);
}

// Can all n points lie in front of both cameras, or all behind both, of the epipolar matrix F? The
// necessary condition that needs no cameras: e2 x x2 and F x1 point to one side for all.
//   O. Chum, T. Werner, J. Matas, Epipolar geometry estimation via RANSAC benefits from the
//   oriented epipolar constraint, ICPR 2004.
lane_fn mask epipolar_oriented(const real* F, const real* x1, const real* y1, const real* x2,
                               const real* y2, index n) {
  real T[9], e[3];
  for (index i = 0; i < 9; ++i) T[i] = F[3 * (i % 3) + i / 3];
  rank2_null(T, e);
  mask ahead = lane(1) > lane(0), behind = ahead;
  for (index i = 0; i < n; ++i) {
    real near2;
    real side = epipolar_side(F, e, x1[i], y1[i], x2[i], y2[i], &near2);
    ahead = ahead & (side > lane(0));
    behind = behind & (side < lane(0));
  }
  return ahead | behind;
}
