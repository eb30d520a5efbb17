// SPDX-License-Identifier: BSD-3-Clause
// Fill::planes: the unknown pixels of a flat region of the image are assumed to lie on the plane
// that best fits the region's known pixels. All numbers are integers; disparities are in steps of
// 1/32 px.
//   M. Fischler, R. Bolles, Random sample consensus, CACM 24(6), 1981; M. Bleyer, M. Gelautz, A
//   layered stereo matching algorithm using image segmentation and global visibility constraints,
//   ISPRS JPRS 59(3), 2005, fits planes to regions of one colour.
enum {
  FLAT_GRADIENT = 12,      // Sobel gradient: 1.5 levels of 255 from pixel to pixel
  LATTICE_POINTS = 65536,  // limit of the number of pixels that the lattice samples
  PLANE_FEWEST = 48,       // known points that a region needs for a plane
  PLANE_SAMPLES = 1024,    // places for the samples of a region
  PLANE_TRIALS = 128,      // planes tried per region
  PLANE_FRACTION = 1024,   // slopes are in disparity steps / PLANE_FRACTION per pixel
  PLANE_STEEPEST = 9830,   // 0.3 px of disparity per pixel
  PLANE_NEAR = 32,         // largest distance of an inlier from the plane: 1 px
  PLANE_TRIANGLE = 200,    // twice the area of the smallest triangle that defines a plane, px^2
  PLANE_LONGEST = 65535    // longest side of an image for which 32 bits suffice, px
};
lane_fn bits32 no_sample() { return 0xffffffffu; }  // key of an empty place

// Returns whether the image is flat around column x. above, here, below: three rows of brightness,
// 0 to 255. left, right: the columns next to x.
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

// Returns the smallest step for which the lattice has at most LATTICE_POINTS points.
lane_fn index lattice_step(index width, index height) {
  index step = 1;
  while (lattice_side(width, step) * lattice_side(height, step) > LATTICE_POINTS) ++step;
  return step;
}

// Returns a hash of n: the same on all devices, and without a pattern that follows the image rows.
lane_fn bits32 mixed_bits(bits32 n) {
  n *= 2654435761u;
  n ^= n >> 15;
  n *= 2246822519u;
  return n ^ (n >> 13);
}

// A lattice point, given by its number, goes to this place among the samples of its region. The
// place keeps the point with the lowest key. The low half of a key is the point's number.
lane_fn bits32 sample_hash(index point) { return mixed_bits((bits32)point + 131073u); }
lane_fn index sample_place(index point) {
  return (index)(sample_hash(point) & (bits32)(PLANE_SAMPLES - 1));
}
lane_fn bits32 sample_key(index point) {
  return ((sample_hash(point) >> 12) & 0xffffu) << 16 | (bits32)point;
}

// Returns the place for the j-th sample of a trial, which is the first sample at this place
// or after.
lane_fn index trial_place(index trial, index j) {
  return (index)((mixed_bits((bits32)(3 * trial + j) + 15839u) >> 8) & (bits32)(PLANE_SAMPLES - 1));
}

// Plane through sample (x, y) with disparity d. along, down: slopes along rows and columns.
struct disparity_plane {
  index x, y, d, along, down;
};

// Computes the plane through three samples; every fourth trial uses a plane of constant disparity.
// Returns false if the plane is too steep or the samples are too close together.
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

// Returns the vote of a sample for a plane: 1 on the plane, -1 below it, 0 above it. Samples above
// it have no vote, because a foreground object spreads its disparities beyond its border.
lane_fn index plane_vote(const struct disparity_plane* plane, index x, index y, index d) {
  const index apart = d - plane_value(plane, x, y);
  return apart > PLANE_NEAR ? 0 : apart < -PLANE_NEAR ? -1 : 1;
}

// Returns whether the plane is accepted. It needs 4/11 of the samples as inliers, and at least the
// fraction of the region's pixels that are known: if most pixels are known, their nearest
// neighbours predict unknown pixels better. lattice_known: number of known points of the lattice.
lane_fn index plane_fits(index on_it, index samples, index lattice_known, index step,
                         index region_pixels) {
  return 11 * on_it >= 4 * samples &&
         (offset)on_it * region_pixels >= (offset)samples * lattice_known * step * step;
}

// Returns the disparity of the plane at (x, y), limited to the range of the samples on the plane.
lane_fn index plane_fill(const struct disparity_plane* plane, index lowest, index highest, index x,
                         index y) {
  const index value = plane_value(plane, x, y);
  return value < lowest ? lowest : value > highest ? highest : value;
}
