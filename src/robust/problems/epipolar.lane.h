// SPDX-License-Identifier: BSD-3-Clause
// Family of problems: epipolar matrices, x2' F x1 = 0 with F row-major [9] in scoring coordinates.
// Error: Sampson distance (math/sampson.lane.h). A problem of this family adds its numbers, its
// solver, its chart, and what tells the side of the scene.

enum {
  LOG10_FALSE_ALARMS = -2,  // as in plane_map.lane.h
  COLUMNS = 4,              // numbers of a point: x1 y1 x2 y2
  TWO_VIEWS = 1,            // columns 2 and 3 are a point of the second image
  RESIDUALS = 1,            // of a point
  MODEL_SIZE = 9,           // numbers of a model
  EQUATIONS = 9,            // rows of the normal equations: the elements of F
  TERMS = 11,               // of a linearised point
  LINE_IS_DEGENERATE = 1    // inliers on a line of an image do not determine the model
};

// How the search treats such models. Every family says all of these.
enum {
  // 1: of wrong matches a part agrees with any model, those near their epipolar lines. So no model
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
#define OWN_polish_tolerance
lane_fn scalar polish_tolerance(index is_settled) {
  (void)is_settled;
  return (scalar)1e-9;
}

lane_fn real point_error(const real* F, const real* p, const real* focal) {
  (void)focal;
  return sampson_squared(F, p[0], p[1], p[2], p[3]);
}

// Terms of the normal equations at point p: B [9], the weight a of sampson_linearise and the
// residual. Returns the squared error.
lane_fn real point_linearise(const real* F, const real* p, const real* focal, real* terms) {
  (void)focal;
  real c = sampson_linearise(F, p[0], p[1], p[2], p[3], terms, terms + 9);
  terms[10] = c;
  return terms[9] * c * c;
}

// Adds w times a point's terms to the packed lower triangle N [45] and the half gradient g [9].
lane_fn void point_accumulate(real* terms, real w, real* N, real* g) {
  real* B = terms;
  real a = terms[9], c = terms[10];
  for (index k = 0; k < 9; ++k) B[k] = masked(w, B[k]);
  real wa = masked(w, w * a), wc = masked(w, w * a * c);
  index packed = 0;
  lane_unroll_all for (index k = 0; k < 9; ++k) {
    real wb = wa * B[k];
    lane_unroll_all for (index l = 0; l <= k; ++l) N[packed + l] += wb * B[l];
    packed += k + 1;
    g[k] += wc * B[k];
  }
}

// How often a wrong match agrees with a wrong model, from the box [w, h] of the points in an image:
// it falls into the strip along its epipolar line.
lane_fn real chance_in_box(real w, real h, real threshold) {
  real u = lane(1) / w, v = lane(1) / h;
  real rate = lane(2.8284271247461903) * threshold * sqrt(u * u + v * v);
  return select(rate < lane(1), rate, lane(1));
}

// Puts a matrix of the lanes in m behind the `kept` ones of `models` [slots][9]; more are dropped.
lane_fn void epipolar_keep(const real* F, mask m, index slots, real* kept, real* models) {
  for (index s = 0; s < slots; ++s) {
    mask here = m & (*kept == lane(s));
    for (index i = 0; i < 9; ++i) models[9 * s + i] = select(here, F[i], models[9 * s + i]);
  }
  *kept = fmin(*kept + select(m, lane(1), lane(0)), lane(slots));
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
