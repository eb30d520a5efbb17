// SPDX-License-Identifier: BSD-3-Clause
// What differs between the problems of robust estimation, PROBLEM being one of them (a constant of
// the text): how a sample is solved and how a model moves.
// Scoring coordinates: px shifted by a centre of each image and divided by one length, x1 y1 x2 y2;
// absolute pose: the normalised image plane and a shifted and scaled world, x y X Y Z. `rays` [4]
// takes them to rays of an essential matrix: E is scored as F = diag(a) E diag(b).

enum { HOMOGRAPHY, FUNDAMENTAL, ESSENTIAL, ABSOLUTE_POSE };
enum {
  IS_POSE = PROBLEM == ABSOLUTE_POSE,
  IS_EPIPOLAR = PROBLEM == FUNDAMENTAL || PROBLEM == ESSENTIAL,
  COLUMNS = IS_POSE ? 5 : 4,  // numbers of a point
  SAMPLE_SIZE = IS_POSE                  ? 3
                : PROBLEM == HOMOGRAPHY  ? 4
                : PROBLEM == FUNDAMENTAL ? 7
                                         : 5,
  SLOTS = PROBLEM == HOMOGRAPHY    ? 1
          : PROBLEM == FUNDAMENTAL ? 3
                                   : 4,  // models of a sample
  MODEL_SIZE = IS_POSE ? 12 : 9,         // F, H or (R, t)
  EQUATIONS = IS_POSE ? 6 : 9,           // rows of the normal equations
  SUMS = IS_POSE ? 30 : 57,  // their numbers, with gain, inliers and squared errors at the end
  DOF = IS_POSE                  ? 6
        : PROBLEM == HOMOGRAPHY  ? 8
        : PROBLEM == FUNDAMENTAL ? 7
                                 : 5
};

// diag(a) 1 diag(b): what takes the elements of E to those of F.
lane_fn void ray_scale(const real* rays, real* s) {
  real a[3] = {rays[2], rays[3], lane(1)}, b[3] = {rays[0], rays[1], lane(1)};
  for (index i = 0; i < 9; ++i) s[i] = a[i / 3] * b[i % 3];
}

// Can all n points lie in front of both cameras, or all behind both, of the epipolar matrix F? The
// necessary condition that needs no cameras: e2 x x2 and F x1 point to one side for all.
//   O. Chum, T. Werner, J. Matas, Epipolar geometry estimation via RANSAC benefits from the
//   oriented epipolar constraint, ICPR 2004.
lane_fn mask epipolar_oriented(const real* F, const real* x1, const real* y1, const real* x2,
                               const real* y2, index n) {
  real T[9], e[3];
  for (index i = 0; i < 9; ++i) T[i] = F[3 * (i % 3) + i / 3];
  rank2_null(T, e);
  mask ahead = lane(1) > lane(0), behind = ahead;
  for (index i = 0; i < n; ++i) {
    real near2;
    real side = epipolar_side(F, e, x1[i], y1[i], x2[i], y2[i], &near2);
    ahead = ahead & (side > lane(0));
    behind = behind & (side < lane(0));
  }
  return ahead | behind;
}

// Puts the model of the lanes in m behind their `kept` models; more than SLOTS are dropped.
lane_fn void model_keep(const real* model, mask m, real* kept, real* models) {
  for (index s = 0; s < SLOTS; ++s) {
    mask here = m & (*kept == lane(s));
    for (index i = 0; i < MODEL_SIZE; ++i) {
      models[MODEL_SIZE * s + i] = select(here, model[i], models[MODEL_SIZE * s + i]);
    }
  }
  *kept = fmin(*kept + select(m, lane(1), lane(0)), lane(SLOTS));
}

lane_fn real fundamental_models(const real* p, real* models) {
  real F[27], kept = lane(0);
  real count = fundamental_7pt(p, p + 7, p + 14, p + 21, F);
  for (index s = 0; s < 3; ++s) {
    mask oriented = epipolar_oriented(F + 9 * s, p, p + 7, p + 14, p + 21, 7);
    model_keep(F + 9 * s, oriented & (count > lane(s)), &kept, models);
  }
  return kept;
}

lane_fn real essential_models(const real* p, const real* rays, real* models) {
  real q[20], N[36], B[39], roots[10], scale[9], E[9], kept = lane(0);
  for (index i = 0; i < 20; ++i) q[i] = rays[i / 5] * p[i];
  ray_scale(rays, scale);
  real count = essential_5pt_roots(q, q + 5, q + 10, q + 15, N, B, roots);
  for (index s = 0; s < 10; ++s) {
    mask valid = count > lane(s);
    if (any(valid)) {
      essential_at_root(N, B, roots[s], E);
      valid = valid & epipolar_oriented(E, q, q + 5, q + 10, q + 15, 5);
      for (index i = 0; i < 9; ++i) E[i] = E[i] * scale[i];
      model_keep(E, valid, &kept, models);
    }
  }
  return kept;
}

