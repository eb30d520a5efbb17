// SPDX-License-Identifier: BSD-3-Clause
// Family of problems within the family epipolar: matches of pinhole cameras lie on straight
// epipolar lines, and a model is F alone (math/sampson.lane.h).

enum {
  MODEL_SIZE = 9,  // numbers of a model
  EQUATIONS = 9,   // rows of the normal equations: the elements of F
  TERMS = 11       // numbers of a linearised point
};

lane_fn real point_error(const real* F, const real* p, const real* focal) {
  (void)focal;
  return sampson_squared(F, p[0], p[1], p[2], p[3]);
}

// Computes the terms of the normal equations at point p: B [9], the weight a of sampson_linearise
// and the residual. Returns the squared error.
lane_fn real point_linearise(const real* F, const real* p, const real* focal, real* terms) {
  (void)focal;
  real c = sampson_linearise(F, p[0], p[1], p[2], p[3], terms, terms + 9);
  terms[10] = c;
  return terms[9] * c * c;
}

// Appends F to the `kept` models [slots][9] in the lanes of m; drops it if all slots are used.
lane_fn void epipolar_keep(const real* F, mask m, index slots, real* kept, real* models) {
  for (index s = 0; s < slots; ++s) {
    mask here = m & (*kept == lane(s));
    for (index i = 0; i < 9; ++i) models[9 * s + i] = select(here, F[i], models[9 * s + i]);
  }
  *kept = fmin(*kept + select(m, lane(1), lane(0)), lane(slots));
}
