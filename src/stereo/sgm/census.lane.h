// SPDX-License-Identifier: BSD-3-Clause
// A census code has a bit for each neighbour in a window of 9 x 7 that says whether the neighbour
// is brighter than the centre. Sparse takes every second neighbour, as on a chessboard; symmetric
// compares neighbours that face each other.
//   R. Zabih, J. Woodfill, Non-parametric local transforms, ECCV 1994; R. Spangenberg, T. Langner,
//   R. Rojas, Weighted semi-global matching and center-symmetric census transform, CAIP 2013.
enum { CENSUS_SPARSE, CENSUS_SYMMETRIC, CENSUS_FULL };
enum { CENSUS_RX = 4, CENSUS_RY = 3 };

// Returns whether the neighbour at (i, j) from the centre takes part.
lane_fn index census_takes(index kind, index i, index j) {
  if (kind == CENSUS_SYMMETRIC) return j < 0 || (j == 0 && i < 0);
  if (i == 0 && j == 0) return 0;
  return kind == CENSUS_FULL || ((i + j) & 1) == 0;
}

// Returns the weights that smooth the images slightly for the census: 1 4 1 across and 1 8 1 down,
// with a sum of 60. Smoothing down tolerates rows that are not exactly aligned; both directions
// break ties in flat regions.
lane_fn index smooth_weight(index i, index j) { return (i == 0 ? 4 : 1) * (j == 0 ? 8 : 1); }

// Returns the margin by which a neighbour has to be brighter, in smoothed units: a quarter of a
// level of 255. Images of 16 bits are smoothed to 60 / 64 of their values.
lane_fn index census_margin(index white, index eight_bits) {
  return (eight_bits ? white * 60 : white / 64 * 60) / 1020;
}

// Returns whether the codes of one disparity differ in fewer bits than the codes of all disparities
// that are not its neighbours. The right pixel of the i-th disparity is at right_low[i * step];
// right_high is read for a full census only.
lane_fn index has_clear_match(bits32 low, bits32 high, global_const bits32* right_low,
                              global_const bits32* right_high, index is_full, index step,
                              index disparities) {
  index best = 255, winner = 0, clear = 1;
  for (index i = 0; i < disparities; ++i) {
    index cost = bits_count(low ^ right_low[i * step]);
    if (is_full) cost += bits_count(high ^ right_high[i * step]);
    if (cost < best) {
      best = cost;
      winner = i;
      clear = 1;
    } else if (cost == best && i > winner + 1) {
      clear = 0;
    }
  }
  return clear;
}

// Samples decide whether a pair can be matched at all: one pixel in 8 x 8, among the pixels that
// have all disparities and whose codes lie inside the image.
enum { SAMPLE_STEP = 8, SAMPLE_BORDER = CENSUS_RX + 1, FEWEST_SAMPLES = 64, CLEAR_ONE_IN = 64 };
lane_fn index first_sample(index disparities, index min_disparity) {
  index x = min_disparity + disparities - 1;
  return x > SAMPLE_BORDER ? x : SAMPLE_BORDER;
}
lane_fn index samples_in_row(index width, index disparities, index min_disparity) {
  index end = min_disparity < 0 ? width + min_disparity : width;
  if (end > width - SAMPLE_BORDER) end = width - SAMPLE_BORDER;
  end -= first_sample(disparities, min_disparity);
  return end > 0 ? (end + SAMPLE_STEP - 1) / SAMPLE_STEP : 0;
}
// Returns the number of samples that need a clear match.
lane_fn index clear_needed(index samples) {
  return samples < FEWEST_SAMPLES ? 0 : (samples + CLEAR_ONE_IN - 1) / CLEAR_ONE_IN;
}

// Returns the brightness of a pixel value, 0 to 255.
lane_fn index brightness_of(index value, index white) {
  index scale = (white + 128) / 257;
  index b = scale > 1 ? value / scale : value;
  return b < 255 ? b : 255;
}
