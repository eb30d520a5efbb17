// SPDX-License-Identifier: BSD-3-Clause
// Can (x1, y1) <-> (x2, y2), rays, be a match under a pose? It is in front of both cameras, or so
// far that noise decides on which side: the squared sine of its parallax is below `noise2`.

lane_fn mask pose_admits(const real* R, const real* t, real x1, real y1, real x2, real y2,
                         real noise2) {
  real z1, z2;
  real factor = ray_depths(R, t, x1, y1, x2, y2, &z1, &z2);
  real lengths2 = (x1 * x1 + y1 * y1 + lane(1)) * (x2 * x2 + y2 * y2 + lane(1));
  return ((z1 > lane(0)) & (z2 > lane(0))) | (factor < noise2 * lengths2);
}

// On which side of F x1 the epipole e2 (e2'F = 0) has x2: positive for all points in front of both
// cameras or for all behind one (problem.lane.h). *near2: squared distance of x2 from the epipole
// times e[2]^2.
lane_fn real epipolar_side(const real* F, const real* e, real x1, real y1, real x2, real y2,
                           real* near2) {
  real p[3] = {x1, y1, lane(1)}, q[3] = {x2, y2, lane(1)}, line[3], through[3];
  mat3_apply(F, p, line);
  vec3_cross(e, q, through);
  *near2 = vec3_dot(through, through);
  return vec3_dot(line, through);
}
