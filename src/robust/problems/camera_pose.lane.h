// SPDX-License-Identifier: BSD-3-Clause
// Family of problems: the pose of a camera, camera from world, from scene points seen in its image.
// A model begins with a camera matrix (row-major [9], and its last column [3]). Error: reprojection
// distance, px (math/reprojection.lane.h), with focal [2] px a unit of the image. Scoring
// coordinates of the world: shifted to the points' mean and scaled to about unit size. The families
// behind this one, or the problem itself, say what the numbers of a model are; a problem adds its
// numbers and its solver.

enum {
  LOG10_FALSE_ALARMS = -2,  // as in plane_map.lane.h
  COLUMNS = 5,              // numbers of a point: x y X Y Z
  TWO_VIEWS = 0,            // columns 2, 3 and 4 are a point of the scene
  CAMERAS = 1,              // that are given
  HAS_POSE = 1,             // the model has one
  RESIDUALS = 2,            // of a point
  MODEL_SIZE = 12,          // numbers of a model
  SIDES = 0,                // a point behind the camera has no error at all
  DOMINANT_PLANE = 0        // most inliers on one plane are no degeneracy
};

// How RANSAC treats such models: as maps (plane_map.lane.h).
enum {
  AGREES_BY_CHANCE = 0,
  WRONG_IN_TELLING_SAMPLE = 0,
  FIRST_ROUND_CANDIDATES = 1,
  THOROUGH_SAMPLES = 0,
  KEEPS_BEST_EARLY = 1,
  CUTS_LEVERAGE = 0,
  IMAGES_HAVE_UNITS = 0,
  COPIES_BIND = 0
};

lane_fn real point_error(const real* P, const real* p, const real* focal) {
  return reprojection_squared(P, p[0], p[1], p + 2, focal[0], focal[1]);
}

// How often an outlier agrees with a wrong model: it falls into the disc around the projected
// point.
lane_fn real chance_in_box(real w, real h, real threshold) {
  real rate = lane(3.141592653589793) * (threshold * threshold) / (w * h);
  return select(rate < lane(1), rate, lane(1));
}

// The scene point of a point [COLUMNS] as given, in scoring coordinates.
lane_fn void scene_columns(const real* given, const pair_info* info, real* columns) {
  for (index c = 0; c < 3; ++c)
    columns[2 + c] = (given[2 + c] - lane(info->centre[c])) / lane(info->length);
}

// The pose [12] in the world as given, of one in scoring coordinates.
lane_fn void pose_in_world(const pair_info* info, const real* own, real* pose) {
  real centre[3], rotated[3];
  for (index i = 0; i < 3; ++i) centre[i] = lane(info->centre[i]);
  mat3_apply(own, centre, rotated);
  for (index i = 0; i < 9; ++i) pose[i] = own[i];
  for (index i = 0; i < 3; ++i) pose[9 + i] = lane(info->length) * own[9 + i] - rotated[i];
}
