// SPDX-License-Identifier: BSD-3-Clause
// Structs that the host and the kernels of gather.kernels share, with members of one width.
// Included into namespace bifocal::verify (records.hpp), from which C++ and CUDA have them, and
// into the text of OpenCL.

typedef struct position {  // px
  double x, y;
} position;

// The places of an image's features in a FeatureSet.
typedef struct image_slot {
  offset begin;
  int image, capacity;
} image_slot;

// The part of an image away from its border, in px from the corner of the first pixel.
typedef struct inner_area {
  double least;  // of x and y
  double most_x, most_y;
} inner_area;
