// SPDX-License-Identifier: BSD-3-Clause
// Six parameters of a pose near (R, t), a small rotation w and shift s of the camera frame, and one
// parameter of a focal length.

// P [12] = (R, t) <- (exp(w) R, exp(w) t + s) with delta = (w, s).
lane_fn void pose_move(real* P, const real* delta) {
  real W[9], R[9], t[3];
  rotation_cayley(delta, W);
  mat3_mul(W, P, R);
  mat3_apply(W, P + 9, t);
  for (index i = 0; i < 9; ++i) P[i] = R[i];
  for (index i = 0; i < 3; ++i) P[9 + i] = t[i] + delta[3 + i];
}

// Returns f exp(step) to second order, clamped to plausible values for coordinates of about
// unit size.
lane_fn real focal_moved(real f, real step) {
  real h = fmax(lane(-0.25), fmin(lane(0.5) * step, lane(0.25)));
  return fmax(lane(0.02), fmin(f * (lane(1) + h) / (lane(1) - h), lane(100)));
}
