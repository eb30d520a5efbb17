// SPDX-License-Identifier: BSD-3-Clause
// Problem: the affine map between two images, x2 = A x1 + t, from three matches (family plane_map).
// Each row of A and t solves three linear equations. Three collinear points in image 1 have no
// solution (infinities). H = [A t; 0 0 1]; its chart is the six elements of A and t.

enum {
  SAMPLE_SIZE = 3,
  SLOTS = 1,              // largest number of models of a sample
  TARGET_PERCENT = 10,    // smallest inlier ratio to find in one pair of 1000 matches, in percent
  SAMPLE_COST = 300,      // time to solve a sample, in scored points
  DOF = 6,                // parameters of the chart
  DIRECT_CHART = 1,       // the chart is the first elements of H
  ENDS_IN_ONE = 1,        // H[8] is 1
  LINE_IS_DEGENERATE = 1  // inliers on a line of an image do not determine the model
};

// Writes the models [SLOTS][MODEL_SIZE] of a sample p [COLUMNS][SAMPLE_SIZE]; returns their number.
lane_fn real sample_models(const real* p, const real* rays, real* models) {
  (void)rays;
  real x1 = p[1] - p[0], x2 = p[2] - p[0], y1 = p[4] - p[3], y2 = p[5] - p[3];
  real inverse = lane(1) / (x1 * y2 - x2 * y1), largest = lane(0);
  for (index r = 0; r < 2; ++r) {
    const real* u = p + 6 + 3 * r;
    real u1 = u[1] - u[0], u2 = u[2] - u[0];
    real a = (u1 * y2 - u2 * y1) * inverse, b = (u2 * x1 - u1 * x2) * inverse;
    models[3 * r] = a;
    models[3 * r + 1] = b;
    models[3 * r + 2] = u[0] - (a * p[0] + b * p[3]);
    largest = largest + fabs(a) + fabs(b);
  }
  models[6] = models[7] = lane(0);
  models[8] = lane(1);
  return select(largest < lane(1e6), lane(1), lane(0));
}

lane_fn void model_move(real* chart, const real* delta) {
  for (index i = 0; i < DOF; ++i) chart[i] += delta[i];
}
