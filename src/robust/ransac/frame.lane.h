// SPDX-License-Identifier: BSD-3-Clause
// Scoring coordinates: px shifted by a centre c [2] and divided by a length l.

// frame_before: the matrix from px to scoring coordinates, times l. frame_after: the matrix from
// scoring coordinates to px.
lane_fn void frame_before(const real* c, real l, real* T) {
  for (index i = 0; i < 9; ++i) T[i] = lane(i == 0 || i == 4);
  T[2] = -c[0];
  T[5] = -c[1];
  T[8] = l;
}
lane_fn void frame_after(const real* c, real l, real* T) {
  for (index i = 0; i < 9; ++i) T[i] = lane(0);
  T[0] = T[4] = l;
  T[2] = c[0];
  T[5] = c[1];
  T[8] = lane(1);
}

// Returns a hash of the numbers [first, end) of the columns of a point; it is never 0.
//   The finaliser of A. Appleby, MurmurHash3.
lane_fn bits32 point_hash(global_const float* points, index stride, index first, index end,
                          index i) {
  bits32 hash = 1;
  for (index c = first; c < end; ++c) {
    hash ^= float_bits(points[c * stride + i] + 0.0f);  // -0 is 0
    hash = (hash ^ (hash >> 16)) * 0x85ebca6bu;
    hash = (hash ^ (hash >> 13)) * 0xc2b2ae35u;
    hash = (hash ^ (hash >> 16)) + 0x9e3779b9u * (bits32)(c + 1);
  }
  return hash | 1u;
}
