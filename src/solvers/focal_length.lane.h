// SPDX-License-Identifier: BSD-3-Clause
// Focal lengths.

// Plausible focal lengths for coordinates of about unit size.
lane_fn mask focal_is_plausible(real f) { return (f > lane(0.05)) & (f < lane(50)); }

// Returns f of F = [A b; c' d] of two images with this focal length: E = K F K with K = diag(f, f,
// 1) is an essential matrix. f is the least-squares solution of five equations that are linear in q
// = 1 / f^2; NaN if f is not real.
lane_fn real focal_length_of(const real* F) {
  real p[2], q[2];  // A'b, A c
  for (index k = 0; k < 2; ++k) {
    p[k] = F[k] * F[2] + F[3 + k] * F[5];
    q[k] = F[3 * k] * F[6] + F[3 * k + 1] * F[7];
  }
  real b2 = F[2] * F[2] + F[5] * F[5], c2 = F[6] * F[6] + F[7] * F[7], d = F[8];
  real p2 = p[0] * p[0] + p[1] * p[1], q2 = q[0] * q[0] + q[1] * q[1];
  real across = F[2] * q[0] + F[5] * q[1], common = d * across - b2 * c2;
  // (1) and (2) of relative_pose_6pt_shared_focal.lane.h, |c|^2 times the last column times b minus
  // |b|^2 times the last row times c, and the last row and column orthogonal to c and b.
  real rest[5] = {d * p2 - b2 * across, d * q2 - c2 * across, c2 * p2 - b2 * q2,
                  (F[0] * q[0] + F[3] * q[1]) * -F[7] + (F[1] * q[0] + F[4] * q[1]) * F[6],
                  (F[0] * p[0] + F[1] * p[1]) * -F[5] + (F[3] * p[0] + F[4] * p[1]) * F[2]};
  real slope[5] = {d * common, d * common, (c2 - b2) * common, d * (p[1] * F[6] - p[0] * F[7]),
                   d * (q[1] * F[2] - q[0] * F[5])};
  real above = lane(0), below = lane(0);
  for (index i = 0; i < 5; ++i) {
    above -= slope[i] * rest[i];
    below += slope[i] * slope[i];
  }
  return sqrt(below / above);
}
