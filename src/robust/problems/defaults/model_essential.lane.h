// SPDX-License-Identifier: BSD-3-Clause
// Writes E of a model with SIDES = 2. Not called for other models.
lane_fn void model_essential(const real* model, const real* rays, real* E) {
  (void)rays;
  for (index i = 0; i < 9; ++i) E[i] = model[i];
}
