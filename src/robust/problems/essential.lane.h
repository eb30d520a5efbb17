// SPDX-License-Identifier: BSD-3-Clause
// Problem: the essential matrix of two calibrated images, from five matches (family epipolar).
// Solver: solvers/essential_5pt.lane.h. Chart: epipolar_chart.lane.h. `rays` takes scoring
// coordinates to rays; E is scored as F = diag(a) E diag(b) (relative_pose.lane.h).

enum {
  CAMERAS = 2,   // that are given
  HAS_POSE = 1,  // the model has one
  SAMPLE_SIZE = 5,
  SLOTS = 4,            // models of a sample that are kept
  SOUGHT_PERCENT = 10,  // of right matches that one pair is searched for
  DOF = 5,              // parameters of the chart
  SIDES = 2,            // see side_candidates
  DOMINANT_PLANE = 0,   // a plane determines E
  SOLVES_IN_FLOAT = 0   // the ten solutions of five points need double
};

// Models [SLOTS][MODEL_SIZE] of a sample p [COLUMNS][SAMPLE_SIZE]; returns their number. Those that
// do not have the sample in front of both cameras, or behind both, are left out.
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

// The chart [20] around a model.
lane_fn void model_open(const real* model, const real* rays, real* chart) {
  real E[9];
  essential_unscale(model, rays, E);
  essential_chart(E, chart);
}
lane_fn void model_close(const real* chart, const real* rays, real* model) {
  epipolar_matrix(chart, model);
  essential_scale(rays, model);
}

// D [EQUATIONS][DOF]: derivatives of what the normal equations are in.
lane_fn void model_tangent(const real* chart, const real* rays, real* D) {
  real scale[9];
  ray_scale(rays, scale);
  epipolar_tangent(chart, DOF, D);
  for (index i = 0; i < 9 * DOF; ++i) D[i] = D[i] * scale[i / DOF];
}

// damped_step of the normal equations N, g [EQUATIONS] at a chart.
lane_fn real model_step(const real* N, const real* g, const real* chart, const real* rays,
                        real damping, real* delta) {
  real D[9 * DOF];
  model_tangent(chart, rays, D);
  return damped_step(N, g, D, EQUATIONS, DOF, damping, delta);
}

lane_fn void model_move(real* chart, const real* delta) { epipolar_move(chart, DOF, delta); }

// Samples after which a pair of n points is given up (see fundamental.lane.h).
lane_fn real hypotheses_before_giving_up(real n) { return lane(1.4e6) / n; }

// What the cameras add to info. Returns px a unit of the errors.
lane_fn real camera_info(const real* cameras, real length, real threshold, real* info) {
  return calibrated_info(cameras, length, threshold, info);
}

// A side of the scene is a pose: (R0, t) and (R1, t) of pose_candidates, or the same with -t.
lane_fn void side_candidates(const real* model, const real* rays, real* sides) {
  essential_sides(model, rays, sides);
}
lane_fn real side_limit(const real* side, real inverse_squared_threshold, real parallax) {
  (void)side, (void)inverse_squared_threshold;
  return parallax;
}
lane_fn real point_side(const real* model, const real* side, const real* rays, const real* p,
                        real limit, mask* unsure) {
  (void)model;
  return pose_side(side, rays, p, limit, unsure);
}

// The matrix of the result: E of normalised points, |E| = 1.
lane_fn void result_matrix(const real* info, const real* model, real* E) {
  essential_unscale(model, info + INFO_RAYS, E);
  mat3_normalise(E);
}
lane_fn void result_pose(const real* info, const real* model, const real* side, real* pose) {
  (void)info, (void)model;
  for (index i = 0; i < 12; ++i) pose[i] = side[i];
}
