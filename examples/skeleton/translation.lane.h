// SPDX-License-Identifier: BSD-3-Clause
// A problem of robust estimation to start from: copy, rename, replace. As
// src/robust/problems/translation.lane.h it is in the library once its name stands in
// include/bifocal/problems.def (README.md beside this file).
//
// Problem: the translation between two images, x2 = x1 + t, from one match (family plane_map, which
// says what a point is, its error and what a linearised point adds to the normal equations).
// H = [1 0 tx; 0 1 ty; 0 0 1]; its chart is (tx, ty).

// The numbers of the problem; plane_map.lane.h has those that all maps of a plane share.
enum {
  SAMPLE_SIZE = 1,
  SLOTS = 1,              // models of a sample at most
  SOUGHT_PERCENT = 10,    // of 1000 matches, in the search of one pair
  SAMPLE_COST = 200,      // of solving a sample: scored points that take as long
  DOF = 2,                // parameters of the chart
  LINE_IS_DEGENERATE = 0  // one point determines a translation, so a line of them does
};

// Models [SLOTS][MODEL_SIZE] of a sample p [COLUMNS][SAMPLE_SIZE]; returns their number. A solver
// of src/solvers may be called here, as homography.lane.h does.
lane_fn real sample_models(const real* p, const real* rays, real* models) {
  (void)rays;  // only problems with cameras have them
  for (index i = 0; i < 9; ++i) models[i] = lane(0);
  models[0] = models[4] = models[8] = lane(1);
  models[2] = p[2] - p[0];
  models[5] = p[3] - p[1];
  return lane(1);
}

// The refinement takes its steps in a chart: DOF parameters around a model. Here the chart [20]
// holds the model itself; a problem with another one defines model_open and model_close as well.
// src/robust/problems/defaults has a file for each function and constant that may be left out.

// D [EQUATIONS][DOF]: derivatives of the elements of H with respect to the parameters.
lane_fn void model_tangent(const real* chart, const real* rays, real* D) {
  (void)chart, (void)rays;
  for (index i = 0; i < 9 * DOF; ++i) D[i] = lane(0);
  D[2 * DOF] = D[5 * DOF + 1] = lane(1);
}

// Takes a step.
lane_fn void model_move(real* chart, const real* delta) {
  chart[2] += delta[0];
  chart[5] += delta[1];
}
