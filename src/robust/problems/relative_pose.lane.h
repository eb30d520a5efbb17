// SPDX-License-Identifier: BSD-3-Clause
// Family of problems within the family epipolar_pose: the relative pose of two calibrated images. A
// problem of this family adds its constants, its solver, its chart and side_candidates.

enum {
  CAMERAS = 2,        // number of given cameras
  DOMINANT_PLANE = 0  // a plane determines E
};

// Number of samples after which a pair of n points is given up (see fundamental.lane.h).
lane_fn real hypotheses_before_giving_up(real n) { return lane(1.4e6) / n; }

// Squared sine of a parallax that noise of three thresholds can cause; focal [4].
lane_fn real parallax_limit(const real* focal, real threshold) {
  real least = fmin(fmin(focal[0], focal[1]), fmin(focal[2], focal[3]));
  real sine = lane(3) * threshold / least;
  return sine * sine;
}

// Adds the factors to rays and the parallax limit of the cameras [CAMERA_NUMBERS] to info. Returns
// the pixels per unit of the errors.
lane_fn real camera_info(const real* cameras, real length, real threshold, pair_info* info) {
  real focal[4] = {cameras[0], cameras[1], cameras[4], cameras[5]};
  for (index i = 0; i < 4; ++i) info->rays[i] = length / focal[i];
  info->parallax = parallax_limit(focal, threshold);
  return length;
}

// Writes the matrix of the result: E of normalised points, |E| = 1.
lane_fn void result_matrix(const pair_info* info, const real* rays, const real* model, real* E) {
  (void)info;
  essential_unscale(model, rays, E);
  mat3_normalise(E);
}
