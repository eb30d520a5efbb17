// SPDX-License-Identifier: BSD-3-Clause
// Problem: the pose of a calibrated camera from three scene points (family camera_pose). Solver:
// solvers/p3p.lane.h. Chart: (R, t), moved by a small rotation and shift of the camera frame.

enum {
  SAMPLE_SIZE = 3,
  SLOTS = 4,              // largest number of models of a sample
  TARGET_PERCENT = 10,    // smallest inlier ratio to find in one pair of 1000 matches, in percent
  SAMPLE_COST = 500,      // time to solve a sample, in scored points
  DOF = 6,                // parameters of the chart
  DIRECT_CHART = 1,       // they are the unknowns of the normal equations
  LINE_IS_DEGENERATE = 0  // not tested: points on an image line may be spread in the scene
};

// Writes the models [SLOTS][MODEL_SIZE] of a sample p [COLUMNS][SAMPLE_SIZE]; returns their number.
lane_fn real sample_models(const real* p, const real* rays, real* models) {
  (void)rays;
  real bearings[9], scene[9];
  for (index i = 0; i < 3; ++i) {
    real x = p[i], y = p[3 + i], scale = lane(1) / sqrt(x * x + y * y + lane(1));
    bearings[3 * i] = x * scale;
    bearings[3 * i + 1] = y * scale;
    bearings[3 * i + 2] = scale;
    for (index k = 0; k < 3; ++k) scene[3 * i + k] = p[3 * (2 + k) + i];
  }
  return p3p(bearings, scene, models);
}

// Writes the chart [20] at a model. The rotation is orthonormalised, because models of samples are
// kept in float.
lane_fn void model_open(const real* model, const real* rays, real* chart) {
  (void)rays;
  for (index i = 0; i < 12; ++i) chart[i] = model[i];
  rotation_mend(chart);
}

lane_fn void model_move(real* chart, const real* delta) { pose_move(chart, delta); }
