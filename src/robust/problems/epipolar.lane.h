// SPDX-License-Identifier: BSD-3-Clause
// Family of problems: epipolar matrices, x2' F x1 = 0. F is row-major [9] in scoring coordinates
// and comes first in a model. Error: Sampson distance. The families that extend this one
// (epipolar_lines) or the problem itself define how points enter the equation. A problem adds its
// constants, its solver, its chart, and the test for the side of the scene.

enum {
  LOG10_FALSE_ALARMS = -2,  // as in plane_map.lane.h
  TWO_VIEWS = 1,            // columns 2 and 3 are a point of the second image
  RESIDUALS = 1,            // per point
  LINE_IS_DEGENERATE = 1    // inliers on a line of an image do not determine the model
};

// How RANSAC treats these models. Every family defines all constants of this list.
enum {
  // 1: outliers near their epipolar lines are inliers of a wrong model by chance. Then no model is
  // given up for lack of support so far, and a threshold that is far too wide is narrowed.
  HAS_CHANCE_INLIERS = 1,
  // Number of outliers in a sample with which its model still scores more than chance.
  TOLERATED_SAMPLE_OUTLIERS = 1,
  // Number of refined models in the first round. More than one, because the best may fit only one
  // plane of the scene.
  FIRST_ROUND_CANDIDATES = 2,
  // Smallest number of samples if time allows. The true matrix of a scene and a matrix of a
  // large plane in the scene have nearly as many inliers, and refinement leads from a sample to
  // either matrix.
  THOROUGH_SAMPLES = 256,
  KEEPS_BEST_EARLY = 0,   // 1: after refinement, other samples of the round rarely improve it
  CUTS_LEVERAGE = 1,      // 1: the last fit leaves out points of too much leverage
  IMAGES_HAVE_UNITS = 0,  // 1: the images may have different units, such as pixels and metres
  IS_COPY_LIMITED = 0     // 1: copying points to a GPU takes longer than RANSAC
};

// Relative increase of the score below which the last fit ends. It is small, because the weights of
// the fit change as well.
lane_fn scalar polish_tolerance(index is_settled) {
  (void)is_settled;
  return (scalar)1e-9;
}

// Probability that an outlier is an inlier of a wrong model, from the bounding box [w, h] of the
// points in an image: it must fall into the strip along its epipolar line.
lane_fn real chance_in_box(real w, real h, real threshold) {
  real u = lane(1) / w, v = lane(1) / h;
  real rate = lane(2.8284271247461903) * threshold * sqrt(u * u + v * v);
  return select(rate < lane(1), rate, lane(1));
}

// Computes F in px, |F| = 1, from a model: T2' F T1.
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
