// SPDX-License-Identifier: BSD-3-Clause
// Family of problems, of the family epipolar: F of cameras whose focal lengths are not known. The
// epipole tells the side of the scene.

enum {
  HAS_POSE = 0,  // the model has one
  SIDES = 1      // see side_candidates
};

// A side [12] of the scene: see epipole_side.
lane_fn void side_candidates(const real* model, const real* rays, real* sides) {
  (void)rays;
  epipole_side(model, sides);
}

// Points nearer to the epipole than three thresholds may be on either side.
lane_fn real side_limit(const real* side, real inverse_squared_threshold, real parallax) {
  (void)parallax;
  return lane(9) / inverse_squared_threshold * side[2] * side[2];
}

// The matrix of the result: F in px, |F| = 1.
lane_fn void result_matrix(const pair_info* info, const real* rays, const real* model, real* F) {
  (void)rays;
  epipolar_in_px(info, model, F);
}
