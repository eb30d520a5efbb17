// SPDX-License-Identifier: BSD-3-Clause
// Family of problems within the family epipolar: F of cameras with unknown focal lengths. The
// epipole determines the side of the scene.

enum {
  HAS_POSE = 0,  // the model contains no pose
  SIDES = 1      // see side_candidates
};

// Writes the only candidate side [12] of the scene (see epipole_side).
lane_fn void side_candidates(const real* model, const real* rays, real* sides) {
  (void)rays;
  epipole_side(model, sides);
}

// Returns the limit for point_side: points within three thresholds of the epipole may be on
// either side.
lane_fn real side_limit(const real* side, real inverse_squared_threshold, real parallax) {
  (void)parallax;
  return lane(9) / inverse_squared_threshold * side[2] * side[2];
}

// Writes the matrix of the result: F in px, |F| = 1.
lane_fn void result_matrix(const pair_info* info, const real* rays, const real* model, real* F) {
  (void)rays;
  epipolar_in_px(info, model, F);
}
