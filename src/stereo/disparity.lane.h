// SPDX-License-Identifier: BSD-3-Clause
// Rules of one pixel's disparity, shared by all devices. They are whole numbers, so that every
// device gives the same bits. Inside the matcher a disparity is a fixed-point number of 16 bits:
// (d - min_disparity) in 1/32 px, or UNKNOWN_DISPARITY.

enum { SUBPIXELS = 32, UNKNOWN_DISPARITY = 0xffff };
// A sum or the index of a disparity where nothing could be searched.
enum { NO_CANDIDATE = 0xffff };

// A pixel that is of no region has this label.
lane_fn bits32 no_label() { return 0xffffffffu; }

// Returns the column of the right picture that a known disparity of column x leads to.
lane_fn index right_column(index x, index disparity, index min_disparity) {
  return x - min_disparity - (disparity + SUBPIXELS / 2) / SUBPIXELS;
}

// Is the right picture's winner, the index of a disparity, within the tolerance of this disparity's
// whole pixels?
lane_fn index directions_agree(index disparity, index right_index, index tolerance) {
  index apart = (disparity + SUBPIXELS / 2) / SUBPIXELS * SUBPIXELS - right_index * SUBPIXELS;
  return right_index != NO_CANDIDATE && (apart < 0 ? -apart : apart) <= tolerance;
}

// The disparity of column x if the right picture's winner confirms it, else UNKNOWN_DISPARITY.
// right_index: the winners of the right picture's row, as indices of disparities. Without a check
// (a negative tolerance) every disparity is kept.
lane_fn index cross_checked(index disparity, index x, index min_disparity, index tolerance,
                            global_const unsigned short* right_index) {
  if (disparity == UNKNOWN_DISPARITY || tolerance < 0) return disparity;
  index winner = right_index[right_column(x, disparity, min_disparity)];
  return directions_agree(disparity, winner, tolerance) ? disparity : UNKNOWN_DISPARITY;
}

// Are two neighbours of one region, for the speckle filter?
lane_fn index disparities_near(index a, index b, index range) {
  index apart = a < b ? b - a : a - b;
  return a != UNKNOWN_DISPARITY && b != UNKNOWN_DISPARITY && apart <= range;
}

// Gives the disparity in px, NaN where it is unknown.
lane_fn float disparity_px(index disparity, index min_disparity) {
  return disparity == UNKNOWN_DISPARITY
             ? bits_float(0x7fc00000u)  // a NaN
             : (float)(min_disparity * SUBPIXELS + disparity) * (1.0f / (float)SUBPIXELS);
}
