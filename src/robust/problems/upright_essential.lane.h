// SPDX-License-Identifier: BSD-3-Clause
// Problem: the essential matrix of two calibrated images whose y axes are vertical, from three
// matches (family relative_pose). Solver: solvers/essential_upright_3pt.lane.h. Chart: cosine and
// sine of the rotation R about y, and t of length 1.

enum {
  SAMPLE_SIZE = 3,
  SLOTS = 4,            // largest number of kept models of a sample
  TARGET_PERCENT = 10,  // smallest inlier ratio to find in one pair of 1000 matches, in percent
  SAMPLE_COST = 600,    // time to solve a sample, in scored points
  DOF = 3,              // parameters of the chart: the rotation angle, and two of t
  SIDES = 1,            // see side_candidates
  IS_CONSTRAINED = 1    // the rotation is about y
};

// Writes the models [SLOTS][MODEL_SIZE] of a sample p [COLUMNS][SAMPLE_SIZE]; returns their number.
// Models are dropped unless the whole sample is in front of both cameras, or behind both.
lane_fn real sample_models(const real* p, const real* rays, real* models) {
  real q[12], E[36], kept = lane(0);
  for (index i = 0; i < 9 * SLOTS; ++i) models[i] = lane_nan();
  for (index i = 0; i < 12; ++i) q[i] = rays[i / 3] * p[i];
  real count = essential_upright_3pt(q, q + 3, q + 6, q + 9, E);
  for (index s = 0; s < 4; ++s) {
    mask valid = epipolar_oriented(E + 9 * s, q, q + 3, q + 6, q + 9, 3) & (count > lane(s));
    essential_scale(rays, E + 9 * s);
    epipolar_keep(E + 9 * s, valid, SLOTS, &kept, models);
  }
  return kept;
}

// Computes [t]x R for the rotation (c, s).
lane_fn void upright_matrix(real c, real s, const real* t, real* E) {
  E[0] = E[8] = -t[1] * s;
  E[1] = -t[2];
  E[2] = t[1] * c;
  E[3] = t[2] * c + t[0] * s;
  E[4] = lane(0);
  E[5] = t[2] * s - t[0] * c;
  E[6] = -t[1] * c;
  E[7] = t[0];
}

// Converts between a model and its chart [20]: c, s, t [3].
lane_fn void model_open(const real* model, const real* rays, real* chart) {
  real E[9], a[2], b[2], t[3];
  essential_unscale(model, rays, E);
  for (index i = 0; i < 20; ++i) chart[i] = lane(0);
  t[0] = E[7];
  t[2] = -E[1];
  // a and b: (c, s) times t0^2 + t2^2, and times t1.
  a[0] = t[2] * E[3] - t[0] * E[5];
  a[1] = t[0] * E[3] + t[2] * E[5];
  b[0] = lane(0.5) * (E[2] - E[6]);
  b[1] = lane(-0.5) * (E[0] + E[8]);
  t[1] = copysign(sqrt(b[0] * b[0] + b[1] * b[1]), a[0] * b[0] + a[1] * b[1]);
  a[0] = a[0] + t[1] * b[0];
  a[1] = a[1] + t[1] * b[1];
  real norm = lane(1) / sqrt(a[0] * a[0] + a[1] * a[1]), length = lane(1) / sqrt(vec3_dot(t, t));
  chart[0] = a[0] * norm;
  chart[1] = a[1] * norm;
  for (index i = 0; i < 3; ++i) chart[2 + i] = t[i] * length;
}
lane_fn void model_close(const real* chart, const real* rays, real* model) {
  upright_matrix(chart[0], chart[1], chart + 2, model);
  essential_scale(rays, model);
}

// Computes D [EQUATIONS][DOF], the derivatives of the unknowns of the normal equations with respect
// to the chart.
lane_fn void model_tangent(const real* chart, const real* rays, real* D) {
  real c = chart[0], s = chart[1], column[9], along[6];
  const real* t = chart + 2;
  frame_complete(t, along, along + 3);
  for (index j = 0; j < DOF; ++j) {
    if (j > 0) upright_matrix(c, s, along + 3 * (j - 1), column);
    if (j == 0) {
      upright_matrix(-s, c, t, column);
      column[1] = column[7] = lane(0);
    }
    essential_scale(rays, column);
    for (index i = 0; i < 9; ++i) D[DOF * i + j] = column[i];
  }
}

lane_fn void model_move(real* chart, const real* delta) {
  real along[6], c = chart[0] - delta[0] * chart[1], s = chart[1] + delta[0] * chart[0];
  real norm = lane(1) / sqrt(c * c + s * s);
  real* t = chart + 2;
  frame_complete(t, along, along + 3);
  for (index i = 0; i < 3; ++i) t[i] += delta[1] * along[i] + delta[2] * along[3 + i];
  real length = lane(1) / sqrt(vec3_dot(t, t));
  for (index i = 0; i < 3; ++i) t[i] = t[i] * length;
  chart[0] = c * norm;
  chart[1] = s * norm;
}

// Writes the only candidate side: the pose (R, t).
lane_fn void side_candidates(const real* model, const real* rays, real* sides) {
  real chart[20];
  model_open(model, rays, chart);
  for (index i = 0; i < 9; ++i) sides[i] = lane(0);
  sides[0] = sides[8] = chart[0];
  sides[2] = chart[1];
  sides[6] = -chart[1];
  sides[4] = lane(1);
  for (index i = 0; i < 3; ++i) sides[9 + i] = chart[2 + i];
}
