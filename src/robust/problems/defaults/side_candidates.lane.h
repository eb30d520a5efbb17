// SPDX-License-Identifier: BSD-3-Clause
// Writes the candidate sides [SIDES][12] of the scene: for SIDES = 2 the poses (R0, t) and (R1, t)
// of pose_candidates. With SIDES = 0 every match may be an inlier.
lane_fn void side_candidates(const real* model, const real* rays, real* sides) {
  if_constant(SIDES == 2) {
    real E[9], R[18], t[3];
    model_essential(model, rays, E);
    pose_candidates(E, R, t);
    for (index k = 0; k < 2; ++k) {
      for (index i = 0; i < 9; ++i) sides[12 * k + i] = R[9 * k + i];
      for (index i = 0; i < 3; ++i) sides[12 * k + 9 + i] = t[i];
    }
  }
  (void)model, (void)rays, (void)sides;
}
