// SPDX-License-Identifier: BSD-3-Clause
// Fill::planes: unknown pixels of a flat region of the picture lie on the plane that best fits the
// known ones of the region. Whole numbers: planes are in steps of a disparity, 1/32 px.
//   M. Fischler, R. Bolles, Random sample consensus, CACM 24(6), 1981;  M. Bleyer, M. Gelautz, A
//   layered stereo matching algorithm using image segmentation and global visibility constraints,
//   ISPRS JPRS 59(3), 2005, has planes of regions of one colour.
enum {
  FLAT_GRADIENT = 12,      // Sobel's: 1.5 levels of 255 from one pixel to the next
  LATTICE_POINTS = 65536,  // at most so many pixels of a picture are asked
  PLANE_FEWEST = 48,       // known ones of a region that make a plane
  PLANE_SAMPLES = 1024,    // places for them
  PLANE_TRIALS = 128,      // planes that are tried
  PLANE_FRACTION = 1024,   // a slope is in steps / PLANE_FRACTION a pixel
  PLANE_STEEPEST = 9830,   // 0.3 px of disparity a pixel
  PLANE_NEAR = 32,         // a sample this near to a plane is on it: 1 px
  PLANE_TRIANGLE = 200,    // twice the area of the smallest triangle that makes a plane, px^2
  PLANE_LONGEST = 65535    // side of a picture that 32 bits suffice for, px
};
lane_fn bits32 no_sample() { return 0xffffffffu; }  // an empty place

// Is the picture flat around column x? Three rows of brightness, 0 to 255; left, right: the columns
// beside x.
lane_fn index is_flat(global_const unsigned char* above, global_const unsigned char* here,
                      global_const unsigned char* below, index left, index x, index right) {
  const index falling = (index)below[right] - (index)above[left],
              rising = (index)above[right] - (index)below[left];
  const index across = falling + rising + 2 * ((index)here[right] - (index)here[left]),
              down = falling - rising + 2 * ((index)below[x] - (index)above[x]);
  return (across <= FLAT_GRADIENT) & (across >= -FLAT_GRADIENT) & (down <= FLAT_GRADIENT) &
         (down >= -FLAT_GRADIENT);
}

lane_fn index lattice_side(index side, index step) { return (side + step - 1) / step; }

// Every so many pixels of every so many rows are asked.
lane_fn index lattice_step(index width, index height) {
  index step = 1;
  while (lattice_side(width, step) * lattice_side(height, step) > LATTICE_POINTS) ++step;
  return step;
}

// The same on all devices, and nothing of it follows the picture's rows.
lane_fn bits32 mixed_bits(bits32 n) {
  n *= 2654435761u;
  n ^= n >> 15;
  n *= 2246822519u;
  return n ^ (n >> 13);
}

// The point of the lattice, by its number, goes to this place of its region's samples; the one of
// the lowest key stays there. The low half of a key is the number.
lane_fn bits32 sample_hash(index point) { return mixed_bits((bits32)point + 131073u); }
lane_fn index sample_place(index point) {
  return (index)(sample_hash(point) & (bits32)(PLANE_SAMPLES - 1));
}
lane_fn bits32 sample_key(index point) {
  return ((sample_hash(point) >> 12) & 0xffffu) << 16 | (bits32)point;
}

// The j-th sample of a trial is the first one from this place on.
lane_fn index trial_place(index trial, index j) {
  return (index)((mixed_bits((bits32)(3 * trial + j) + 15839u) >> 8) & (bits32)(PLANE_SAMPLES - 1));
}

// Through sample (x, y) of disparity d; slopes along rows and columns.
struct disparity_plane {
  index x, y, d, along, down;
};

// A plane through three samples; every fourth trial one of a single disparity. False: too steep, or
// the samples lie too close.
lane_fn index plane_through(index trial, const index* x, const index* y, const index* d,
                            struct disparity_plane* plane) {
  plane->x = x[0];
  plane->y = y[0];
  plane->d = d[0];
  plane->along = plane->down = 0;
  if (trial % 4 == 0) return 1;
  const offset x1 = x[1] - x[0], y1 = y[1] - y[0], d1 = d[1] - d[0];
  const offset x2 = x[2] - x[0], y2 = y[2] - y[0], d2 = d[2] - d[0];
  const offset area = x1 * y2 - x2 * y1;
  if (area > -PLANE_TRIANGLE && area < PLANE_TRIANGLE) return 0;
  const offset along = (d1 * y2 - d2 * y1) * PLANE_FRACTION / area,
               down = (x1 * d2 - x2 * d1) * PLANE_FRACTION / area;
  if (along > PLANE_STEEPEST || along < -PLANE_STEEPEST) return 0;
  if (down > PLANE_STEEPEST || down < -PLANE_STEEPEST) return 0;
  plane->along = (index)along;
  plane->down = (index)down;
  return 1;
}

lane_fn index plane_value(const struct disparity_plane* plane, index x, index y) {
  const index slope = plane->along * (x - plane->x) + plane->down * (y - plane->y);
  return plane->d + ((slope + PLANE_FRACTION / 2) >> 10);
}

// By how much a sample adds to a plane's score: 1 on it, -1 below. What a foreground drags along at
// its border is above and says nothing.
lane_fn index plane_vote(const struct disparity_plane* plane, index x, index y, index d) {
  const index apart = d - plane_value(plane, x, y);
  return apart > PLANE_NEAR ? 0 : apart < -PLANE_NEAR ? -1 : 1;
}

// Is the plane believed, which so many of the samples lie on? It takes 4 in 11 of them, and a
// larger share than that of the region's pixels which are known: where most are, the nearest ones
// are better. lattice_known: known points of the lattice.
lane_fn index plane_fits(index on_it, index samples, index lattice_known, index step,
                         index region_pixels) {
  return 11 * on_it >= 4 * samples &&
         (offset)on_it * region_pixels >= (offset)samples * lattice_known * step * step;
}

// No pixel of the region is nearer or farther than the samples on its plane.
lane_fn index plane_fill(const struct disparity_plane* plane, index lowest, index highest, index x,
                         index y) {
  const index value = plane_value(plane, x, y);
  return value < lowest ? lowest : value > highest ? highest : value;
}
