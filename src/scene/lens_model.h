// SPDX-License-Identifier: BSD-3-Clause
// Numbers of a LensCamera (bifocal/camera.hpp) with the same layout on the host and on devices; two
// ints fill the width of a double. The file is included after lens_kinds.h into namespace
// bifocal::scene (lens_model.hpp), which C++ and CUDA sources use, and into OpenCL sources.

typedef struct lens_model {
  double fx, fy, cx, cy;                                  // intrinsics of the image, px
  double pinhole_fx, pinhole_fy, pinhole_cx, pinhole_cy;  // intrinsics of undistorted points, px
  double k[LENS_SIZE];
  double reach;  // up to which the map has an inverse (lens_image.lane.h)
  int kind;      // LENS_PINHOLE, ...
  int unused;
} lens_model;
