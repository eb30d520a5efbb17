// SPDX-License-Identifier: BSD-3-Clause
// Family of problems: maps between two images, x2 ~ H x1 with H row-major [9]. Error: Sampson
// distance to the matches of H (math/transfer.lane.h). A problem of this family adds its numbers,
// its solver and its chart.

enum {
  TWO_VIEWS = 1,           // columns 2 and 3 are a point of the second image
  CAMERAS = 0,             // that are given
  HAS_POSE = 0,            // the model has one
  RESIDUALS = 2,           // of a point
  MODEL_SIZE = 9,          // numbers of a model
  EQUATIONS = 9,           // rows of the normal equations: the elements of H
  TERMS = TRANSFER_TERMS,  // of a linearised point
  // A model is believed when fewer than 10^this as well supported ones are expected of outliers
  // (significance.cpp): of maps fewer, which are refined to outliers near to each other.
  LOG10_FALSE_ALARMS = -3,
  SIDES = 0,          // the map does not tell on which side of the cameras a point lies
  DOMINANT_PLANE = 0  // most inliers on one plane are no degeneracy
};

// How RANSAC treats such models (epipolar.lane.h): outliers hardly ever agree with a map,
// and refinement leads from a sample of right ones to the best.
enum {
  AGREES_BY_CHANCE = 0,
  WRONG_IN_TELLING_SAMPLE = 0,
  FIRST_ROUND_CANDIDATES = 1,
  THOROUGH_SAMPLES = 0,
  KEEPS_BEST_EARLY = 1,
  CUTS_LEVERAGE = 0,
  IMAGES_HAVE_UNITS = 1,
  COPIES_BIND = 1
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

// A singular map agrees with every match that starts near a line of image 1. Rows 1 and 2 have the
// unit of image 2, which may be another one (pixels to metres), so the determinant is compared with
// their length and that of row 3: the three are as good as in a plane where that is much larger.
lane_fn mask model_is_sound(const real* H) {
  real map = fmax(vec3_dot(H, H), vec3_dot(H + 3, H + 3)), w = vec3_dot(H + 6, H + 6);
  return fabs(mat3_determinant(H)) > lane(1e-6) * map * sqrt(w);
}

// How often an outlier agrees with a wrong model, from the box [w, h] of the points in an image:
// it falls into the ellipse around the transferred point (of radius sqrt(2) thresholds where both
// images have one scale). A wild point may make the box's area infinite.
lane_fn real chance_in_box(real w, real h, real threshold) {
  real u = lane(1) / w, v = lane(1) / h;
  real rate = lane(6.283185307179586) * threshold * u * threshold * v;
  return select(rate < lane(1), rate, lane(1));
}

// The matrix of the result: H in px, |H| = 1: T2^-1 H T1 with T = [1/l 0 -c/l; ...] of each image,
// times the length l.
lane_fn void result_matrix(const pair_info* info, const real* rays, const real* model, real* H) {
  (void)rays;
  real centres[4], after[9], before[9], product[9];
  for (index i = 0; i < 4; ++i) centres[i] = lane(info->centre[i]);
  frame_before(centres, lane(info->length), before);
  frame_after(centres + 2, lane(info->length), after);
  mat3_mul(after, model, product);
  mat3_mul(product, before, H);
  mat3_normalise(H);
}
