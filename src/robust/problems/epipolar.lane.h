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
lane_fn void epipolar_in_px(const real* info, const real* model, real* F) {
  real centres[4], first[9], second[9], transposed[9], product[9];
  for (index i = 0; i < 4; ++i) centres[i] = info[INFO_CENTRE + i];
  frame_before(centres, info[INFO_LENGTH], first);
  frame_before(centres + 2, info[INFO_LENGTH], second);
  for (index i = 0; i < 9; ++i) transposed[i] = second[3 * (i % 3) + i / 3];
  mat3_mul(transposed, model, product);
  mat3_mul(product, first, F);
  mat3_normalise(F);
}
