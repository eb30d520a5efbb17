// SPDX-License-Identifier: BSD-3-Clause
// Eight parameters of a homography near H with |H| = 1: the tangent space of the unit sphere at H.

// Computes D [9][8], an orthonormal basis of the space orthogonal to H: the first columns of the
// Householder reflection that maps H to the last axis.
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

// Computes A [8][8] = D' N D (lower triangle) and b [8] = D' g for the tangent D at H. N [45] is a
// packed lower triangle. The reflection changes the symmetric matrix N to N - v q' - q v'.
lane_fn void homography_reduce(const real* H, const real* N, const real* g, real* A, real* b) {
  real v[9], q[9], vq = lane(0), vg = lane(0);
  for (index i = 0; i < 9; ++i) v[i] = H[i];
  v[8] += copysign(lane(1), H[8]);
  real beta = lane(1) / (lane(1) + fabs(H[8]));
  for (index i = 0; i < 9; ++i) {
    real sum = lane(0);
    for (index k = 0; k < 9; ++k) {
      sum += N[i > k ? i * (i + 1) / 2 + k : k * (k + 1) / 2 + i] * v[k];
    }
    q[i] = beta * sum;
    vq += v[i] * q[i];
    vg += v[i] * g[i];
  }
  real shift = lane(0.5) * beta * vq;
  vg = beta * vg;
  for (index i = 0; i < 9; ++i) q[i] -= shift * v[i];
  for (index i = 0; i < 8; ++i) {
    for (index j = 0; j <= i; ++j) {
      A[8 * i + j] = N[i * (i + 1) / 2 + j] - v[i] * q[j] - q[i] * v[j];
    }
    b[i] = g[i] - vg * v[i];
  }
}

// H <- H + D delta, scaled to norm 1.
lane_fn void homography_move(real* H, const real* delta) {
  real v[9], dot = lane(0);
  for (index i = 0; i < 9; ++i) v[i] = H[i];
  v[8] += copysign(lane(1), H[8]);
  for (index i = 0; i < 8; ++i) dot += v[i] * delta[i];
  dot = dot / (lane(1) + fabs(H[8]));
  for (index i = 0; i < 8; ++i) H[i] += delta[i];
  for (index i = 0; i < 9; ++i) H[i] -= dot * v[i];
  mat3_normalise(H);
}
