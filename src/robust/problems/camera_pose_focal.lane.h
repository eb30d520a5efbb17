// SPDX-License-Identifier: BSD-3-Clause
// Problem: the pose and the focal length f of a camera from four scene points
// (family camera_pose). The principal point and the ratio of the focal lengths are
// known. Solver: solvers/p35p_focal.lane.h.
//   C. Wu, P3.5P: pose estimation with unknown focal length, CVPR 2015
// Scoring coordinates of the image: origin at the principal point, square pixels, and the points'
// mean distance from the principal point as the unit. A model is P = diag(f, f, 1) [R | t]: a point
// of the image is the first two elements of P (X, 1) divided by the third. It is stored as f r1, f
// r2, r3, f t1, f t2, t3. Chart: (R, t, f), moved by a small rotation and shift of the camera frame
// and a step of log f.

enum {
  EQUATIONS = 7,  // rows of the normal equations: the parameters of the chart
  TERMS = 16,     // numbers of a linearised point
  SAMPLE_SIZE = 4,
  SLOTS = 4,              // largest number of kept models of a sample
  TARGET_PERCENT = 10,    // smallest inlier ratio to find in one pair of 1000 matches, in percent
  SAMPLE_COST = 10000,    // time to solve a sample, in scored points
  DOF = 7,                // parameters of the chart
  DIRECT_CHART = 1,       // they are the unknowns of the normal equations
  UNKNOWN_FOCAL = 1,      // see model_focal
  LINE_IS_DEGENERATE = 0  // not tested: points on an image line may be spread in the scene
};

lane_fn real model_focal(const real* P) { return sqrt(vec3_dot(P, P)); }

// Computes the terms of the normal equations at point p: the derivatives J [2][7] and the residuals
// [2]. Returns the squared error, NaN behind the camera.
lane_fn real point_linearise(const real* P, const real* p, const real* focal, real* terms) {
  real seen[3], cam[3], J[12], f = model_focal(P);
  real* r = terms + 14;
  real z = reprojection_residual(P, p[0], p[1], p + 2, focal[0], focal[1], seen, r);
  cam[0] = seen[0] / f;
  cam[1] = seen[1] / f;
  cam[2] = z;
  reprojection_jacobian(cam, f * focal[0], f * focal[1], J);
  for (index k = 0; k < 2; ++k) {
    for (index i = 0; i < 6; ++i) terms[7 * k + i] = J[6 * k + i];
    terms[7 * k + 6] = focal[k] * seen[k] / z;
  }
  return select(z > lane(0), r[0] * r[0] + r[1] * r[1], lane_nan());
}

// P <- diag(f, f, 1) P, for P = (R, t).
lane_fn void focal_pose(real f, real* P) {
  for (index i = 0; i < 6; ++i) P[i] = P[i] * f;
  for (index i = 9; i < 11; ++i) P[i] = P[i] * f;
}

// Writes the models [SLOTS][MODEL_SIZE] of a sample p [COLUMNS][SAMPLE_SIZE]; returns their number.
lane_fn real sample_models(const real* p, const real* rays, real* models) {
  (void)rays;
  enum { ROOTS = 10 };
  real scene[12], solutions[13 * ROOTS], kept = lane(0);
  for (index i = 0; i < (index)MODEL_SIZE * SLOTS; ++i) models[i] = lane_nan();
  for (index i = 0; i < 4; ++i) {
    for (index k = 0; k < 3; ++k) scene[3 * i + k] = p[4 * (2 + k) + i];
  }
  real count = p35p_focal(p, p + 4, scene, solutions);
  for (index s = 0; s < ROOTS; ++s) {
    real* own = solutions + 13 * s;
    mask valid = count > lane(s);
    if (!any(valid)) continue;
    focal_pose(own[12], own);
    // The solver does not use the last of the eight equations, which rejects false roots.
    real e = reprojection_squared(own, p[3], p[7], scene + 9, lane(1), lane(1));
    valid = valid & (e < lane(0.01));
    mask has_slot = kept < lane(SLOTS);
    kept =
        solution_keep(valid & has_slot, own, MODEL_SIZE, s < SLOTS ? s : SLOTS - 1, kept, models);
  }
  return kept;
}

// Writes the chart [20] at a model. The rotation is orthonormalised, because models of samples are
// kept in float.
lane_fn void model_open(const real* model, const real* rays, real* chart) {
  (void)rays;
  real f = model_focal(model);
  for (index i = 0; i < 12; ++i) chart[i] = model[i];
  focal_pose(lane(1) / f, chart);
  rotation_mend(chart);
  chart[12] = f;
}
lane_fn void model_close(const real* chart, const real* rays, real* model) {
  (void)rays;
  for (index i = 0; i < 12; ++i) model[i] = chart[i];
  focal_pose(chart[12], model);
}

// Multiplies the focal length and the distance from the scene by `factor`.
lane_fn void model_zoom(real* model, real factor) {
  focal_pose(factor, model);
  model[11] = model[11] * factor;
}

// Solves the damped normal equations N, g [EQUATIONS] at a chart for delta (see damped_step). rays
// [0] = 1 holds f fixed.
lane_fn real model_step(const real* N, const real* g, const real* chart, const real* rays,
                        real damping, real* delta) {
  (void)chart;
  real A[DOF * DOF], free = lane(1) - rays[0];
  for (index i = 0; i < DOF; ++i) {
    real own = i == 6 ? free : lane(1);
    for (index j = 0; j <= i; ++j)
      A[DOF * i + j] = N[i * (i + 1) / 2 + j] * (j < i ? own : lane(1));
    delta[i] = g[i] * own;
  }
  return damped_solve(A, delta, DOF, damping);
}

lane_fn void model_move(real* chart, const real* delta) {
  pose_move(chart, delta);
  chart[12] = focal_moved(chart[12], delta[6]);
}

// Adds the ratio of the focal lengths of the camera to info. Returns the pixels per unit of
// the errors.
lane_fn real camera_info(const real* cameras, real length, real threshold, pair_info* info) {
  (void)length, (void)threshold;
  info->focal[0] = info->centre[3];
  info->focal[1] = info->centre[3] * (cameras[1] / cameras[0]);
  return lane(1);
}

// Converts a given point [COLUMNS] to scoring coordinates.
lane_fn void point_columns(const real* given, const real* cameras, const pair_info* info,
                           real* columns) {
  for (index c = 0; c < 2; ++c) columns[c] = (given[c] - cameras[2 + c]) / lane(info->focal[c]);
  scene_columns(given, info, columns);
}

// Writes the result: the matrix is the rotation, the pose is in the caller's world coordinates.
lane_fn void result_matrix(const pair_info* info, const real* rays, const real* model, real* R) {
  (void)info, (void)rays;
  real f = model_focal(model);
  for (index i = 0; i < 9; ++i) R[i] = i < 6 ? model[i] / f : model[i];
}
lane_fn void result_pose(const pair_info* info, const real* model, const real* side, real* pose) {
  (void)side;
  real own[12];
  for (index i = 0; i < 12; ++i) own[i] = model[i];
  focal_pose(lane(1) / model_focal(model), own);
  pose_in_world(info, own, pose);
}
