// SPDX-License-Identifier: BSD-3-Clause
// What a problem has of these functions when neither it nor its families define them. Who defines
// one says so: #define OWN_model_open. DIRECT_CHART: the parameters of the chart are the first DOF
// of what the normal equations are in.

#ifndef OWN_columns
enum { DEPTHS = 0 };  // the last ones of COLUMNS are depths, which no error is of
#endif
enum { SEEN_COLUMNS = (index)COLUMNS - DEPTHS };

// A model agrees with so many matches for free: those of its sample, or as many as its parameters
// can follow where the sample knows more than they.
enum {
  FITTED_MATCHES = ((index)DOF + (index)RESIDUALS - 1) / (index)RESIDUALS,
  FREE_MATCHES =
      (index)SAMPLE_SIZE > (index)FITTED_MATCHES ? (index)SAMPLE_SIZE : (index)FITTED_MATCHES
};

#ifndef OWN_clean_samples
enum { CLEAN_SAMPLES = 1 };  // samples free of wrong matches, of which one leads to the right model
#endif

#ifndef OWN_model_is_sound  // every model is one of the problem
lane_fn mask model_is_sound(const real* model) { return model[0] == model[0]; }
#endif

// A pair of n points is given up after this many samples without a model that scores more than
// chance. Measured with 20 % of right matches (docs/robust.md) where a model needs a sample free of
// wrong matches.
#ifndef OWN_hypotheses_before_giving_up
lane_fn real hypotheses_before_giving_up(real n) { return lane(3000) + lane(8e5) / n; }
#endif

// Plain numbers: the leader's, never a register's. Errors have the unit of the coordinates.
#ifndef OWN_camera_info  // cameras add nothing to info
lane_fn real camera_info(const real* cameras, real length, real threshold, pair_info* info) {
  (void)cameras, (void)threshold, (void)info;
  return length;
}
#endif

#ifndef OWN_point_columns  // a point [COLUMNS] of two images in scoring coordinates, then depths
lane_fn void point_columns(const real* given, const real* cameras, const pair_info* info,
                           real* columns) {
  (void)cameras;
  for (index c = 0; c < 4; ++c)
    columns[c] = (given[c] - lane(info->centre[c])) * (lane(1) / lane(info->length));
  for (index c = 4; c < COLUMNS; ++c) columns[c] = given[c];
}
#endif

#ifdef OWN_model_focal
enum { UNKNOWN_FOCAL = 1 };
#else  // rays are known: the focal length of a model is 1 in their unit
enum { UNKNOWN_FOCAL = 0 };
lane_fn real model_focal(const real* model) {
  (void)model;
  return lane(1);
}
#endif

#ifdef OWN_model_distortion
enum { UNKNOWN_DISTORTION = 1 };
#else  // lenses are none, or were taken away before
enum { UNKNOWN_DISTORTION = 0 };
lane_fn real model_distortion(const real* model) {
  (void)model;
  return lane(0);
}
#endif

#ifndef OWN_model_zoom  // see focal_is_open
lane_fn void model_zoom(real* model, real factor) { (void)model, (void)factor; }
#endif

#ifndef OWN_model_open  // the chart [20] around a model is the model
lane_fn void model_open(const real* model, const real* rays, real* chart) {
  (void)rays;
  for (index i = 0; i < MODEL_SIZE; ++i) chart[i] = model[i];
}
#endif
#ifndef OWN_model_close
lane_fn void model_close(const real* chart, const real* rays, real* model) {
  (void)rays;
  for (index i = 0; i < MODEL_SIZE; ++i) model[i] = chart[i];
}
#endif

// Adds w times a point's terms to the packed lower triangle N and the half gradient g [EQUATIONS].
// The terms are derivatives [RESIDUALS][EQUATIONS] and then, of one residual, its weight and
// itself, of two, both.
#ifndef OWN_point_accumulate
lane_fn void point_accumulate(real* terms, real w, real* N, real* g) {
  enum { LAST = (index)RESIDUALS * EQUATIONS };
  for (index k = 0; k < LAST; ++k) terms[k] = masked(w, terms[k]);
  index packed = 0;
  if_constant(RESIDUALS == 1) {
    real a = terms[LAST], c = terms[LAST + 1];
    real wa = masked(w, w * a), wc = masked(w, w * a * c);
    lane_unroll_all for (index k = 0; k < EQUATIONS; ++k) {
      real wb = wa * terms[k];
      lane_unroll_all for (index l = 0; l <= k; ++l) N[packed + l] += wb * terms[l];
      packed += k + 1;
      g[k] += wc * terms[k];
    }
  }
  if_constant(RESIDUALS == 2) {
    const real* J = terms + EQUATIONS;
    real r0 = masked(w, w * terms[LAST]), r1 = masked(w, w * terms[LAST + 1]);
    for (index k = 0; k < EQUATIONS; ++k) {
      real w0 = w * terms[k], w1 = w * J[k];
      for (index l = 0; l <= k; ++l) N[packed + l] += w0 * terms[l] + w1 * J[l];
      packed += k + 1;
      g[k] += r0 * terms[k] + r1 * J[k];
    }
  }
}
#endif

