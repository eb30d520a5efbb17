// SPDX-License-Identifier: BSD-3-Clause
// Family of problems: epipolar matrices, x2' F x1 = 0 with F row-major [9] in scoring coordinates,
// the first numbers of a model. Error: Sampson distance. The families behind this one,
// epipolar_lines or the problem itself, say how points enter the equation; a problem adds its
// numbers, its solver, its chart, and what tells the side of the scene.

enum {
  LOG10_FALSE_ALARMS = -2,  // as in plane_map.lane.h
  TWO_VIEWS = 1,            // columns 2 and 3 are a point of the second image
  RESIDUALS = 1,            // of a point
  LINE_IS_DEGENERATE = 1    // inliers on a line of an image do not determine the model
};

// How RANSAC treats such models. Every family says all of these.
enum {
  // 1: outliers near their epipolar lines agree with a model by chance. So no model
  // is given up because it has no support yet, and a threshold far too wide is narrowed.
  AGREES_BY_CHANCE = 1,
  // A model scores more than chance already when so many matches of its sample are wrong.
  WRONG_IN_TELLING_SAMPLE = 1,
  // Models of the first round that are refined: the best may fit one plane of the scene alone.
  FIRST_ROUND_CANDIDATES = 2,
  // Samples drawn at least where there is time: the right matrix of a scene and one of a large
  // plane
  // in it have nearly as many inliers, and refinement leads from a sample to either.
  THOROUGH_SAMPLES = 256,
  KEEPS_BEST_EARLY = 0,   // 1: a refined model is hardly improved by another sample of its round
  CUTS_LEVERAGE = 1,      // 1: the last fit leaves out points of too much leverage
  IMAGES_HAVE_UNITS = 0,  // 1: the images may have units of their own, as pixels and metres
  COPIES_BIND = 0         // 1: copying points to a GPU takes longer than finding their model
};

// The last fit is to so small a part of the score, since its weights change as well.
lane_fn scalar polish_tolerance(index is_settled) {
  (void)is_settled;
  return (scalar)1e-9;
}

// How often an outlier agrees with a wrong model, from the box [w, h] of the points in an image:
// it falls into the strip along its epipolar line.
lane_fn real chance_in_box(real w, real h, real threshold) {
  real u = lane(1) / w, v = lane(1) / h;
  real rate = lane(2.8284271247461903) * threshold * sqrt(u * u + v * v);
  return select(rate < lane(1), rate, lane(1));
}

// F in px, |F| = 1, of a model: T2' F T1.
lane_fn void epipolar_in_px(const pair_info* info, const real* model, real* F) {
  real centres[4], first[9], second[9], transposed[9], product[9];
  for (index i = 0; i < 4; ++i) centres[i] = lane(info->centre[i]);
  frame_before(centres, lane(info->length), first);
  frame_before(centres + 2, lane(info->length), second);
  for (index i = 0; i < 9; ++i) transposed[i] = second[3 * (i % 3) + i / 3];
  mat3_mul(transposed, model, product);
  mat3_mul(product, first, F);
  mat3_normalise(F);
}
