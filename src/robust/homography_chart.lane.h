// SPDX-License-Identifier: BSD-3-Clause
// Eight parameters of a homography near H with |H| = 1: the tangent space of the unit sphere.

// D [9][8]: orthonormal basis of the space orthogonal to H, the columns of the Householder
// reflection that maps H to the last axis.
lane_fn void homography_tangent(const real* H, real* D) {
  real v[9];
  for (index i = 0; i < 9; ++i) v[i] = H[i];
  v[8] += copysign(lane(1), H[8]);
  // |v|^2 / 2 = 1 + |H[8]|
  real beta = lane(1) / (lane(1) + fabs(H[8]));
  for (index i = 0; i < 9; ++i) {
    for (index j = 0; j < 8; ++j) D[8 * i + j] = -beta * v[i] * v[j];
    if (i < 8) D[9 * i] += lane(1);
  }
}

// H <- H + D delta, scaled to norm 1.
lane_fn void homography_move(real* H, const real* D, const real* delta) {
  for (index i = 0; i < 9; ++i) {
    for (index j = 0; j < 8; ++j) H[i] += D[8 * i + j] * delta[j];
  }
  mat3_normalise(H);
}
