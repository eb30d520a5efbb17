// SPDX-License-Identifier: BSD-3-Clause
// Problem: the homography of two images, x2 ~ H x1, from four matches (family plane_map).
// Solver: solvers/homography_4pt.lane.h. Chart: H with |H| = 1, and the tangent space of the unit
// sphere there.

enum {
  SAMPLE_SIZE = 4,
  SLOTS = 1,              // models of a sample at most
  SOUGHT_PERCENT = 10,    // of 1000 matches, in RANSAC on one pair
  SAMPLE_COST = 400,      // of solving a sample: scored points that take as long
  DOF = 8,                // parameters of the chart
  LINE_IS_DEGENERATE = 1  // inliers on a line of an image do not determine the model
};

// Models [SLOTS][MODEL_SIZE] of a sample p [COLUMNS][SAMPLE_SIZE]; returns their number.
lane_fn real sample_models(const real* p, const real* rays, real* models) {
  (void)rays;
  return homography_4pt(p, p + 4, p + 8, p + 12, models);
}

// The chart [20] around a model.
lane_fn void model_open(const real* model, const real* rays, real* chart) {
  (void)rays;
  for (index i = 0; i < 9; ++i) chart[i] = model[i];
  mat3_normalise(chart);
}

// D [EQUATIONS][DOF]: derivatives of what the normal equations are in.
lane_fn void model_tangent(const real* chart, const real* rays, real* D) {
  (void)rays;
  homography_tangent(chart, D);
}

// damped_step of the normal equations N, g [EQUATIONS] at a chart.
lane_fn real model_step(const real* N, const real* g, const real* chart, const real* rays,
                        real damping, real* delta) {
  (void)rays;
  real A[64];
  homography_reduce(chart, N, g, A, delta);
  return damped_solve(A, delta, DOF, damping);
}

lane_fn void model_move(real* chart, const real* delta) { homography_move(chart, delta); }
