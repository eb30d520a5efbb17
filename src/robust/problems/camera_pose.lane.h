// SPDX-License-Identifier: BSD-3-Clause
// Family of problems: the pose (R row-major [9], t [3]) of a camera, camera from world, from scene
// points seen in its image. Error: reprojection distance, px (math/reprojection.lane.h). Scoring
// coordinates: the normalised image plane, and a world shifted to the points' mean and scaled to
// about unit size. A problem of this family adds its numbers and its solver.

enum {
  LOG10_FALSE_ALARMS = -2,  // as in plane_map.lane.h
  COLUMNS = 5,              // numbers of a point: x y X Y Z
  TWO_VIEWS = 0,            // columns 2, 3 and 4 are a point of the scene
  CAMERAS = 1,              // that are given
  HAS_POSE = 1,             // the model has one
  RESIDUALS = 2,            // of a point
  MODEL_SIZE = 12,          // numbers of a model
  EQUATIONS = 6,            // rows of the normal equations: a small turn and shift of the camera
  TERMS = 14,               // of a linearised point
  SIDES = 0,                // a point behind the camera has no error at all
  DOMINANT_PLANE = 0        // most inliers on one plane are no degeneracy
};

// How the search treats such models: as maps (plane_map.lane.h).
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

// Terms of the normal equations at point p: the derivatives J [2][6] and the residuals [2]. Returns
// the squared error, NaN behind the camera.
lane_fn real point_linearise(const real* P, const real* p, const real* focal, real* terms) {
  real cam[3];
  real* r = terms + 12;
  real z = reprojection_residual(P, p[0], p[1], p + 2, focal[0], focal[1], cam, r);
  reprojection_jacobian(cam, focal[0], focal[1], terms);
  return select(z > lane(0), r[0] * r[0] + r[1] * r[1], lane_nan());
}

// Adds w times a point's terms to the packed lower triangle N [21] and the half gradient g [6].
lane_fn void point_accumulate(real* terms, real w, real* N, real* g) {
  real* J = terms;
  for (index k = 0; k < 12; ++k) J[k] = masked(w, J[k]);
  real r0 = masked(w, w * terms[12]), r1 = masked(w, w * terms[13]);
  index packed = 0;
  for (index k = 0; k < 6; ++k) {
    real w0 = w * J[k], w1 = w * J[6 + k];
    for (index l = 0; l <= k; ++l) N[packed + l] += w0 * J[l] + w1 * J[6 + l];
    packed += k + 1;
    g[k] += r0 * J[k] + r1 * J[6 + k];
  }
}

// How often a wrong match agrees with a wrong model: it falls into the disc around the projected
// point.
lane_fn real chance_in_box(real w, real h, real threshold) {
  real rate = lane(3.141592653589793) * (threshold * threshold) / (w * h);
  return select(rate < lane(1), rate, lane(1));
}

// What the camera adds to info. Returns px a unit of the errors.
#define OWN_camera_info
lane_fn real camera_info(const real* cameras, real length, real threshold, pair_info* info) {
  (void)length, (void)threshold;
  info->focal[0] = cameras[0];
  info->focal[1] = cameras[1];
  return lane(1);
}

// A point [COLUMNS] as given, in scoring coordinates.
#define OWN_point_columns
lane_fn void point_columns(const real* given, const real* cameras, const pair_info* info,
                           real* columns) {
  for (index c = 0; c < 2; ++c) columns[c] = (given[c] - cameras[2 + c]) / cameras[c];
  for (index c = 0; c < 3; ++c)
    columns[2 + c] = (given[2 + c] - lane(info->centre[c])) / lane(info->length);
}

// The result's matrix is its rotation, its pose in the world as given.
lane_fn void result_matrix(const pair_info* info, const real* rays, const real* model, real* R) {
  (void)info, (void)rays;
  for (index i = 0; i < 9; ++i) R[i] = model[i];
}
#define OWN_result_pose
lane_fn void result_pose(const pair_info* info, const real* model, const real* side, real* pose) {
  (void)side;
  real centre[3], turned[3];
  for (index i = 0; i < 3; ++i) centre[i] = lane(info->centre[i]);
  mat3_apply(model, centre, turned);
  for (index i = 0; i < 9; ++i) pose[i] = model[i];
  for (index i = 0; i < 3; ++i) pose[9 + i] = lane(info->length) * model[9 + i] - turned[i];
}
