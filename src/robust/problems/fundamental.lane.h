// SPDX-License-Identifier: BSD-3-Clause
// Problem: the fundamental matrix of two images, x2' F x1 = 0, from seven matches (family
// uncalibrated). Solver: solvers/fundamental_7pt.lane.h. Chart: epipolar_chart.lane.h.

enum {
  CAMERAS = 0,  // that are given
  SAMPLE_SIZE = 7,
  SLOTS = 3,            // models of a sample at most
  SOUGHT_PERCENT = 15,  // of 1000 matches, in RANSAC on one pair
  SAMPLE_COST = 150,    // of solving a sample: scored points that take as long
  DOF = 7,              // parameters of the chart
  DOMINANT_PLANE = 1    // most inliers on one plane leave the model open (ransac/planes.group.h)
};

// Models [SLOTS][MODEL_SIZE] of a sample p [COLUMNS][SAMPLE_SIZE]; returns their number. Those that
// do not have the sample in front of both cameras, or behind both, are left out.
lane_fn real sample_models(const real* p, const real* rays, real* models) {
  (void)rays;
  real frames[12], uv[16], reduced[27], kept = lane(0);
  for (index i = 0; i < 9 * SLOTS; ++i) models[i] = lane_nan();
  real count = fundamental_7pt_in_frames(p, p + 7, p + 14, p + 21, frames, uv, reduced);
  for (index s = 0; s < 3; ++s) {
    mask valid = epipolar_oriented_in_frames(reduced + 9 * s, uv) & (count > lane(s));
    if (any(valid)) {  // one in 25 is
      real F[9];
      from_affine_frames(frames, reduced + 9 * s, F);
      epipolar_keep(F, valid, SLOTS, &kept, models);
    }
  }
  return kept;
}

// The chart [20] around a model.
lane_fn void model_open(const real* model, const real* rays, real* chart) {
  (void)rays;
  epipolar_chart(model, chart);
}
lane_fn void model_close(const real* chart, const real* rays, real* model) {
  (void)rays;
  epipolar_matrix(chart, model);
}

// D [EQUATIONS][DOF]: derivatives of what the normal equations are in.
lane_fn void model_tangent(const real* chart, const real* rays, real* D) {
  (void)rays;
  epipolar_tangent(chart, DOF, D);
}

lane_fn void model_move(real* chart, const real* delta) { epipolar_move(chart, DOF, delta); }

// A pair of n points is given up after this many samples without a model that scores more than
// chance: a matrix from some correct and some incorrect matches does already, the more clearly the
// more points there are. Measured with 20 % of correct matches (docs/robust.md).
lane_fn real hypotheses_before_giving_up(real n) { return lane(1.2e10) / (n * n); }

lane_fn real point_side(const real* model, const real* side, const real* rays, const real* p,
                        real limit, mask* unsure) {
  (void)rays;
  real near2;
  real value = epipolar_side(model, side, p[0], p[1], p[2], p[3], &near2);
  *unsure = near2 < limit;
  return value * side[9];
}
