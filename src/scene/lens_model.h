// SPDX-License-Identifier: BSD-3-Clause
// Numbers of a LensCamera (bifocal/camera.hpp) with the same layout on the host and on devices; two
// ints fill the width of a double. The file is included into namespace bifocal::scene
// (lens_model.hpp), which C++ and CUDA sources use, and into OpenCL sources.

// The kinds of lenses with their coefficients, in the order of lens_model::k.
// bifocal/camera_models.def has the models of each kind.
#define LENS_KINDS(KIND)                     \
  KIND(PINHOLE, "")                          \
  KIND(BROWN, "k1 k2 p1 p2 k3 k4 k5 k6")     \
  KIND(FISHEYE, "k1 k2 k3 k4 p1 p2 sx1 sy1") \
  KIND(FOV, "w")                             \
  KIND(DIVISION, "k")                        \
  KIND(EUCM, "alpha beta")
#define LENS_KIND_NUMBER_(name, coefficients) LENS_##name,
enum { LENS_KINDS(LENS_KIND_NUMBER_) LENS_COUNT, LENS_NONE = LENS_COUNT };

typedef struct lens_model {
  double fx, fy, cx, cy;                                  // intrinsics of the image, px
  double pinhole_fx, pinhole_fy, pinhole_cx, pinhole_cy;  // intrinsics of undistorted points, px
  double k[8];                                            // coefficients of the kind
  double squared_radius;  // squared radius of the disc in which LENS_BROWN has an inverse
  double fold;            // LENS_FISHEYE: angle up to which the map has an inverse
  int kind;               // LENS_PINHOLE, ...
  int unused;
} lens_model;
