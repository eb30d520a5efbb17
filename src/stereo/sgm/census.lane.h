// SPDX-License-Identifier: BSD-3-Clause
// A census code says which of the 9 x 7 neighbours are brighter than the centre. Sparse
// takes every other one, as on a chess board; symmetric compares neighbours that face each other.
//   R. Zabih, J. Woodfill, Non-parametric local transforms, ECCV 1994;  R. Spangenberg, T. Langner,
//   R. Rojas, Weighted semi-global matching and center-symmetric census transform, CAIP 2013.
enum { CENSUS_SPARSE, CENSUS_SYMMETRIC, CENSUS_FULL };
enum { CENSUS_RX = 4, CENSUS_RY = 3 };

// Does the neighbour at (i, j) of the centre take part?
lane_fn index census_takes(index kind, index i, index j) {
  if (kind == CENSUS_SYMMETRIC) return j < 0 || (j == 0 && i < 0);
  if (i == 0 && j == 0) return 0;
  return kind == CENSUS_FULL || ((i + j) & 1) == 0;
}

// The pictures are smoothed a little for the census: 1 4 1 across and 1 8 1 down, of a sum of 60.
// Down, it bears rows that are not quite aligned; both break the ties of flat regions.
lane_fn index smooth_weight(index i, index j) { return (i == 0 ? 4 : 1) * (j == 0 ? 8 : 1); }

// A neighbour is brighter when it is so by more than this, in smoothed units: a quarter of a level
// of 255. Pictures of 16 bits are smoothed to 60 / 64 of theirs.
lane_fn index census_margin(index white, index eight_bits) {
  return (eight_bits ? white * 60 : white / 64 * 60) / 1020;
}

// 0 to 255.
lane_fn index brightness_of(index value, index white) {
  index scale = (white + 128) / 257;
  index b = scale > 1 ? value / scale : value;
  return b < 255 ? b : 255;
}
