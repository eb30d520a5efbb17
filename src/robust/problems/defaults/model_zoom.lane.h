// SPDX-License-Identifier: BSD-3-Clause
// Multiplies the focal length of a model (focal_is_open).
lane_fn void model_zoom(real* model, real factor) { (void)model, (void)factor; }