lane_fn real pose_models(const real* p, real* models) {
  real bearings[9], scene[9];
  for (index i = 0; i < 3; ++i) {
    real x = p[i], y = p[3 + i], scale = lane(1) / sqrt(x * x + y * y + lane(1));
    bearings[3 * i] = x * scale;
    bearings[3 * i + 1] = y * scale;
    bearings[3 * i + 2] = scale;
    for (index k = 0; k < 3; ++k) scene[3 * i + k] = p[3 * (2 + k) + i];
  }
  return p3p(bearings, scene, models);
}

// Models [SLOTS][MODEL_SIZE] of a sample p [COLUMNS][SAMPLE_SIZE]; returns their number.
lane_fn real sample_models(const real* p, const real* rays, real* models) {
  for (index i = 0; i < SLOTS * MODEL_SIZE; ++i) models[i] = lane_nan();
  if_constant(PROBLEM == HOMOGRAPHY) return homography_4pt(p, p + 4, p + 8, p + 12, models);
  if_constant(PROBLEM == FUNDAMENTAL) return fundamental_models(p, models);
  if_constant(PROBLEM == ESSENTIAL) return essential_models(p, rays, models);
  if_constant(PROBLEM == ABSOLUTE_POSE) return pose_models(p, models);
  return lane(0);
}

// A chart [20] around a model: a point of its manifold with DOF parameters (homography_chart,
// epipolar_chart, pose_chart).
lane_fn void model_open(const real* model, const real* rays, real* chart) {
  if_constant(PROBLEM == ESSENTIAL) {
    real E[9], scale[9];
    ray_scale(rays, scale);
    for (index i = 0; i < 9; ++i) E[i] = model[i] / scale[i];
    essential_chart(E, chart);
  }
  if_constant(PROBLEM == FUNDAMENTAL) epipolar_chart(model, chart);
  if_constant(!IS_EPIPOLAR) {
    for (index i = 0; i < MODEL_SIZE; ++i) chart[i] = model[i];
    if (PROBLEM == HOMOGRAPHY) mat3_normalise(chart);
    if (PROBLEM == ABSOLUTE_POSE) rotation_mend(chart);  // models of samples are kept in float
  }
}

lane_fn void model_close(const real* chart, const real* rays, real* model) {
  if_constant(IS_EPIPOLAR) epipolar_matrix(chart, model);
  if_constant(PROBLEM == ESSENTIAL) {
    real scale[9];
    ray_scale(rays, scale);
    for (index i = 0; i < 9; ++i) model[i] = model[i] * scale[i];
  }
  if_constant(!IS_EPIPOLAR) {
    for (index i = 0; i < MODEL_SIZE; ++i) model[i] = chart[i];
  }
}

// D [EQUATIONS][DOF]: derivatives of what the normal equations are in.
lane_fn void model_tangent(const real* chart, const real* rays, real* D) {
  if_constant(IS_EPIPOLAR) epipolar_tangent(chart, DOF, D);
  if_constant(PROBLEM == ESSENTIAL) {
    real scale[9];
    ray_scale(rays, scale);
    for (index i = 0; i < EQUATIONS * DOF; ++i) D[i] = D[i] * scale[i / DOF];
  }
  if_constant(PROBLEM == HOMOGRAPHY) homography_tangent(chart, D);
  if_constant(PROBLEM == ABSOLUTE_POSE) {
    for (index i = 0; i < EQUATIONS * DOF; ++i) D[i] = lane(i % (DOF + 1) == 0 ? 1 : 0);
  }
}

// damped_step of the normal equations N, g [EQUATIONS] at a chart.
lane_fn real model_step(const real* N, const real* g, const real* chart, const real* rays,
                        real damping, real* delta) {
  if_constant(IS_EPIPOLAR) {
    real D[72];
    model_tangent(chart, rays, D);
    return damped_step(N, g, D, EQUATIONS, DOF, damping, delta);
  }
  real A[64];
  if_constant(PROBLEM == HOMOGRAPHY) homography_reduce(chart, N, g, A, delta);
  if_constant(IS_POSE) {
    for (index i = 0; i < DOF; ++i) {
      for (index j = 0; j <= i; ++j) A[DOF * i + j] = N[i * (i + 1) / 2 + j];
      delta[i] = g[i];
    }
  }
  return damped_solve(A, delta, DOF, damping);
}

lane_fn void model_move(real* chart, const real* delta) {
  if_constant(IS_EPIPOLAR) epipolar_move(chart, DOF, delta);
  if_constant(PROBLEM == HOMOGRAPHY) homography_move(chart, delta);
  if_constant(PROBLEM == ABSOLUTE_POSE) pose_move(chart, delta);
}
