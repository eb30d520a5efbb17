// SPDX-License-Identifier: BSD-3-Clause
// Layout of the arrays of adjust.kernels and tracks.kernels, which include this file.
//
// Observations are kept twice. In point order, lane l of slice s is a point, and its observations
// are rows[s] to rows[s + 1]: row r has its numbers at [r SLICE + l]. In view order a lane is a
// chunk: at most CHUNK observations of one image. Rows past the end of a lane have NaN coordinates
// and zero blocks.

enum { SLICE = 32, CHUNK = 64 };

// A camera: numbers at [camera CAMERA_SIZE + CAMERA_...].
enum {
  CAMERA_FX,
  CAMERA_FY,
  CAMERA_CX,
  CAMERA_CY,
  CAMERA_KIND,                     // LENS_...
  CAMERA_LENS,                     // LENS_SIZE numbers (scene/lens_kinds.h)
  CAMERA_SLOTS = CAMERA_LENS + 8,  // COLUMN_... of each adjusted parameter, or COLUMN_NONE
  CAMERA_SIZE = CAMERA_SLOTS + 12
};
// A pose: R row by row, then the centre, at [image POSE_SIZE].
enum { POSE_CENTRE = 9, POSE_SIZE = 12 };
// Stride of points.
enum { POINT_SIZE = 4 };
