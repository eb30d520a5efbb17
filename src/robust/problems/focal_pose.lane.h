// SPDX-License-Identifier: BSD-3-Clause
// Family of problems, of the family epipolar_pose: F and the focal length f that two pictures of
// one camera share, whose principal point and ratio of focal lengths are known. A model is F in
// scoring coordinates, whose origin is the principal point, with |F| = f in their unit: errors do
// not depend on the length of F. Chart: E = diag(f, f, 1) F diag(f, f, 1) as in
// epipolar_chart.lane.h, with f in the place of its singular values. A problem of this family adds
// its numbers and its solver.

enum {
  CAMERAS = 1,        // given, but for its focal length
  DOF = 6,            // parameters of the chart: 5 of E, and log f
  SIDES = 2,          // see side_candidates
  UNKNOWN_FOCAL = 1,  // see model_focal
  TRIANGULATES = 1,   // an estimate in Python has scene points
  DOMINANT_PLANE = 0  // of a plane f is told badly or not at all, which its deviation says
};

lane_fn real model_focal(const real* model) { return sqrt(mat3_dot(model, model)); }

// F <- F of any length, |F| = f.
lane_fn void focal_model(real f, real* F) { mat3_scale(F, f / sqrt(mat3_dot(F, F))); }

// s: the factors of the elements of F beside those of E, diag(1, 1, f) 1 diag(1, 1, f) and the
// rays'.
lane_fn void focal_scale(real f, const real* rays, real* s) {
  ray_scale(rays, s);
  for (index i = 0; i < 3; ++i) {
    s[3 * i + 2] = s[3 * i + 2] * f;
    s[6 + i] = s[6 + i] * f;
  }
}
lane_fn void model_essential(const real* model, const real* rays, real* E) {
  real s[9];
  focal_scale(model_focal(model), rays, s);
  for (index i = 0; i < 9; ++i) E[i] = model[i] / s[i];
}
// The chart with singular values.
lane_fn void focal_chart(const real* chart, real* out) {
  for (index i = 0; i < 18; ++i) out[i] = chart[i];
  out[18] = lane(0.70710678118654752);
  out[19] = copysign(lane(0.70710678118654752), chart[19]);
}

// The chart [20] around a model.
lane_fn void model_open(const real* model, const real* rays, real* chart) {
  real E[9], f = model_focal(model);
  model_essential(model, rays, E);
  essential_chart(E, chart);
  chart[18] = f;
  chart[19] = copysign(f, chart[19]);
}
lane_fn void model_close(const real* chart, const real* rays, real* model) {
  real own[20], s[9];
  focal_chart(chart, own);
  epipolar_matrix(own, model);
  focal_scale(chart[18], rays, s);
  for (index i = 0; i < 9; ++i) model[i] = model[i] * s[i];
  focal_model(chart[18], model);
}

// D [EQUATIONS][DOF]: derivatives of what the normal equations are in.
lane_fn void model_tangent(const real* chart, const real* rays, real* D) {
  real own[20], s[9], F[9], rotations[45], f = chart[18];
  focal_chart(chart, own);
  epipolar_matrix(own, F);
  epipolar_tangent(own, 5, rotations);
  focal_scale(f, rays, s);
  for (index i = 0; i < 9; ++i) F[i] = F[i] * s[i];
  real scale = f / sqrt(mat3_dot(F, F));
  mat3_scale(F, scale);
  for (index i = 0; i < 9; ++i) {
    for (index j = 0; j < 5; ++j) D[DOF * i + j] = scale * s[i] * rotations[5 * i + j];
    D[DOF * i + 5] = F[i] * lane((i % 3 == 2) + (i / 3 == 2));
  }
  // |F| is f.
  for (index j = 0; j < DOF; ++j) {
    real along = lane(0);
    for (index i = 0; i < 9; ++i) along += F[i] * D[DOF * i + j];
    along = along / (f * f) - lane(j == 5 ? 1 : 0);
    for (index i = 0; i < 9; ++i) D[DOF * i + j] -= along * F[i];
  }
}

lane_fn void model_move(real* chart, const real* delta) {
  epipolar_move(chart, 5, delta);
  real f = focal_moved(chart[18], delta[5]);
  chart[18] = f;
  chart[19] = copysign(f, chart[19]);
}

// Cameras [CAMERA_NUMBERS] add to info the ratio of their focal lengths alone.
lane_fn real camera_info(const real* cameras, real length, real threshold, pair_info* info) {
  real sine = lane(3) * threshold / length;  // of a parallax that noise can make, where f is 1
  info->rays[0] = info->rays[2] = 1;
  info->rays[1] = info->rays[3] = cameras[0] / cameras[1];
  info->parallax = sine * sine;
  return length;
}

// The matrix of the result: F in px, |F| = 1.
lane_fn void result_matrix(const pair_info* info, const real* rays, const real* model, real* F) {
  (void)rays;
  epipolar_in_px(info, model, F);
}
