// SPDX-License-Identifier: BSD-3-Clause
// Writes D [EQUATIONS][DOF], the derivatives of the unknowns of the normal equations with respect
// to the parameters of a direct chart.
lane_fn void model_tangent(const real* chart, const real* rays, real* D) {
  (void)chart, (void)rays;
  for (index i = 0; i < (index)EQUATIONS * DOF; ++i)
    D[i] = lane(i % (DOF + 1) == 0 && i < DOF * DOF ? 1 : 0);
}
