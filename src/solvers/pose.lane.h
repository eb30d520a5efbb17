// SPDX-License-Identifier: BSD-3-Clause
// Relative pose from an essential matrix: E ~ [t]x R with X2 = R X1 + t, |t| = 1.
// If E is scaled to E = [t]x R, its cofactors are t t'R, so R = cof(E) - [t]x E, and the second
// rotation is cof(E) + [t]x E (B. Horn, Recovering baseline and orientation from essential matrix,
// 1990). No singular value decomposition is needed. Solutions: four candidates (R0, t), (R0, -t),
// (R1, t), (R1, -t), exactly one of which has the points in front of both cameras (R. Hartley, A.
// Zisserman, Multiple View Geometry, 2nd ed., 9.6). E has singular values s, s, 0; NaN for E = 0.

// Makes one step of Newton's iteration to the nearest rotation, R (3 I - R'R) / 2, which squares
// the deviation from orthogonality. nearest_rotation() of geometry.hpp takes any matrix.
lane_fn void rotation_mend(real* R) {
  real gram[9], mended[9];
  for (index i = 0; i < 3; ++i) {
    for (index j = 0; j < 3; ++j) {
      gram[3 * i + j] = lane(-0.5) * (R[i] * R[j] + R[3 + i] * R[3 + j] + R[6 + i] * R[6 + j]);
    }
    gram[4 * i] += lane(1.5);
  }
  mat3_mul(R, gram, mended);
  for (index i = 0; i < 9; ++i) R[i] = mended[i];
}

// Computes the candidates of E, which may have any scale. R: [2][9], t: [3] of length 1.
lane_fn void pose_candidates(const real* E, real* R, real* t) {
  real unit[9], cofactors[9], lengths2[3];
  real scale = lane(1.4142135623730951) / sqrt(mat3_dot(E, E));
  for (index i = 0; i < 9; ++i) unit[i] = scale * E[i];
  mat3_cofactors(unit, cofactors);
  // The columns of the cofactors are multiples of t: take the longest.
  for (index j = 0; j < 3; ++j) {
    lengths2[j] = cofactors[j] * cofactors[j] + cofactors[3 + j] * cofactors[3 + j] +
                  cofactors[6 + j] * cofactors[6 + j];
  }
  mask second = lengths2[1] > lengths2[0];
  mask third = lengths2[2] > fmax(lengths2[0], lengths2[1]);
  real length = sqrt(fmax(lengths2[2], fmax(lengths2[0], lengths2[1])));
  for (index i = 0; i < 3; ++i) {
    t[i] = select(third, cofactors[3 * i + 2],
                  select(second, cofactors[3 * i + 1], cofactors[3 * i])) /
           length;
  }
  for (index j = 0; j < 3; ++j) {
    real column[3] = {unit[j], unit[3 + j], unit[6 + j]};
    real cross[3];
    vec3_cross(t, column, cross);
    for (index i = 0; i < 3; ++i) {
      R[3 * i + j] = cofactors[3 * i + j] - cross[i];
      R[9 + 3 * i + j] = cofactors[3 * i + j] + cross[i];
    }
  }
  rotation_mend(R);
  rotation_mend(R + 9);
}

// Computes the depths of the point nearest to both rays, times the squared sine between the rays (a
// factor >= 0): z1 along (x1, y1, 1) in camera 1 and z2 along (x2, y2, 1) in camera 2, so that z1 R
// (x1, y1, 1)' + t = z2 (x2, y2, 1)'. Returns the factor, 0 for parallel rays.
lane_fn real ray_depths(const real* R, const real* t, real x1, real y1, real x2, real y2, real* z1,
                        real* z2) {
  real ray1[3] = {x1, y1, lane(1)};
  real b[3] = {x2, y2, lane(1)};
  real a[3], normal[3], cross[3];
  mat3_apply(R, ray1, a);
  vec3_cross(a, b, normal);
  vec3_cross(b, t, cross);
  *z1 = vec3_dot(cross, normal);
  vec3_cross(a, t, cross);
  *z2 = vec3_dot(cross, normal);
  return vec3_dot(normal, normal);
}

// Returns whether the point is in front of both cameras.
lane_fn mask pose_in_front(const real* R, const real* t, real x1, real y1, real x2, real y2) {
  real z1, z2;
  real factor = ray_depths(R, t, x1, y1, x2, y2, &z1, &z2);
  return (z1 > lane(0)) & (z2 > lane(0)) & (factor > lane(0));
}

// Adds one vote per point in `voters` to the candidate that has the point in front of both cameras:
// counts [4] of (R0, t), (R0, -t), (R1, t), (R1, -t).
lane_fn void pose_vote(const real* R, const real* t, real x1, real y1, real x2, real y2,
                       mask voters, real* counts) {
  for (index c = 0; c < 2; ++c) {
    real z1, z2;
    ray_depths(R + 9 * c, t, x1, y1, x2, y2, &z1, &z2);
    mask ahead = voters & (z1 > lane(0)) & (z2 > lane(0));
    mask behind = voters & (z1 < lane(0)) & (z2 < lane(0));  // in front with -t
    counts[2 * c] += select(ahead, lane(1), lane(0));
    counts[2 * c + 1] += select(behind, lane(1), lane(0));
  }
}

// Computes pose R[9] t[3] f from the rows a, b, c of P [3][3] ~ diag(f, f, 1) R and the last column
// t of the camera matrix; the origin is moved by `mean`. Returns the mask of lanes in which P is a
// valid camera that has that origin in front of it.
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

// Shifts the scene points X [4][3] to their mean and divides them by their spread,
// which is returned.
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
