// SPDX-License-Identifier: BSD-3-Clause
// Adds w times a point's terms to the packed lower triangle N and the half gradient g [EQUATIONS].
// The terms begin with the derivatives [RESIDUALS][EQUATIONS]. With one residual, its weight and
// its value follow; with two residuals, both values.
lane_fn void point_accumulate(real* terms, real w, real* N, real* g) {
  enum { LAST = (index)RESIDUALS * EQUATIONS };
  for (index k = 0; k < LAST; ++k) terms[k] = masked(w, terms[k]);
  index packed = 0;
  if_constant(RESIDUALS == 1) {
    real a = terms[LAST], c = terms[LAST + 1];
    real wa = masked(w, w * a), wc = masked(w, w * a * c);
    lane_unroll_all for (index k = 0; k < EQUATIONS; ++k) {
      real wb = wa * terms[k];
      lane_unroll_all for (index l = 0; l <= k; ++l) N[packed + l] += wb * terms[l];
      packed += k + 1;
      g[k] += wc * terms[k];
    }
  }
  if_constant(RESIDUALS == 2) {
    const real* J = terms + EQUATIONS;
    real r0 = masked(w, w * terms[LAST]), r1 = masked(w, w * terms[LAST + 1]);
    for (index k = 0; k < EQUATIONS; ++k) {
      real w0 = w * terms[k], w1 = w * J[k];
      for (index l = 0; l <= k; ++l) N[packed + l] += w0 * terms[l] + w1 * J[l];
      packed += k + 1;
      g[k] += r0 * terms[k] + r1 * J[k];
    }
  }
}
