// SPDX-License-Identifier: BSD-3-Clause
// Cases of the functions that solvers share.

lane_fn void case_essential_action_matrix(const real* in, real* out) {
  real equations[45], N[36];
  for (index i = 0; i < 5; ++i)
    epipolar_equation(in[i], in[5 + i], in[10 + i], in[15 + i], equations + 9 * i);
  null_space(equations, 5, 9, N);
  essential_action_matrix(N, out);
}

lane_fn void case_essential_at_eigenvector(const real* in, real* out) {
  essential_at_eigenvector(in, in + 36, out);
}

// Makes a rotated camera and five points that both cameras see from 21 numbers: E = [t]x R, and the
// image points x [4][5].
lane_fn void case_two_views(const real* in, real* E, real* x) {
  real R[9], column[3], cross[3];
  rotation_cayley(in, R);
  for (index j = 0; j < 3; ++j) {
    for (index i = 0; i < 3; ++i) column[i] = R[3 * i + j];
    vec3_cross(in + 3, column, cross);
    for (index i = 0; i < 3; ++i) E[3 * i + j] = cross[i];
  }
  for (index k = 0; k < 5; ++k) {
    real X[3] = {in[6 + 3 * k], in[7 + 3 * k], lane(8) + fabs(in[8 + 3 * k])}, Y[3];
    mat3_apply(R, X, Y);
    x[k] = X[0] / X[2];
    x[5 + k] = X[1] / X[2];
    x[10 + k] = (Y[0] + in[3]) / (Y[2] + in[5]);
    x[15 + k] = (Y[1] + in[4]) / (Y[2] + in[5]);
  }
}

// Candidates are determined up to order and sign.
lane_fn void case_pose_candidates(const real* in, real* out) {
  real E[9], x[20], R[18];
  case_two_views(in, E, x);
  pose_candidates(E, R, out + 9);
  for (index i = 0; i < 9; ++i) out[i] = R[i] * R[9 + i];
  for (index i = 9; i < 12; ++i) out[i] = fabs(out[i]);
}

lane_fn void case_triangulate(const real* in, real* out) {
  // A rotation about y (7:24:25) and a baseline mostly along x.
  real R[9] = {lane(0.96), lane(0),    lane(-0.28), lane(0),   lane(1),
               lane(0),    lane(0.28), lane(0),     lane(0.96)};
  real t[3] = {lane(0.9), lane(0.3), lane(0.1)};
  triangulate(R, t, in[0], in[5], in[10], in[15], out);
  out[3] = parallax_tangent(R, in[0], in[5], in[10], in[15]);
  out[4] = select(pose_in_front(R, t, in[0], in[5], in[10], in[15]), lane(1), lane(0));
}

// Tests whether three points, or all seven, are consistently oriented with the first solution of
// the seven points.
lane_fn void case_epipolar_oriented(const real* in, real* out) {
  real F[27];
  fundamental_7pt(in, in + 7, in + 14, in + 21, F);
  mask some = epipolar_oriented(F, in, in + 7, in + 14, in + 21, 3);
  mask all_of_them = epipolar_oriented(F, in, in + 7, in + 14, in + 21, 7);
  out[0] = select(some, lane(1), lane(0));
  out[1] = select(all_of_them, lane(1), lane(0));
}
