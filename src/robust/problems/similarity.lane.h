// SPDX-License-Identifier: BSD-3-Clause
// Problem: the similarity between two images, x2 = s R x1 + t, from two matches (family plane_map).
// With points as complex numbers it is z2 = p z1 + q, two linear equations. Equal points in image 1
// have no solution (infinities). H = [a -b c; b a d; 0 0 1]; its chart is (a, b, c, d).

enum {
  SAMPLE_SIZE = 2,
  SLOTS = 1,              // largest number of models of a sample
  TARGET_PERCENT = 10,    // smallest inlier ratio to find in one pair of 1000 matches, in percent
  SAMPLE_COST = 300,      // time to solve a sample, in scored points
  DOF = 4,                // parameters of the chart
  ENDS_IN_ONE = 1,        // H[8] is 1
  LINE_IS_DEGENERATE = 0  // collinear points determine a similarity, since two points do
};

// Writes the models [SLOTS][MODEL_SIZE] of a sample p [COLUMNS][SAMPLE_SIZE]; returns their number.
lane_fn real sample_models(const real* p, const real* rays, real* models) {
  (void)rays;
  real x = p[1] - p[0], y = p[3] - p[2], u = p[5] - p[4], v = p[7] - p[6];
  real scale = lane(1) / (x * x + y * y);
  real a = (u * x + v * y) * scale, b = (v * x - u * y) * scale;
  models[0] = models[4] = a;
  models[1] = -b;
  models[3] = b;
  models[2] = p[4] - (a * p[0] - b * p[2]);
  models[5] = p[6] - (b * p[0] + a * p[2]);
  models[6] = models[7] = lane(0);
  models[8] = lane(1);
  return select(fabs(a) + fabs(b) < lane(1e6), lane(1), lane(0));
}

// Computes D [EQUATIONS][DOF], the derivatives of the unknowns of the normal equations with respect
// to the chart.
lane_fn void model_tangent(const real* chart, const real* rays, real* D) {
  (void)chart, (void)rays;
  for (index i = 0; i < 9 * DOF; ++i) D[i] = lane(0);
  D[0] = D[4 * DOF] = lane(1);
  D[DOF + 1] = lane(-1);
  D[3 * DOF + 1] = lane(1);
  D[2 * DOF + 2] = D[5 * DOF + 3] = lane(1);
}

lane_fn void model_move(real* chart, const real* delta) {
  chart[0] += delta[0];
  chart[4] = chart[0];
  chart[3] += delta[1];
  chart[1] = -chart[3];
  chart[2] += delta[2];
  chart[5] += delta[3];
}
