// SPDX-License-Identifier: BSD-3-Clause
// The numbers of a LensCamera (bifocal/camera.hpp) as host and devices share them, with members of
// one width. Included into namespace bifocal::rectification (lens_model.hpp), from which C++ and
// CUDA have them, and into the text of OpenCL.

enum { LENS_PINHOLE, LENS_BROWN, LENS_FISHEYE, LENS_FOV, LENS_DIVISION, LENS_EUCM };

typedef struct lens_model {
  double fx, fy, cx, cy;                                  // of the image, px
  double pinhole_fx, pinhole_fy, pinhole_cx, pinhole_cy;  // of undistorted points, px
  // LENS_BROWN: k1 k2 p1 p2 k3 k4 k5 k6. LENS_FISHEYE: k1 to k4 p1 p2 sx sy. LENS_FOV,
  // LENS_DIVISION and LENS_EUCM: their parameters in order.
  double k[8];
  double squared_radius;  // of the disc in which LENS_BROWN has an inverse
  double fold;            // LENS_FISHEYE: angle at which the distance from the centre is largest
  int kind;               // LENS_PINHOLE, ...
  int unused;
} lens_model;
