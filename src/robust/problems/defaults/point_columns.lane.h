// SPDX-License-Identifier: BSD-3-Clause
// Converts a point [COLUMNS] of two images to scoring coordinates; its depths are copied.
lane_fn void point_columns(const real* given, const real* cameras, const pair_info* info,
                           real* columns) {
  (void)cameras;
  for (index c = 0; c < 4; ++c)
    columns[c] = (given[c] - lane(info->centre[c])) * (lane(1) / lane(info->length));
  for (index c = 4; c < COLUMNS; ++c) columns[c] = given[c];
}
