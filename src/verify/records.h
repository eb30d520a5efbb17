// SPDX-License-Identifier: BSD-3-Clause
// Structs that the host and the kernels of gather.kernels share, with members of one width.
// Included into namespace bifocal::verify (records.hpp), from which C++ and CUDA have them, and
// into the text of OpenCL.

typedef struct feature_match {  // as Match
  int index1, index2;           // features
  int distance;
  float ratio;
} feature_match;

typedef struct position {  // px
  double x, y;
} position;

typedef struct point_pair {  // as PointPair, px
  double x1, y1, x2, y2;
} point_pair;

// The part of an image away from its border, in px from the corner of the first pixel.
typedef struct inner_area {
  double least;  // of x and y
  double most_x, most_y;
} inner_area;
