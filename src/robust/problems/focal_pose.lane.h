// SPDX-License-Identifier: BSD-3-Clause
// Family of problems within the family epipolar_pose: F and the focal length f shared by two images
// of one camera with known principal point and ratio of focal lengths. A model is F in scoring
// coordinates, whose origin is the principal point. It is scaled to |F| = f in their unit, because
// errors do not depend on the scale of F. Chart: E = diag(f, f, 1) F diag(f, f, 1) as in
// epipolar_chart.lane.h, with f in place of the singular values. A problem of this family adds its
// constants and its solver.

enum {
  CAMERAS = 1,        // given, without its focal length
  DOF = 6,            // parameters of the chart: 5 of E, and log f
  SIDES = 2,          // see side_candidates
  UNKNOWN_FOCAL = 1,  // see model_focal
  TRIANGULATES = 1,   // a Python estimate contains scene points
  // A plane determines f badly or not at all, which the deviation of f reports.
  DOMINANT_PLANE = 0
};

lane_fn real model_focal(const real* model) { return sqrt(mat3_dot(model, model)); }

// Scales F to |F| = f.
lane_fn void focal_model(real f, real* F) { mat3_scale(F, f / sqrt(mat3_dot(F, F))); }

// Computes s, the factors from the elements of E to the elements of F: diag(1, 1, f) 1 diag(1, 1,
// f) times the factors of the rays.
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
// Writes the chart with singular values instead of f.
lane_fn void focal_chart(const real* chart, real* out) {
  for (index i = 0; i < 18; ++i) out[i] = chart[i];
  out[18] = lane(0.70710678118654752);
  out[19] = copysign(lane(0.70710678118654752), chart[19]);
}

// Converts between a model and its chart [20].
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

// Computes D [EQUATIONS][DOF], the derivatives of the unknowns of the normal equations with respect
// to the chart.
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
  // Project out the change of scale, because |F| = f.
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

// Adds the ratio of the focal lengths of the cameras [CAMERA_NUMBERS] to info.
lane_fn real camera_info(const real* cameras, real length, real threshold, pair_info* info) {
  real sine = lane(3) * threshold / length;  // of the largest parallax from noise, for f = 1
  info->rays[0] = info->rays[2] = 1;
  info->rays[1] = info->rays[3] = cameras[0] / cameras[1];
  info->parallax = sine * sine;
  return length;
}

// Writes the matrix of the result: F in px, |F| = 1.
lane_fn void result_matrix(const pair_info* info, const real* rays, const real* model, real* F) {
  (void)rays;
  epipolar_in_px(info, model, F);
}
