// SPDX-License-Identifier: BSD-3-Clause
// The side of the scene that a point is on: 0, unsure.
lane_fn real point_side(const real* model, const real* side, const real* rays, const real* p,
                        real limit, mask* unsure) {
  (void)model, (void)side, (void)rays, (void)p, (void)limit;
  *unsure = lane(1) > lane(0);
  return lane(0);
}
