// SPDX-License-Identifier: BSD-3-Clause
// Writes zeros: a model with HAS_POSE = 0 has no pose.
lane_fn void result_pose(const pair_info* info, const real* model, const real* side, real* pose) {
  (void)info, (void)model, (void)side;
  for (index i = 0; i < 12; ++i) pose[i] = lane(0);
}
