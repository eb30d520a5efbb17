// SPDX-License-Identifier: BSD-3-Clause
// Cameras add nothing to info. Returns px in a unit of the errors: errors have the unit of the
// coordinates. Called with plain numbers by the leader.
lane_fn real camera_info(const real* cameras, real length, real threshold, pair_info* info) {
  (void)cameras, (void)threshold, (void)info;
  return length;
}
