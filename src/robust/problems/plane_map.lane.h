// SPDX-License-Identifier: BSD-3-Clause
// Family of problems: maps between two images, x2 ~ H x1 with H row-major [9]. Error: Sampson
// distance to the matches of H (math/transfer.lane.h). A problem of this family adds its numbers,
// its solver and its chart.

enum {
  COLUMNS = 4,             // numbers of a point: x1 y1 x2 y2
  TWO_VIEWS = 1,           // columns 2 and 3 are a point of the second image
  CAMERAS = 0,             // that are given
  HAS_POSE = 0,            // the model has one
  RESIDUALS = 2,           // of a point
  MODEL_SIZE = 9,          // numbers of a model
  EQUATIONS = 9,           // rows of the normal equations: the elements of H
  TERMS = TRANSFER_TERMS,  // of a linearised point
  SIDES = 0,               // the map does not tell on which side of the cameras a point lies
  DOMINANT_PLANE = 0       // most inliers on one plane are no degeneracy
};

lane_fn real point_error(const real* H, const real* p, const real* focal) {
  (void)focal;
  return transfer_squared(H, p[0], p[1], p[2], p[3]);
}

// Terms of the normal equations at point p. Returns the squared error.
lane_fn real point_linearise(const real* H, const real* p, const real* focal, real* terms) {
  (void)focal;
  return transfer_terms(H, p, terms);
}
lane_fn void point_accumulate(real* terms, real w, real* N, real* g) {
  transfer_accumulate(terms, w, N, g);
}

// |H| = 1. A singular map agrees with every match that starts near a line of image 1.
lane_fn mask model_is_sound(const real* H) { return fabs(mat3_determinant(H)) > lane(1e-6); }

// A pair of n points is given up after this many samples without a model that scores more than
// chance. A map needs a sample free of wrong matches. Measured with 20 % of right matches
// (docs/robust.md).
lane_fn real hypotheses_before_giving_up(real n) { return lane(3000) + lane(8e5) / n; }

// How often a wrong match agrees with a wrong model, from the box [w, h] of the points in an image:
// it falls into the ellipse around the transferred point (of radius sqrt(2) thresholds where both
// images have one scale). A wild point may make the box's area infinite.
lane_fn real chance_in_box(real w, real h, real threshold) {
  real u = lane(1) / w, v = lane(1) / h;
  real rate = lane(6.283185307179586) * threshold * u * threshold * v;
  return select(rate < lane(1), rate, lane(1));
}

// What the cameras [CAMERA_NUMBERS] add to info: nothing here. Returns px a unit of the errors.
lane_fn real camera_info(const real* cameras, real length, real threshold, real* info) {
  (void)cameras, (void)threshold, (void)info;
  return length;
}

// A point [COLUMNS] as given, in scoring coordinates.
lane_fn void point_columns(const real* given, const real* cameras, const real* info,
                           real* columns) {
  (void)cameras;
  for (index c = 0; c < 4; ++c)
    columns[c] = (given[c] - info[INFO_CENTRE + c]) * (lane(1) / info[INFO_LENGTH]);
}

// The matrix of the result: H in px, |H| = 1: T2^-1 H T1 with T = [1/l 0 -c/l; ...] of each image,
// times the length l.
lane_fn void result_matrix(const real* info, const real* model, real* H) {
  real centres[4], after[9], before[9], product[9];
  for (index i = 0; i < 4; ++i) centres[i] = info[INFO_CENTRE + i];
  frame_before(centres, info[INFO_LENGTH], before);
  frame_after(centres + 2, info[INFO_LENGTH], after);
  mat3_mul(after, model, product);
  mat3_mul(product, before, H);
  mat3_normalise(H);
}
lane_fn void result_pose(const real* info, const real* model, const real* side, real* pose) {
  (void)info, (void)model, (void)side;
  for (index i = 0; i < 12; ++i) pose[i] = lane(0);
}

// Every match may be one: see epipolar.lane.h.
lane_fn void side_candidates(const real* model, const real* rays, real* sides) {
  (void)model, (void)rays, (void)sides;
}
lane_fn real side_limit(const real* side, real inverse_squared_threshold, real parallax) {
  (void)side, (void)inverse_squared_threshold;
  return parallax;
}
lane_fn real point_side(const real* model, const real* side, const real* rays, const real* p,
                        real limit, mask* unsure) {
  (void)model, (void)side, (void)rays, (void)p, (void)limit;
  *unsure = lane(1) > lane(0);
  return lane(0);
}
