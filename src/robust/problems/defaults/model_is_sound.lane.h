// SPDX-License-Identifier: BSD-3-Clause
// Returns true: every matrix is a valid model of the problem.
lane_fn mask model_is_sound(const real* model) { return model[0] == model[0]; }
