// SPDX-License-Identifier: BSD-3-Clause
// Rules for the disparity of one pixel, shared by all devices. They use integers, and the
// conversion to px is exact, so that every device computes the same bits. Inside the matcher a
// disparity is a fixed-point number of 16 bits: (d - min_disparity) in 1/32 px, or
// UNKNOWN_DISPARITY. min_disparity is in whole pixels.

enum { SUBPIXELS = 32, UNKNOWN_DISPARITY = 0xffff };
// Value of a cost sum or of a disparity index if the search has no candidate for the pixel.
enum { NO_CANDIDATE = 0xffff };

// Returns the label of a pixel that belongs to no region.
lane_fn bits32 no_label() { return 0xffffffffu; }

// Returns the column in the right image that matches column x at a known disparity.
lane_fn index right_column(index x, index disparity, index min_disparity) {
  return x - min_disparity - (disparity + SUBPIXELS / 2) / SUBPIXELS;
}

// Returns whether a disparity, rounded to whole pixels, and the winner of the right image differ by
// at most `tolerance`, in 1/32 px. right_index: the winner as index of a disparity; NO_CANDIDATE
// agrees with none.
lane_fn index directions_agree(index disparity, index right_index, index tolerance) {
  index apart = (disparity + SUBPIXELS / 2) / SUBPIXELS * SUBPIXELS - right_index * SUBPIXELS;
  return right_index != NO_CANDIDATE && (apart < 0 ? -apart : apart) <= tolerance;
}

// Returns the disparity of column x if the winner of the right image confirms it, else
// UNKNOWN_DISPARITY. A negative tolerance keeps every disparity. right_index: winners in the row of
// the right image, as indices of disparities.
lane_fn index cross_checked(index disparity, index x, index min_disparity, index tolerance,
                            global_const unsigned short* right_index) {
  if (disparity == UNKNOWN_DISPARITY || tolerance < 0) return disparity;
  index winner = right_index[right_column(x, disparity, min_disparity)];
  return directions_agree(disparity, winner, tolerance) ? disparity : UNKNOWN_DISPARITY;
}

// Returns whether two neighbours belong to the same region of the speckle filter: both disparities
// are known and differ by at most `range`, in 1/32 px.
lane_fn index disparities_near(index a, index b, index range) {
  index apart = a < b ? b - a : a - b;
  return a != UNKNOWN_DISPARITY && b != UNKNOWN_DISPARITY && apart <= range;
}

// Returns the disparity in px, or NaN if it is unknown.
lane_fn float disparity_px(index disparity, index min_disparity) {
  return disparity == UNKNOWN_DISPARITY
             ? bits_float(0x7fc00000u)  // a NaN
             : (float)(min_disparity * SUBPIXELS + disparity) * (1.0f / (float)SUBPIXELS);
}
