// SPDX-License-Identifier: BSD-3-Clause
// Template of a problem of robust estimation: copy, rename, replace. As
// src/robust/problems/translation.lane.h it is part of the library once
// include/bifocal/problems.def contains its name (README.md in this folder).
//
// Problem: the translation between two images, x2 = x1 + t, from one match. Its family plane_map
// defines a point, its error and the terms of a linearised point in the normal equations.
// H = [1 0 tx; 0 1 ty; 0 0 1]; its chart is (tx, ty).

// Constants of the problem; plane_map.lane.h has the constants that all maps of a plane share.
enum {
  SAMPLE_SIZE = 1,
  SLOTS = 1,              // most models of a sample
  TARGET_PERCENT = 10,    // default of min_inlier_ratio for 1000 matches of one pair, in per cent
  SAMPLE_COST = 200,      // time of solving a sample, in scored points
  DOF = 2,                // parameters of the chart
  LINE_IS_DEGENERATE = 0  // one point determines a translation, so points on a line also do
};

// Computes the models [SLOTS][MODEL_SIZE] of a sample p [COLUMNS][SAMPLE_SIZE] and returns their
// number. It may call a solver of src/solvers, as homography.lane.h does.
lane_fn real sample_models(const real* p, const real* rays, real* models) {
  (void)rays;  // only problems with cameras have rays
  for (index i = 0; i < 9; ++i) models[i] = lane(0);
  models[0] = models[4] = models[8] = lane(1);
  models[2] = p[2] - p[0];
  models[5] = p[3] - p[1];
  return lane(1);
}

// The refinement takes its steps in a chart: DOF parameters around a model. Here the chart [20]
// holds the model itself; a problem with a different chart also defines model_open and model_close.
// src/robust/problems/defaults has a file for each function and constant that may be left out.

// Computes D [EQUATIONS][DOF]: derivatives of the elements of H with respect to the parameters.
lane_fn void model_tangent(const real* chart, const real* rays, real* D) {
  (void)chart, (void)rays;
  for (index i = 0; i < 9 * DOF; ++i) D[i] = lane(0);
  D[2 * DOF] = D[5 * DOF + 1] = lane(1);
}

// Applies a step of the refinement to the chart.
lane_fn void model_move(real* chart, const real* delta) {
  chart[2] += delta[0];
  chart[5] += delta[1];
}
