// SPDX-License-Identifier: BSD-3-Clause
// Family of problems, in front of the family epipolar: matches with the depths that a network has
// told of their points from each picture alone. Samples are solved by them; errors are without.

#define OWN_columns
enum {
  COLUMNS = 6,  // numbers of a point: x1 y1 x2 y2 depth1 depth2
  DEPTHS = 2    // of these, the last ones
};

// A point [COLUMNS] in scoring coordinates, with its depths as given.
#define OWN_point_columns
lane_fn void point_columns(const real* given, const real* cameras, const pair_info* info,
                           real* columns) {
  (void)cameras;
  for (index c = 0; c < 4; ++c)
    columns[c] = (given[c] - lane(info->centre[c])) * (lane(1) / lane(info->length));
  for (index c = 4; c < COLUMNS; ++c) columns[c] = given[c];
}
