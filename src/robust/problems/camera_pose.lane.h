// SPDX-License-Identifier: BSD-3-Clause
// Family of problems: the pose of a camera, cam_from_world, from scene points seen in its image. A
// model begins with a camera matrix: row-major [9], then its last column [3]. Error: reprojection
// distance in px (math/reprojection.lane.h), where focal [2] is in px per unit of the image.
// Scoring coordinates of the world: shifted to the points' mean and scaled to about unit size. The
// families that extend this one, or the problem itself, define the numbers of a model; a problem
// adds its constants and its solver.

enum {
  LOG10_FALSE_ALARMS = -2,  // as in plane_map.lane.h
  COLUMNS = 5,              // numbers of a point: x y X Y Z
  TWO_VIEWS = 0,            // columns 2, 3 and 4 are a scene point
  CAMERAS = 1,              // number of given cameras
  HAS_POSE = 1,             // the model contains a pose
  RESIDUALS = 2,            // per point
  MODEL_SIZE = 12,          // numbers of a model
  SIDES = 0,                // a point behind the camera has no finite error
  DOMINANT_PLANE = 0        // inliers on one plane are not degenerate
};

// How RANSAC treats these models: like maps (plane_map.lane.h).
enum {
  HAS_CHANCE_INLIERS = 0,
  TOLERATED_SAMPLE_OUTLIERS = 0,
  FIRST_ROUND_CANDIDATES = 1,
  THOROUGH_SAMPLES = 0,
  KEEPS_BEST_EARLY = 1,
  CUTS_LEVERAGE = 0,
  IMAGES_HAVE_UNITS = 0,
  IS_COPY_LIMITED = 0
};

lane_fn real point_error(const real* P, const real* p, const real* focal) {
  return reprojection_squared(P, p[0], p[1], p + 2, focal[0], focal[1]);
}

// Probability that an outlier is an inlier of a wrong model: it must fall into the disc around
// the projected point.
lane_fn real chance_in_box(real w, real h, real threshold) {
  real rate = lane(3.141592653589793) * (threshold * threshold) / (w * h);
  return select(rate < lane(1), rate, lane(1));
}

// Converts the scene point of a given point [COLUMNS] to scoring coordinates.
lane_fn void scene_columns(const real* given, const pair_info* info, real* columns) {
  for (index c = 0; c < 3; ++c)
    columns[2 + c] = (given[2 + c] - lane(info->centre[c])) / lane(info->length);
}

// Converts a pose [12] from scoring coordinates to the caller's world coordinates.
lane_fn void pose_in_world(const pair_info* info, const real* own, real* pose) {
  real centre[3], rotated[3];
  for (index i = 0; i < 3; ++i) centre[i] = lane(info->centre[i]);
  mat3_apply(own, centre, rotated);
  for (index i = 0; i < 9; ++i) pose[i] = own[i];
  for (index i = 0; i < 3; ++i) pose[9 + i] = lane(info->length) * own[9 + i] - rotated[i];
}
