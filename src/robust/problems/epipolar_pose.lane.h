// SPDX-License-Identifier: BSD-3-Clause
// Family of problems within the family epipolar: epipolar matrices that have a relative pose.
// `rays` [4] scales scoring coordinates to rays; if f is unknown, times 1 / model_focal. E is
// scored as F = diag(a) E diag(b). A side of the scene is a pose [12].

enum { HAS_POSE = 1 };  // the model contains a pose

// s = diag(a) 1 diag(b): the factors from the elements of E to the elements of F.
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

// Returns 1 for a point in front of both cameras of the pose [12], -1 for a point that is in front
// of both with -t, else 0. *unsure: the point is so far away that noise decides its side, i.e. the
// squared sine of its parallax is below the limit.
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

lane_fn void result_pose(const pair_info* info, const real* model, const real* side, real* pose) {
  (void)info, (void)model;
  for (index i = 0; i < 12; ++i) pose[i] = side[i];
}
