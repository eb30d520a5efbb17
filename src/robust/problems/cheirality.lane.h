// SPDX-License-Identifier: BSD-3-Clause
// The side of the cameras on which points lie, as far as an epipolar matrix determines it.

// Returns the side of the line F x1, relative to the epipole e2 (e2'F = 0), on which x2 lies. All
// points in front of both cameras have one sign, and points behind one camera have the opposite
// sign. *near2: squared distance of x2 from the epipole, times e[2]^2.
lane_fn real epipolar_side(const real* F, const real* e, real x1, real y1, real x2, real y2,
                           real* near2) {
  real p[3] = {x1, y1, lane(1)}, q[3] = {x2, y2, lane(1)}, line[3], through[3];
  mat3_apply(F, p, line);
  vec3_cross(e, q, through);
  *near2 = vec3_dot(through, through);
  return vec3_dot(line, through);
}

// Sets the side [12] of a matrix without known cameras, which replaces the pose: the epipole e2 [3]
// and, in element 9, the sign of epipolar_side for points in front of both cameras.
lane_fn void epipole_side(const real* F, real* side) {
  real T[9];
  for (index i = 0; i < 9; ++i) T[i] = F[3 * (i % 3) + i / 3];
  for (index i = 0; i < 12; ++i) side[i] = lane(0);
  rank2_null(T, side);
  side[9] = lane(1);
}

// Computes G [9] with x2' G x1 = F x1 . (e2 x x2) for homogeneous x1 and x2, up to a
// positive factor.
lane_fn void epipolar_sides(const real* F, real* G) {
  real T[9], e[3];
  for (index i = 0; i < 9; ++i) T[i] = F[3 * (i % 3) + i / 3];
  rank2_direction(T, e);
  for (index c = 0; c < 3; ++c) {  // columns F_c x e
    const real column[3] = {F[c], F[3 + c], F[6 + c]};
    real moved[3];
    vec3_cross(column, e, moved);
    for (index r = 0; r < 3; ++r) G[3 * r + c] = moved[r];
  }
}

// Returns whether x2' G x1 has the same sign for n more points: positive where `ahead`, negative
// where `behind` was still possible.
lane_fn mask epipolar_one_side(const real* G, const real* x1, const real* y1, const real* x2,
                               const real* y2, index n, mask ahead, mask behind) {
  for (index i = 0; i < n; ++i) {
    real a = G[0] * x1[i] + G[1] * y1[i] + G[2], b = G[3] * x1[i] + G[4] * y1[i] + G[5];
    real side = x2[i] * a + y2[i] * b + (G[6] * x1[i] + G[7] * y1[i] + G[8]);
    ahead = ahead & (side > lane(0));
    behind = behind & (side < lane(0));
  }
  return ahead | behind;
}

// Returns whether all n points can lie in front of both cameras, or all behind both, for the
// epipolar matrix F. This necessary condition needs no cameras: e2 x x2 and F x1 must point to the
// same side for all points.
//   O. Chum, T. Werner, J. Matas, Epipolar geometry estimation via RANSAC benefits from the
//   oriented epipolar constraint, ICPR 2004.
lane_fn mask epipolar_oriented(const real* F, const real* x1, const real* y1, const real* x2,
                               const real* y2, index n) {
  real G[9];
  epipolar_sides(F, G);
  mask all = lane(1) > lane(0);
  return epipolar_one_side(G, x1, y1, x2, y2, n, all, all);
}

// Tests epipolar_oriented for a matrix in affine coordinates, with the points (0, 0), (1, 0) and
// (0, 1) of both images and four more, uv [4][4]. The condition does not depend on the coordinates.
lane_fn mask epipolar_oriented_in_frames(const real* F, const real* uv) {
  real G[9];
  epipolar_sides(F, G);
  real right = G[0] + G[2] + G[6] + G[8], up = G[4] + G[5] + G[7] + G[8];
  mask ahead = (G[8] > lane(0)) & (right > lane(0)) & (up > lane(0));
  mask behind = (G[8] < lane(0)) & (right < lane(0)) & (up < lane(0));
  return epipolar_one_side(G, uv, uv + 4, uv + 8, uv + 12, 4, ahead, behind);
}
