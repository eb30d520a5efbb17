// SPDX-License-Identifier: BSD-3-Clause
// Problem: the essential matrix of two calibrated images, from five matches (family
// relative_pose). Solver: solvers/essential_5pt.lane.h. Chart: epipolar_chart.lane.h.

enum {
  SAMPLE_SIZE = 5,
  SLOTS = 4,              // largest number of kept models of a sample
  TARGET_PERCENT = 10,    // smallest inlier ratio to find in one pair of 1000 matches, in percent
  SAMPLE_COST = 1400,     // time to solve a sample, in scored points
  DOF = 5,                // parameters of the chart
  SIDES = 2,              // see side_candidates
  TRIANGULATES = 1,       // a Python estimate contains scene points
  DOUBTS_TRANSLATION = 1  // a rotation of the camera may explain the matches
};

// Writes the models [SLOTS][MODEL_SIZE] of a sample p [COLUMNS][SAMPLE_SIZE]; returns their number.
// Models are dropped unless the whole sample is in front of both cameras, or behind both.
lane_fn real sample_models(const real* p, const real* rays, real* models) {
  real q[20], N[36], B[39], roots[10], E[9], kept = lane(0);
  for (index i = 0; i < 9 * SLOTS; ++i) models[i] = lane_nan();
  for (index i = 0; i < 20; ++i) q[i] = rays[i / 5] * p[i];
  real count = essential_5pt_roots(q, q + 5, q + 10, q + 15, N, B, roots);
  for (index s = 0; s < 10; ++s) {
    mask valid = count > lane(s);
    if (any(valid)) {
      essential_at_root(N, B, roots[s], E);
      valid = valid & epipolar_oriented(E, q, q + 5, q + 10, q + 15, 5);
      essential_scale(rays, E);
      epipolar_keep(E, valid, SLOTS, &kept, models);
    }
  }
  return kept;
}

// Converts between a model and its chart [20].
lane_fn void model_open(const real* model, const real* rays, real* chart) {
  real E[9];
  essential_unscale(model, rays, E);
  essential_chart(E, chart);
}
lane_fn void model_close(const real* chart, const real* rays, real* model) {
  epipolar_matrix(chart, model);
  essential_scale(rays, model);
}

// Computes D [EQUATIONS][DOF], the derivatives of the unknowns of the normal equations with respect
// to the chart.
lane_fn void model_tangent(const real* chart, const real* rays, real* D) {
  real scale[9];
  ray_scale(rays, scale);
  epipolar_tangent(chart, DOF, D);
  for (index i = 0; i < 9 * DOF; ++i) D[i] = D[i] * scale[i / DOF];
}

lane_fn void model_move(real* chart, const real* delta) { epipolar_move(chart, DOF, delta); }

lane_fn void model_essential(const real* model, const real* rays, real* E) {
  essential_unscale(model, rays, E);
}
