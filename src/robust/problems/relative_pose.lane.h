// SPDX-License-Identifier: BSD-3-Clause
// What the problems of two calibrated images share. `rays` [4] takes scoring coordinates to rays;
// E is scored as F = diag(a) E diag(b).

// diag(a) 1 diag(b): what takes the elements of E to those of F.
lane_fn void ray_scale(const real* rays, real* s) {
  real a[3] = {rays[2], rays[3], lane(1)}, b[3] = {rays[0], rays[1], lane(1)};
  for (index i = 0; i < 9; ++i) s[i] = a[i / 3] * b[i % 3];
}
lane_fn void essential_scale(const real* rays, real* E) {
  real scale[9];
  ray_scale(rays, scale);
  for (index i = 0; i < 9; ++i) E[i] = E[i] * scale[i];
}
lane_fn void essential_unscale(const real* F, const real* rays, real* E) {
  real scale[9];
  ray_scale(rays, scale);
  for (index i = 0; i < 9; ++i) E[i] = F[i] / scale[i];
}

// Puts a matrix of the lanes in m behind the `kept` ones of `models` [slots][9]; more are dropped.
lane_fn void epipolar_keep(const real* F, mask m, index slots, real* kept, real* models) {
  for (index s = 0; s < slots; ++s) {
    mask here = m & (*kept == lane(s));
    for (index i = 0; i < 9; ++i) models[9 * s + i] = select(here, F[i], models[9 * s + i]);
  }
  *kept = fmin(*kept + select(m, lane(1), lane(0)), lane(slots));
}

// Squared sine of a parallax that noise of three thresholds can make; focal [4].
lane_fn real parallax_limit(const real* focal, real threshold) {
  real least = fmin(fmin(focal[0], focal[1]), fmin(focal[2], focal[3]));
  real sine = lane(3) * threshold / least;
  return sine * sine;
}

// What two cameras [CAMERA_NUMBERS] add to info. Returns px a unit of the errors.
lane_fn real calibrated_info(const real* cameras, real length, real threshold, real* info) {
  real focal[4] = {cameras[0], cameras[1], cameras[4], cameras[5]};
  for (index i = 0; i < 4; ++i) info[INFO_RAYS + i] = length / focal[i];
  info[INFO_PARALLAX] = parallax_limit(focal, threshold);
  return length;
}

// The poses (R0, t) and (R1, t) of pose_candidates, of E given as F: sides [2][12].
lane_fn void essential_sides(const real* F, const real* rays, real* sides) {
  real E[9], R[18], t[3];
  essential_unscale(F, rays, E);
  pose_candidates(E, R, t);
  for (index k = 0; k < 2; ++k) {
    for (index i = 0; i < 9; ++i) sides[12 * k + i] = R[9 * k + i];
    for (index i = 0; i < 3; ++i) sides[12 * k + 9 + i] = t[i];
  }
}

// 1 for a point in front of both cameras of the pose [12], -1 for one that is with -t, else 0.
// *unsure: it is so far that noise decides on which side: the squared sine of its parallax is below
// the limit.
lane_fn real pose_side(const real* pose, const real* rays, const real* p, real limit,
                       mask* unsure) {
  real x1 = rays[0] * p[0], y1 = rays[1] * p[1], x2 = rays[2] * p[2], y2 = rays[3] * p[3];
  real z1, z2;
  real factor = ray_depths(pose, pose + 9, x1, y1, x2, y2, &z1, &z2);
  real lengths2 = (x1 * x1 + y1 * y1 + lane(1)) * (x2 * x2 + y2 * y2 + lane(1));
  *unsure = factor < limit * lengths2;
  real behind = select((z1 < lane(0)) & (z2 < lane(0)), lane(-1), lane(0));
  return select((z1 > lane(0)) & (z2 > lane(0)), lane(1), behind);
}
