// SPDX-License-Identifier: BSD-3-Clause
// Structs shared by the host and the kernels of gather.kernels, with members of one width. C++
// and CUDA include them into namespace bifocal::verify (records.hpp); OpenCL includes them
// into its source.

typedef struct position {  // px
  double x, y;
} position;

// The rows of an image's features in a FeatureSet.
typedef struct image_slot {
  offset begin;
  int image, capacity;
} image_slot;

// The part of an image away from its border, in px from the corner of the first pixel.
typedef struct inner_area {
  double least;  // of x and y
  double most_x, most_y;
} inner_area;
