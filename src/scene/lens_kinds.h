// SPDX-License-Identifier: BSD-3-Clause
// The kinds of lenses, for the host and for devices. The file is included into namespace
// bifocal::scene (lens_model.hpp) and into the classes and sources of camera.list.

// Each kind with its coefficients. NAME.lane.h or radial.lane.h has its functions
// (lens_image.lane.h), bifocal/camera_models.def the models of the kind.
#define LENS_KINDS(KIND)                              \
  KIND(PINHOLE, pinhole, "")                          \
  KIND(BROWN, brown, "k1 k2 p1 p2 k3 k4 k5 k6")       \
  KIND(FISHEYE, fisheye, "k1 k2 k3 k4 p1 p2 sx1 sy1") \
  KIND(FOV, fov, "w")                                 \
  KIND(DIVISION, division, "k")                       \
  KIND(EUCM, eucm, "alpha beta")
#define LENS_NUMBER_(NAME, name, coefficients) LENS_##NAME,
enum { LENS_KINDS(LENS_NUMBER_) LENS_COUNT, LENS_NONE = LENS_COUNT };
// Numbers of a lens: its coefficients, then for FOV 2 tan(w / 2) and its derivative by w.
enum { LENS_SIZE = 8 };

// Parameters of a camera, by which camera.lane.h differentiates.
enum {
  COLUMN_F,  // of both axes
  COLUMN_FX,
  COLUMN_FY,
  COLUMN_CX,
  COLUMN_CY,
  COLUMN_LENS,  // LENS_SIZE coefficients
  COLUMN_NONE = COLUMN_LENS + LENS_SIZE
};