#ifdef DIRECT_CHART
lane_fn void model_tangent(const real* chart, const real* rays, real* D) {
  (void)chart, (void)rays;
  for (index i = 0; i < (index)EQUATIONS * DOF; ++i)
    D[i] = lane(i % (DOF + 1) == 0 && i < DOF * DOF ? 1 : 0);
}
#endif

// damped_step of the normal equations N, g [EQUATIONS] at a chart.
#ifndef OWN_model_step
lane_fn real model_step(const real* N, const real* g, const real* chart, const real* rays,
                        real damping, real* delta) {
#ifdef DIRECT_CHART
  (void)chart, (void)rays;
  real A[DOF * DOF];
  for (index i = 0; i < DOF; ++i) {
    for (index j = 0; j <= i; ++j) A[DOF * i + j] = N[i * (i + 1) / 2 + j];
    delta[i] = g[i];
  }
  return damped_solve(A, delta, DOF, damping);
#else
  real D[(index)EQUATIONS * DOF];
  model_tangent(chart, rays, D);
  return damped_step(N, g, D, EQUATIONS, DOF, damping, delta);
#endif
}
#endif

// The last fit ends when the score rises by less than this part; until the scale of the noise has
// settled a model nearby suffices.
#ifndef OWN_polish_tolerance
lane_fn scalar polish_tolerance(index is_settled) {
  return is_settled ? (scalar)1e-6 : (scalar)1e-4;
}
#endif

#ifdef OWN_model_essential  // the poses (R0, t) and (R1, t) of pose_candidates: sides [2][12]
lane_fn void side_candidates(const real* model, const real* rays, real* sides) {
  real E[9], R[18], t[3];
  model_essential(model, rays, E);
  pose_candidates(E, R, t);
  for (index k = 0; k < 2; ++k) {
    for (index i = 0; i < 9; ++i) sides[12 * k + i] = R[9 * k + i];
    for (index i = 0; i < 3; ++i) sides[12 * k + 9 + i] = t[i];
  }
}
#elif !defined OWN_side_candidates  // a model with SIDES = 0: every match may be one
lane_fn void side_candidates(const real* model, const real* rays, real* sides) {
  (void)model, (void)rays, (void)sides;
}
#endif
#ifndef OWN_side_limit
lane_fn real side_limit(const real* side, real inverse_squared_threshold, real parallax) {
  (void)side, (void)inverse_squared_threshold;
  return parallax;
}
#endif
#ifndef OWN_point_side
lane_fn real point_side(const real* model, const real* side, const real* rays, const real* p,
                        real limit, mask* unsure) {
  (void)model, (void)side, (void)rays, (void)p, (void)limit;
  *unsure = lane(1) > lane(0);
  return lane(0);
}
#endif

#ifndef OWN_result_pose  // a model with HAS_POSE = 0
lane_fn void result_pose(const pair_info* info, const real* model, const real* side, real* pose) {
  (void)info, (void)model, (void)side;
  for (index i = 0; i < 12; ++i) pose[i] = lane(0);
}
#endif

#undef OWN_columns
#undef OWN_clean_samples
#undef OWN_model_is_sound
#undef OWN_hypotheses_before_giving_up
#undef OWN_camera_info
#undef OWN_point_columns
#undef OWN_model_focal
#undef OWN_model_distortion
#undef OWN_model_zoom
#undef OWN_point_accumulate
#undef OWN_model_open
#undef OWN_model_close
#undef DIRECT_CHART
#undef OWN_model_step
#undef OWN_polish_tolerance
#undef OWN_model_essential
#undef OWN_side_candidates
#undef OWN_side_limit
#undef OWN_point_side
#undef OWN_result_pose
