// SPDX-License-Identifier: BSD-3-Clause
// Problem: the fundamental matrix of two images, x2' F x1 = 0, from seven matches (family
// uncalibrated). Solver: solvers/fundamental_7pt.lane.h. Chart: epipolar_chart.lane.h.

enum {
  CAMERAS = 0,  // number of given cameras
  SAMPLE_SIZE = 7,
  SLOTS = 3,            // largest number of models of a sample
  TARGET_PERCENT = 15,  // smallest inlier ratio to find in one pair of 1000 matches, in percent
  SAMPLE_COST = 150,    // time to solve a sample, in scored points
  DOF = 7,              // parameters of the chart
  DOMINANT_PLANE = 1    // inliers on one plane do not determine F (ransac/planes.group.h)
};

// Writes the models [SLOTS][MODEL_SIZE] of a sample p [COLUMNS][SAMPLE_SIZE]; returns their number.
// Models are dropped unless the whole sample is in front of both cameras, or behind both.
lane_fn real sample_models(const real* p, const real* rays, real* models) {
  (void)rays;
  real frames[12], uv[16], reduced[27], kept = lane(0);
  for (index i = 0; i < 9 * SLOTS; ++i) models[i] = lane_nan();
  real count = fundamental_7pt_in_frames(p, p + 7, p + 14, p + 21, frames, uv, reduced);
  for (index s = 0; s < 3; ++s) {
    mask valid = epipolar_oriented_in_frames(reduced + 9 * s, uv) & (count > lane(s));
    if (any(valid)) {  // true for one model in 25
      real F[9];
      from_affine_frames(frames, reduced + 9 * s, F);
      epipolar_keep(F, valid, SLOTS, &kept, models);
    }
  }
  return kept;
}

// Converts between a model and its chart [20].
lane_fn void model_open(const real* model, const real* rays, real* chart) {
  (void)rays;
  epipolar_chart(model, chart);
}
lane_fn void model_close(const real* chart, const real* rays, real* model) {
  (void)rays;
  epipolar_matrix(chart, model);
}

// Computes D [EQUATIONS][DOF], the derivatives of the unknowns of the normal equations with respect
// to the chart.
lane_fn void model_tangent(const real* chart, const real* rays, real* D) {
  (void)rays;
  epipolar_tangent(chart, DOF, D);
}

lane_fn void model_move(real* chart, const real* delta) { epipolar_move(chart, DOF, delta); }

// Number of samples after which a pair of n points is given up if no model has scored more than
// chance. A matrix from a sample of correct and incorrect matches already scores more, in
// particular with many points. Measured with 20 % of correct matches (docs/robust.md).
lane_fn real hypotheses_before_giving_up(real n) { return lane(1.2e10) / (n * n); }

lane_fn real point_side(const real* model, const real* side, const real* rays, const real* p,
                        real limit, mask* unsure) {
  (void)rays;
  real near2;
  real value = epipolar_side(model, side, p[0], p[1], p[2], p[3], &near2);
  *unsure = near2 < limit;
  return value * side[9];
}
