// SPDX-License-Identifier: BSD-3-Clause
// Numbers of a LensCamera (bifocal/camera.hpp) with the same layout on the host and on devices; two
// ints fill the width of a double. The file is included into namespace bifocal::rectification
// (lens_model.hpp), which C++ and CUDA sources use, and into OpenCL sources.

enum { LENS_PINHOLE, LENS_BROWN, LENS_FISHEYE, LENS_FOV, LENS_DIVISION, LENS_EUCM };

typedef struct lens_model {
  double fx, fy, cx, cy;                                  // intrinsics of the image, px
  double pinhole_fx, pinhole_fy, pinhole_cx, pinhole_cy;  // intrinsics of undistorted points, px
  // LENS_BROWN: k1 k2 p1 p2 k3 k4 k5 k6. LENS_FISHEYE: k1 to k4 p1 p2 sx sy. LENS_FOV,
  // LENS_DIVISION and LENS_EUCM: their parameters in order.
  double k[8];
  double squared_radius;  // squared radius of the disc in which LENS_BROWN has an inverse
  double fold;            // LENS_FISHEYE: angle up to which the map has an inverse
  int kind;               // LENS_PINHOLE, ...
  int unused;
} lens_model;
