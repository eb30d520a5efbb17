// SPDX-License-Identifier: BSD-3-Clause
// Problem: F and the radial distortion k shared by two images through one lens,
// from nine matches (family uncalibrated). The constraint is x2(k)' F x1(k) = 0
// with x(k) = (x, y, 1 + k r^2), where r is the distance from the known centre of
// distortion. Solver: solvers/fundamental_9pt_shared_radial.lane.h.
//   A. W. Fitzgibbon, Simultaneous linear estimation of multiple view geometry and lens distortion,
//   CVPR 2001
// A model is F for undistorted points and k, both in scoring coordinates, whose origin is the
// centre of distortion. Error: the Sampson distance of the distorted points as measured; undefined
// unless 1 + k r^2 > 0. `focal` [1]: r^2 = x^2 + focal[1] y^2, for pixels that are not square.
// Chart: epipolar_chart.lane.h, with s1 / s0 and k in place of the singular values.

enum {
  CAMERAS = 1,  // gives the centre of distortion and the ratio of the focal lengths
  SAMPLE_SIZE = 9,
  SLOTS = 3,               // largest number of kept models of a sample
  TARGET_PERCENT = 30,     // smallest inlier ratio to find in one pair of 1000 matches, in percent
  SAMPLE_COST = 2000,      // time to solve a sample, in scored points
  DOF = 8,                 // parameters of the chart: 7 of F, and k
  UNKNOWN_DISTORTION = 1,  // see model_distortion
  DOMINANT_PLANE = 0,      // a plane does not determine F, but it does constrain k
  MODEL_SIZE = 10,         // numbers of a model
  EQUATIONS = 10,          // rows of the normal equations: the elements of F, and k
  TERMS = 12               // numbers of a linearised point
};

lane_fn real model_distortion(const real* model) { return model[9]; }

// Computes r1^2 and r2^2 of a point, w = 1 + k r^2 of both, and the epipolar lines lines =
// (F'x2(k), F x1(k)).
lane_fn void radial_lines(const real* model, const real* p, real stretch, real* r2, real* w,
                          real* lines) {
  for (index v = 0; v < 2; ++v) {
    r2[v] = p[2 * v] * p[2 * v] + stretch * (p[2 * v + 1] * p[2 * v + 1]);
    w[v] = lane(1) + model[9] * r2[v];
  }
  for (index i = 0; i < 3; ++i) {
    lines[i] = model[i] * p[2] + model[3 + i] * p[3] + model[6 + i] * w[1];
    lines[3 + i] = model[3 * i] * p[0] + model[3 * i + 1] * p[1] + model[3 * i + 2] * w[0];
  }
}

// Computes the derivatives d [4] of the constraint with respect to x1, y1, x2, y2.
lane_fn void radial_derivatives(const real* model, const real* p, real stretch, const real* lines,
                                real* d) {
  real twice = lane(2) * model[9];
  for (index v = 0; v < 2; ++v) {
    real along = twice * lines[3 * v + 2];
    d[2 * v] = lines[3 * v] + along * p[2 * v];
    d[2 * v + 1] = lines[3 * v + 1] + along * stretch * p[2 * v + 1];
  }
}

lane_fn real radial_constraint(const real* p, const real* w, const real* lines) {
  return p[2] * lines[3] + p[3] * lines[4] + w[1] * lines[5];
}

// Returns whether the lens model is defined at the point: both w > 0. False for NaN.
lane_fn mask radial_is_defined(const real* w) { return (w[0] > lane(0)) & (w[1] > lane(0)); }

lane_fn real point_error(const real* model, const real* p, const real* focal) {
  real r2[2], w[2], lines[6], d[4];
  radial_lines(model, p, focal[1], r2, w, lines);
  radial_derivatives(model, p, focal[1], lines, d);
  real c = radial_constraint(p, w, lines);
  return select(radial_is_defined(w), c * c * reciprocal(vec4_norm_squared(d)), lane_nan());
}

// Computes the terms of the normal equations at point p: the derivatives B [10] of the constraint
// with respect to F and k, at the point moved onto the variety to first order as in
// math/sampson.lane.h; then the weight and the constraint. Returns the squared error.
lane_fn real point_linearise(const real* model, const real* p, const real* focal, real* terms) {
  real r2[2], w[2], lines[6], d[4], u[6], moved[6], stretch = focal[1], twice = lane(2) * model[9];
  radial_lines(model, p, stretch, r2, w, lines);
  radial_derivatives(model, p, stretch, lines, d);
  real c = radial_constraint(p, w, lines), a = reciprocal(vec4_norm_squared(d)), s = c * a,
       slope = lane(0);
  for (index v = 0; v < 2; ++v) {
    const real x = p[2 * v], y = p[2 * v + 1], dx = s * d[2 * v], dy = s * d[2 * v + 1];
    real inward = x * dx + stretch * (y * dy);
    u[3 * v] = x;
    u[3 * v + 1] = y;
    u[3 * v + 2] = w[v];
    moved[3 * v] = dx;
    moved[3 * v + 1] = dy;
    moved[3 * v + 2] = twice * inward;
    // The part of d that is proportional to k.
    const index other = 1 - v;
    real across[2];
    for (index i = 0; i < 2; ++i) across[i] = v == 0 ? model[6 + i] : model[3 * i + 2];
    slope += lane(2) * lines[3 * v + 2] * inward +
             r2[other] * (across[0] * dx + across[1] * dy + model[8] * moved[3 * v + 2]);
  }
  for (index i = 0; i < 9; ++i) {
    const index row = 3 + i / 3, column = i % 3;
    terms[i] = u[row] * (u[column] - moved[column]) - moved[row] * u[column];
  }
  terms[9] = r2[0] * lines[2] + r2[1] * lines[5] - slope;
  terms[10] = a;
  terms[11] = c;
  return select(radial_is_defined(w), a * c * c, lane_nan());
}

