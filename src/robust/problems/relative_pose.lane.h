// SPDX-License-Identifier: BSD-3-Clause
// Family of problems, of the family epipolar: the relative pose of two calibrated images. `rays`
// [4] takes scoring coordinates to rays; E is scored as F = diag(a) E diag(b). A side of the scene
// is a pose [12]. A problem of this family adds its numbers, its solver, its chart and
// side_candidates.

enum {
  CAMERAS = 2,        // that are given
  HAS_POSE = 1,       // the model has one
  DOMINANT_PLANE = 0  // a plane determines E
};

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

// Samples after which a pair of n points is given up (see fundamental.lane.h).
#define OWN_hypotheses_before_giving_up
lane_fn real hypotheses_before_giving_up(real n) { return lane(1.4e6) / n; }

// Squared sine of a parallax that noise of three thresholds can make; focal [4].
lane_fn real parallax_limit(const real* focal, real threshold) {
  real least = fmin(fmin(focal[0], focal[1]), fmin(focal[2], focal[3]));
  real sine = lane(3) * threshold / least;
  return sine * sine;
}

// What the cameras [CAMERA_NUMBERS] add to info. Returns px in a unit of the errors.
#define OWN_camera_info
lane_fn real camera_info(const real* cameras, real length, real threshold, real* info) {
  real focal[4] = {cameras[0], cameras[1], cameras[4], cameras[5]};
  for (index i = 0; i < 4; ++i) info[INFO_RAYS + i] = length / focal[i];
  info[INFO_PARALLAX] = parallax_limit(focal, threshold);
  return length;
}

// 1 for a point in front of both cameras of the pose [12], -1 for one that is with -t, else 0.
// *unsure: it is so far that noise decides on which side: the squared sine of its parallax is below
// the limit.
#define OWN_point_side
lane_fn real point_side(const real* model, const real* pose, const real* rays, const real* p,
                        real limit, mask* unsure) {
  (void)model;
  real x1 = rays[0] * p[0], y1 = rays[1] * p[1], x2 = rays[2] * p[2], y2 = rays[3] * p[3];
  real z1, z2;
  real factor = ray_depths(pose, pose + 9, x1, y1, x2, y2, &z1, &z2);
  real lengths2 = (x1 * x1 + y1 * y1 + lane(1)) * (x2 * x2 + y2 * y2 + lane(1));
  *unsure = factor < limit * lengths2;
  real behind = select((z1 < lane(0)) & (z2 < lane(0)), lane(-1), lane(0));
  return select((z1 > lane(0)) & (z2 > lane(0)), lane(1), behind);
}

// The matrix of the result: E of normalised points, |E| = 1.
lane_fn void result_matrix(const real* info, const real* model, real* E) {
  essential_unscale(model, info + INFO_RAYS, E);
  mat3_normalise(E);
}
#define OWN_result_pose
lane_fn void result_pose(const real* info, const real* model, const real* side, real* pose) {
  (void)info, (void)model;
  for (index i = 0; i < 12; ++i) pose[i] = side[i];
}
