// SPDX-License-Identifier: BSD-3-Clause
// Family of problems within the family camera_pose: the camera is calibrated, and a model is (R,
// t). Scoring coordinates of the image: the normalised image plane.

enum {
  EQUATIONS = 6,  // rows of the normal equations: a small rotation and shift of the camera
  TERMS = 14      // numbers of a linearised point
};

// Computes the terms of the normal equations at point p: the derivatives J [2][6] and the residuals
// [2]. Returns the squared error, NaN behind the camera.
lane_fn real point_linearise(const real* P, const real* p, const real* focal, real* terms) {
  real cam[3];
  real* r = terms + 12;
  real z = reprojection_residual(P, p[0], p[1], p + 2, focal[0], focal[1], cam, r);
  reprojection_jacobian(cam, focal[0], focal[1], terms);
  return select(z > lane(0), r[0] * r[0] + r[1] * r[1], lane_nan());
}

// Adds the focal lengths of the camera to info. Returns the pixels per unit of the errors.
lane_fn real camera_info(const real* cameras, real length, real threshold, pair_info* info) {
  (void)length, (void)threshold;
  info->focal[0] = cameras[0];
  info->focal[1] = cameras[1];
  return lane(1);
}

// Converts a given point [COLUMNS] to scoring coordinates.
lane_fn void point_columns(const real* given, const real* cameras, const pair_info* info,
                           real* columns) {
  for (index c = 0; c < 2; ++c) columns[c] = (given[c] - cameras[2 + c]) / cameras[c];
  scene_columns(given, info, columns);
}

// Writes the result: the matrix is the rotation, the pose is in the caller's world coordinates.
lane_fn void result_matrix(const pair_info* info, const real* rays, const real* model, real* R) {
  (void)info, (void)rays;
  for (index i = 0; i < 9; ++i) R[i] = model[i];
}
lane_fn void result_pose(const pair_info* info, const real* model, const real* side, real* pose) {
  (void)side;
  pose_in_world(info, model, pose);
}
