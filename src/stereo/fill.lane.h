// SPDX-License-Identifier: BSD-3-Clause
// What one unknown pixel is filled with, for all devices. Disparities: [height][width].

// How much a level of contrast counts against a pixel of distance.
enum { CONTRAST_WEIGHT = 3 };

// The mean of the known disparities in the window around (x, y), rounded; UNKNOWN_DISPARITY when
// there is none.
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

// The nearest known disparity from (x, y) in direction (dx, dy). `cost` becomes the contrast and
// the distance on the way to it. Rows of `brightness` are `stride` apart.
lane_fn index nearest_known(global_const unsigned short* disparities,
                            global_const unsigned char* brightness, offset stride, index width,
                            index height, index x, index y, index dx, index dy, index* cost) {
  index last = brightness[y * stride + x];
  for (*cost = 0;;) {
    x += dx;
    y += dy;
    if (x < 0 || y < 0 || x >= width || y >= height) return UNKNOWN_DISPARITY;
    index now = brightness[y * stride + x], change = now < last ? last - now : now - last,
          d = disparities[(offset)y * width + x];
    *cost += change * CONTRAST_WEIGHT + 1;
    last = now;
    if (d != UNKNOWN_DISPARITY) return d;
  }
}

// Fill::edge_aware: of the nearest known disparities in eight directions the one that is reached
// with the least contrast, and the smaller one of two. The second smallest where only the left
// camera sees the pixel.
lane_fn index edge_aware_value(global_const unsigned short* disparities,
                               global_const unsigned char* brightness, offset stride, index width,
                               index height, index x, index y, index is_occluded) {
  index best = UNKNOWN_DISPARITY, smallest = UNKNOWN_DISPARITY, second = UNKNOWN_DISPARITY,
        least = 0x7fffffff;
  for (index k = 0; k < 9; ++k) {
    index cost;
    if (k == 4) continue;
    index d = nearest_known(disparities, brightness, stride, width, height, x, y, k % 3 - 1,
                            k / 3 - 1, &cost);
    if (d == UNKNOWN_DISPARITY) continue;
    if (d < smallest) {
      second = smallest;
      smallest = d;
    } else if (d < second) {
      second = d;
    }
    if (cost < least || (cost == least && d < best)) {
      least = cost;
      best = d;
    }
  }
  if (!is_occluded) return best;
  return second == UNKNOWN_DISPARITY ? smallest : second;
}
