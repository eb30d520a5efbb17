// SPDX-License-Identifier: BSD-3-Clause
// Absolute pose and focal length: what the solvers for four scene points share.

// The rows a, b, c of P [3][3] ~ diag(f, f, 1) R and what is behind them of the translation t: pose
// R[9] t[3] with the origin moved by `mean`, then f. Returns where P is one of a camera, whose axis
// sees that origin in front of it.
lane_fn mask pose_focal_of(const real* P, const real* t, const real* mean, real* pose) {
  real norm[3];
  for (index i = 0; i < 3; ++i) norm[i] = sqrt(vec3_dot(P + 3 * i, P + 3 * i));
  real f = lane(0.5) * (norm[0] + norm[1]) / norm[2];
  real sign = copysign(lane(1), mat3_determinant(P));
  for (index i = 0; i < 3; ++i) {
    real scale = sign / norm[i], moved = sign * t[i] / norm[2];
    for (index k = 0; k < 3; ++k) pose[3 * i + k] = P[3 * i + k] * scale;
    moved = i < 2 ? moved / f : moved;
    pose[9 + i] = moved - vec3_dot(pose + 3 * i, mean);
  }
  pose[12] = f;
  return focal_is_plausible(f) & (sign * t[2] > lane(0));
}

// The scene points X [4][3] from their mean, in units of their spread, which is returned.
lane_fn real scene_points_centred(const real* X, real* mean, real* centred) {
  real sum = lane_tiny();
  for (index k = 0; k < 3; ++k) mean[k] = lane(0.25) * (X[k] + X[3 + k] + X[6 + k] + X[9 + k]);
  for (index i = 0; i < 12; ++i) {
    centred[i] = X[i] - mean[i % 3];
    sum += centred[i] * centred[i];
  }
  real spread = sqrt(sum);
  for (index i = 0; i < 12; ++i) centred[i] = centred[i] / spread;
  return spread;
}
