// SPDX-License-Identifier: BSD-3-Clause
// Problem: the homography of two images, x2 ~ H x1, from four matches (family plane_map). Solver:
// solvers/homography_4pt.lane.h. Chart: H with |H| = 1, and steps in the tangent space of the unit
// sphere at H.

enum {
  SAMPLE_SIZE = 4,
  SLOTS = 1,              // largest number of models of a sample
  TARGET_PERCENT = 10,    // smallest inlier ratio to find in one pair of 1000 matches, in percent
  SAMPLE_COST = 400,      // time to solve a sample, in scored points
  DOF = 8,                // parameters of the chart
  LINE_IS_DEGENERATE = 1  // inliers on a line of an image do not determine the model
};

// Writes the models [SLOTS][MODEL_SIZE] of a sample p [COLUMNS][SAMPLE_SIZE]; returns their number.
lane_fn real sample_models(const real* p, const real* rays, real* models) {
  (void)rays;
  return homography_4pt(p, p + 4, p + 8, p + 12, models);
}

// Writes the chart [20] at a model.
lane_fn void model_open(const real* model, const real* rays, real* chart) {
  (void)rays;
  for (index i = 0; i < 9; ++i) chart[i] = model[i];
  mat3_normalise(chart);
}

// Computes D [EQUATIONS][DOF], the derivatives of the unknowns of the normal equations with respect
// to the chart.
lane_fn void model_tangent(const real* chart, const real* rays, real* D) {
  (void)rays;
  homography_tangent(chart, D);
}

// Solves the damped normal equations N, g [EQUATIONS] at a chart for delta (see damped_step).
lane_fn real model_step(const real* N, const real* g, const real* chart, const real* rays,
                        real damping, real* delta) {
  (void)rays;
  real A[64];
  homography_reduce(chart, N, g, A, delta);
  return damped_solve(A, delta, DOF, damping);
}

lane_fn void model_move(real* chart, const real* delta) { homography_move(chart, delta); }