// Writes the models [SLOTS][MODEL_SIZE] of a sample p [COLUMNS][SAMPLE_SIZE]; returns their number.
// Models are dropped unless the whole sample is in front of both cameras, or behind both, and if
// their lens moves a point nearly to infinity.
lane_fn real sample_models(const real* p, const real* rays, real* models) {
  enum { ROOTS = 6 };
  real y[18], solutions[10 * ROOTS], undistorted[36], kept = lane(0), stretch = rays[1] / rays[0];
  for (index i = 0; i < MODEL_SIZE * SLOTS; ++i) models[i] = lane_nan();
  for (index i = 0; i < 9; ++i) {
    y[i] = stretch * p[9 + i];
    y[9 + i] = stretch * p[27 + i];
  }
  real count = fundamental_9pt_shared_radial(p, y, p + 18, y + 9, solutions);
  for (index s = 0; s < ROOTS; ++s) {
    real* own = solutions + 10 * s;
    mask valid = count > lane(s);
    if (!any(valid)) continue;
    for (index v = 0; v < 2; ++v) {
      for (index i = 0; i < 9; ++i) {
        real px = p[18 * v + i], py = y[9 * v + i];
        real w = lane(1) + own[9] * (px * px + py * py);
        valid = valid & (w > lane(0.1));
        undistorted[18 * v + i] = px / w;
        undistorted[18 * v + 9 + i] = py / w;
      }
    }
    valid = valid & epipolar_oriented(own, undistorted, undistorted + 9, undistorted + 18,
                                      undistorted + 27, 9);
    if (!any(valid)) continue;
    for (index i = 0; i < 9; ++i) {
      if (i % 3 == 1) own[i] = own[i] * stretch;
      if (i / 3 == 1) own[i] = own[i] * stretch;
    }
    mat3_normalise(own);
    mask has_slot = kept < lane(SLOTS);
    kept =
        solution_keep(valid & has_slot, own, MODEL_SIZE, s < SLOTS ? s : SLOTS - 1, kept, models);
  }
  return kept;
}

// Writes the chart with singular values instead of s1 / s0 and k.
lane_fn void radial_chart(const real* chart, real* out) {
  for (index i = 0; i < 18; ++i) out[i] = chart[i];
  out[18] = lane(1) / sqrt(lane(1) + chart[18] * chart[18]);
  out[19] = chart[18] * out[18];
}

// Converts between a model and its chart [20].
lane_fn void model_open(const real* model, const real* rays, real* chart) {
  (void)rays;
  epipolar_chart(model, chart);
  chart[18] = chart[19] / chart[18];
  chart[19] = model[9];
}
lane_fn void model_close(const real* chart, const real* rays, real* model) {
  (void)rays;
  real own[20];
  radial_chart(chart, own);
  epipolar_matrix(own, model);
  model[9] = chart[19];
}

// Computes D [EQUATIONS][DOF], the derivatives of the unknowns of the normal equations with respect
// to the chart.
lane_fn void model_tangent(const real* chart, const real* rays, real* D) {
  (void)rays;
  real own[20], rotations[63];
  radial_chart(chart, own);
  epipolar_tangent(own, 7, rotations);
  for (index i = 0; i < 10; ++i) {
    for (index j = 0; j < 7; ++j) D[8 * i + j] = i < 9 ? rotations[7 * i + j] : lane(0);
    D[8 * i + 7] = lane(i == 9 ? 1 : 0);
  }
}

lane_fn void model_move(real* chart, const real* delta) {
  real own[20], k = chart[19] + delta[7];
  radial_chart(chart, own);
  epipolar_move(own, 7, delta);
  for (index i = 0; i < 18; ++i) chart[i] = own[i];
  chart[18] = own[19] / own[18];
  chart[19] = fmax(lane(-2), fmin(k, lane(2)));
}

// Adds the constants of the camera [CAMERA_NUMBERS] to info. Returns the pixels per unit of
// the errors.
lane_fn real camera_info(const real* cameras, real length, real threshold, pair_info* info) {
  (void)threshold;
  const real ratio = cameras[0] / cameras[1];
  info->focal[0] = 1;
  info->focal[1] = ratio * ratio;
  for (index i = 0; i < 4; ++i) info->rays[i] = length / cameras[i % 2];
  return length;
}

// Number of samples after which a pair of n points is given up (see fundamental.lane.h). Measured
// with 30 % of correct matches, for which a 26th of this number is drawn.
lane_fn real hypotheses_before_giving_up(real n) { return lane(2.4e11) / (n * n); }

lane_fn real point_side(const real* model, const real* side, const real* rays, const real* p,
                        real limit, mask* unsure) {
  real r2[2], w[2], lines[6], near2, ratio = rays[1] / rays[0];
  radial_lines(model, p, ratio * ratio, r2, w, lines);
  real value =
      epipolar_side(model, side, p[0] / w[0], p[1] / w[0], p[2] / w[1], p[3] / w[1], &near2);
  *unsure = near2 < limit;
  return value * side[9];
}
