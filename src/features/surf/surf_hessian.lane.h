// SPDX-License-Identifier: BSD-3-Clause
// Box-filtered Hessians on an integral image, in whole numbers, so that all devices give the same
// results. `sums` points to the sum of the pixel at the filter's centre, in global or shared
// memory. The boxes are macros, because OpenCL C has no pointer to both kinds of memory. l: a third
// of the filter's side.

// Sum of the pixels [left, right) x [top, bottom), relative to the centre.
#define SURF_BOX(sums, stride, left, right, top, bottom)                                  \
  ((index)((sums)[(bottom) * (stride) + (right)] - (sums)[(bottom) * (stride) + (left)] - \
           (sums)[(top) * (stride) + (right)] + (sums)[(top) * (stride) + (left)]))
#define SURF_XX(sums, stride, l)                                             \
  (SURF_BOX(sums, stride, -(3 * (l)-1) / 2, (3 * (l) + 1) / 2, 1 - (l), l) - \
   3 * SURF_BOX(sums, stride, -((l)-1) / 2, ((l) + 1) / 2, 1 - (l), l))
#define SURF_YY(sums, stride, l)                                             \
  (SURF_BOX(sums, stride, 1 - (l), l, -(3 * (l)-1) / 2, (3 * (l) + 1) / 2) - \
   3 * SURF_BOX(sums, stride, 1 - (l), l, -((l)-1) / 2, ((l) + 1) / 2))
#define SURF_XY(sums, stride, l)                                                               \
  (SURF_BOX(sums, stride, -(l), 0, -(l), 0) + SURF_BOX(sums, stride, 1, (l) + 1, 1, (l) + 1) - \
   SURF_BOX(sums, stride, 1, (l) + 1, -(l), 0) - SURF_BOX(sums, stride, -(l), 0, 1, (l) + 1))

// Type of the products, which are whole numbers. The vectors of a CPU multiply doubles, which hold
// whole numbers to 2^53, half of the largest determinant.
#ifndef SURF_WHOLE
#define SURF_WHOLE offset
#endif

// Returns the determinant, rounded once and scaled.
group_fn real surf_scaled(SURF_WHOLE xx, SURF_WHOLE yy, SURF_WHOLE xy, real scale) {
  const SURF_WHOLE outer = SURF_DETERMINANT, mixed = SURF_MIXED;
  return (real)(outer * xx * yy - mixed * xy * xy) * scale;
}
group_fn real surf_determinant(global_const bits32* sums, offset stride, index l, real scale) {
  return surf_scaled(SURF_XX(sums, stride, l), SURF_YY(sums, stride, l), SURF_XY(sums, stride, l),
                     scale);
}
// Returns the determinant from sums in shared memory. A group does not compute it if Dxx Dyy alone
// shows that it is not above the threshold, because half of the sums that a determinant reads are
// for Dxy.
group_fn real surf_determinant_near(local_ptr const bits32* sums, index stride, index l, real scale,
                                    real threshold) {
  const SURF_WHOLE xx = SURF_XX(sums, stride, l), yy = SURF_YY(sums, stride, l);
  real determinant = lane(0);
  if (GROUP_SIZE == 1 || surf_scaled(xx, yy, 0, scale) > threshold)
    determinant = surf_scaled(xx, yy, SURF_XY(sums, stride, l), scale);
  return determinant;
}

// Returns the lobe of a layer of an octave as a whole number.
group_fn index surf_layer_lobe(index octave, index layer) {
  return (2 << octave) * (layer + 1) + 1;
}

// Integral image of one image of a batch.
typedef struct {
  global_const bits32* sums;
  index stride, width, height;
} integral_view;
group_fn integral_view integral_of(global_const bits32* sums, index stride, index width,
                                   index height) {
  integral_view image;
  image.sums = sums;
  image.stride = stride;
  image.width = width;
  image.height = height;
  return image;
}
