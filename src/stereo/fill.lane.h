// SPDX-License-Identifier: BSD-3-Clause
// Rules that fill one unknown pixel, shared by all devices. Disparities are [height][width].

// Returns the rounded mean of the known disparities in the window around (x, y), or
// UNKNOWN_DISPARITY if the window has none.
lane_fn index window_mean(global_const unsigned short* disparities, index width, index height,
                          index x, index y, index radius) {
  const index x0 = x > radius ? x - radius : 0, y0 = y > radius ? y - radius : 0;
  const index x1 = x + radius < width ? x + radius : width - 1,
              y1 = y + radius < height ? y + radius : height - 1;
  index sum = 0, count = 0;
  for (index v = y0; v <= y1; ++v) {
    for (index u = x0; u <= x1; ++u) {
      index d = disparities[(offset)v * width + u];
      if (d == UNKNOWN_DISPARITY) continue;
      sum += d;
      ++count;
    }
  }
  return count > 0 ? (sum + count / 2) / count : UNKNOWN_DISPARITY;
}

// Updates the two lowest disparities so far with another one. UNKNOWN_DISPARITY is larger than
// any disparity.
lane_fn void keep_lowest(index disparity, index* lowest, index* second) {
  index larger = disparity < *lowest ? *lowest : disparity;
  *lowest = disparity < *lowest ? disparity : *lowest;
  *second = larger < *second ? larger : *second;
}

// Returns the value of Fill::background. left, right: nearest known disparities in the row; lowest,
// second: the two lowest of the nearest known disparities in all eight directions.
lane_fn index background_value(index left, index right, index lowest, index second) {
  index in_row = left < right ? left : right,
        around = second == UNKNOWN_DISPARITY ? lowest : second;
  return in_row == UNKNOWN_DISPARITY || around > in_row ? around : in_row;
}
