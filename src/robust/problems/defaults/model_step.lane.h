// SPDX-License-Identifier: BSD-3-Clause
// Solves the damped normal equations N, g [EQUATIONS] at a chart for delta (see damped_step).
lane_fn real model_step(const real* N, const real* g, const real* chart, const real* rays,
                        real damping, real* delta) {
  if_constant(DIRECT_CHART) {
    (void)chart, (void)rays;
    real A[DOF * DOF];
    for (index i = 0; i < DOF; ++i) {
      for (index j = 0; j <= i; ++j) A[DOF * i + j] = N[i * (i + 1) / 2 + j];
      delta[i] = g[i];
    }
    return damped_solve(A, delta, DOF, damping);
  }
  real D[(index)EQUATIONS * DOF];
  model_tangent(chart, rays, D);
  return damped_step(N, g, D, EQUATIONS, DOF, damping, delta);
}
