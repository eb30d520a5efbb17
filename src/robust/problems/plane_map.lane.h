// SPDX-License-Identifier: BSD-3-Clause
// Family of problems: maps between two images, x2 ~ H x1 with H row-major [9]. Error: Sampson
// distance to the matches of H (math/transfer.lane.h). A problem of this family adds its constants,
// its solver and its chart.

enum {
  TWO_VIEWS = 1,           // columns 2 and 3 are a point of the second image
  CAMERAS = 0,             // number of given cameras
  HAS_POSE = 0,            // the model contains no pose
  RESIDUALS = 2,           // per point
  MODEL_SIZE = 9,          // numbers of a model
  EQUATIONS = 9,           // rows of the normal equations: the elements of H
  TERMS = TRANSFER_TERMS,  // numbers of a linearised point
  // A model is significant if fewer than 10^this equally well supported models are expected from
  // outliers (significance.cpp). The level is stricter for maps, because refinement fits them to
  // outliers that are close together.
  LOG10_FALSE_ALARMS = -3,
  SIDES = 0,          // a map does not determine on which side of the cameras a point lies
  DOMINANT_PLANE = 0  // inliers on one plane are not degenerate
};

// How RANSAC treats these models (epipolar.lane.h): outliers are rarely inliers of a map, and
// refinement leads from a sample of correct matches to the best map.
enum {
  HAS_CHANCE_INLIERS = 0,
  TOLERATED_SAMPLE_OUTLIERS = 0,
  FIRST_ROUND_CANDIDATES = 1,
  THOROUGH_SAMPLES = 0,
  KEEPS_BEST_EARLY = 1,
  CUTS_LEVERAGE = 0,
  IMAGES_HAVE_UNITS = 1,
  IS_COPY_LIMITED = 1
};

lane_fn real point_error(const real* H, const real* p, const real* focal) {
  (void)focal;
  return transfer_squared(H, p[0], p[1], p[2], p[3]);
}

// Computes the terms of the normal equations at point p. Returns the squared error.
lane_fn real point_linearise(const real* H, const real* p, const real* focal, real* terms) {
  (void)focal;
  return transfer_terms(H, p, terms);
}
lane_fn void point_accumulate(real* terms, real w, real* N, real* g) {
  transfer_accumulate(terms, w, N, g);
}

// Returns whether H is not nearly singular. A singular map has every match that starts near a line
// of image 1 as an inlier. Rows 1 and 2 have the unit of image 2, which may differ from the unit of
// image 1 (pixels to metres). So the determinant is compared with the length of rows 1 and 2 times
// the length of row 3; the rows are nearly coplanar if it is much smaller.
lane_fn mask model_is_sound(const real* H) {
  real map = fmax(vec3_dot(H, H), vec3_dot(H + 3, H + 3)), w = vec3_dot(H + 6, H + 6);
  return fabs(mat3_determinant(H)) > lane(1e-6) * map * sqrt(w);
}

// Probability that an outlier is an inlier of a wrong model, from the bounding box [w, h] of the
// points in an image: it must fall into the ellipse around the transferred point, of radius sqrt(2)
// thresholds if both images have one scale. A distant point may make the area of the box infinite.
lane_fn real chance_in_box(real w, real h, real threshold) {
  real u = lane(1) / w, v = lane(1) / h;
  real rate = lane(6.283185307179586) * threshold * u * threshold * v;
  return select(rate < lane(1), rate, lane(1));
}

// Writes the matrix of the result: H in px, |H| = 1. It is T2^-1 H T1 with T = [1/l 0 -c/l; ...]
// for each image, times the length l.
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
