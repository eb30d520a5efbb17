// SPDX-License-Identifier: BSD-3-Clause
// Cases of the functions that every problem of bifocal/problems.def defines for its points
// and models.

// The numbers of an instance (problem_inputs.cpp).
enum {
  CASE_SAMPLE = 0,                                   // [COLUMNS][SAMPLE_SIZE]
  CASE_POINT = CASE_SAMPLE + COLUMNS * SAMPLE_SIZE,  // one more point: displaced, and as given
  CASE_GIVEN = CASE_POINT + COLUMNS,
  CASE_CAMERAS = CASE_GIVEN + COLUMNS,
  CASE_RAYS = CASE_CAMERAS + CAMERA_NUMBERS,  // numbers known for the pair
  CASE_FOCAL = CASE_RAYS + 4,
  CASE_THRESHOLD = CASE_FOCAL + 2,
  CASE_PARALLAX,
  CASE_MODEL,  // near the truth
  CASE_STEP = CASE_MODEL + MODEL_SIZE,
  CASE_INPUTS = CASE_STEP + DOF
};

lane_fn void case_sample_models(const real* in, real* out) {
  out[SLOTS * MODEL_SIZE] = sample_models(in + CASE_SAMPLE, in + CASE_RAYS, out);
}

// Sums are in units of the focal length, which is 0 if the errors are not in px.
lane_fn void case_point(const real* in, real* out) {
  real terms[TERMS], unit = lane(1) / (lane(1) + in[CASE_FOCAL] * in[CASE_FOCAL]);
  for (index k = 0; k < SUMS; ++k) out[k] = lane(0);
  out[SUMS] = point_error(in + CASE_MODEL, in + CASE_POINT, in + CASE_FOCAL);
  out[SUMS - 1] = point_linearise(in + CASE_MODEL, in + CASE_POINT, in + CASE_FOCAL, terms);
  point_accumulate(terms, lane(0.75), out, out + GRADIENT);
  for (index k = 0; k <= SUMS; ++k) out[k] = out[k] * unit;
  out[SUMS + 1] = select(model_is_sound(in + CASE_MODEL), lane(1), lane(0));
  out[SUMS + 2] = chance_in_box(lane(1.5), lane(2), fabs(in[CASE_STEP])) +
                  hypotheses_before_giving_up(lane(100));
}

// Normal equations of the sample, made well conditioned.
lane_fn void case_normal_equations(const real* in, real* sums) {
  real p[COLUMNS], terms[TERMS];
  for (index k = 0; k < SUMS; ++k) sums[k] = lane(0);
  for (index k = 0; k < EQUATIONS; ++k) sums[k * (k + 3) / 2] = lane(1);
  for (index i = 0; i < SAMPLE_SIZE; ++i) {
    for (index c = 0; c < COLUMNS; ++c) p[c] = in[CASE_SAMPLE + c * SAMPLE_SIZE + i];
    p[0] += lane(0.01) * in[CASE_STEP];
    point_linearise(in + CASE_MODEL, p, in + CASE_FOCAL, terms);
    point_accumulate(terms, lane(1), sums, sums + GRADIENT);
  }
}

// The coordinates of a chart are arbitrary (an essential matrix has two equal singular values), so
// the case outputs the model, and the model after a step of the normal equations.
lane_fn void case_chart(const real* in, real* out) {
  real sums[SUMS], chart[20], delta[DOF];
  case_normal_equations(in, sums);
  model_open(in + CASE_MODEL, in + CASE_RAYS, chart);
  model_close(chart, in + CASE_RAYS, out);
  model_step(sums, sums + GRADIENT, chart, in + CASE_RAYS, lane(0), delta);
  model_move(chart, delta);
  model_close(chart, in + CASE_RAYS, out + MODEL_SIZE);
}

// The numbers of a pair are the same for all lanes.
lane_fn pair_info case_info(void) {
  const scalar cameras[CAMERA_NUMBERS] = {800, 790, 320, 240, 810, 805, 330, 236};
  pair_info info = zeros;
  for (index k = 0; k < 4; ++k) {
    info.centre[k] = 310 - 30 * k;
    info.rays[k] = 0.375 + 0.0625 * k;
  }
  info.length = 300;
  info.unit = uniform_fn(camera_info)(cameras, (scalar)300, (scalar)2.5, &info);
  return info;
}

enum { CASE_NUMBERS = 8 };  // numbers of that pair
lane_fn void case_result(const real* in, real* out) {
  const pair_info info = case_info();
  for (index k = 0; k < 4; ++k) out[k] = lane(info.rays[k]);
  for (index k = 0; k < 2; ++k) out[4 + k] = lane(info.focal[k]);
  out[6] = lane(info.parallax);
  out[7] = lane(info.unit);
  point_columns(in + CASE_GIVEN, in + CASE_CAMERAS, &info, out + CASE_NUMBERS);
  result_matrix(&info, in + CASE_RAYS, in + CASE_MODEL, out + CASE_NUMBERS + COLUMNS);
}

// The candidate poses come in any order and sign, so the case outputs the pose for which the point
// is in front of both cameras.
lane_fn void case_sides(const real* in, real* out) {
  real sides[12 * (SIDES + 1)], pose[12], rays[4], near = lane(1) / model_focal(in + CASE_MODEL);
  const pair_info info = case_info();
  for (index k = 0; k < 12; ++k) out[k] = sides[12 * SIDES + k] = lane(0);
  for (index k = 0; k < 4; ++k) rays[k] = in[CASE_RAYS + k] * near;
  side_candidates(in + CASE_MODEL, in + CASE_RAYS, sides);
  for (index s = 0; s < SIDES; ++s) {
    mask unsure;
    real limit = side_limit(sides + 12 * s, in[CASE_THRESHOLD], in[CASE_PARALLAX]) * near * near;
    real side = point_side(in + CASE_MODEL, sides + 12 * s, rays, in + CASE_POINT, limit, &unsure);
    for (index k = 9; k < 12; ++k) sides[12 * s + k] = sides[12 * s + k] * side;
    result_pose(&info, in + CASE_MODEL, sides + 12 * s, pose);
    for (index k = 0; k < 12; ++k) out[k] = select(side == lane(0), out[k], pose[k]);
  }
  if_constant(SIDES == 0) { result_pose(&info, in + CASE_MODEL, sides, out); }
}

// The tangent of the chart in coordinate-free form: models of two views output the columns from
// which leverages are computed.
enum { CASE_TANGENT = EQUATIONS * (EQUATIONS > 8 ? EQUATIONS : 8) };
lane_fn void case_tangent(const real* in, real* out) {
  real sums[SUMS], chart[20], D[EQUATIONS * DOF];
  for (index k = 0; k < CASE_TANGENT; ++k) out[k] = lane(0);
  case_normal_equations(in, sums);
  model_open(in + CASE_MODEL, in + CASE_RAYS, chart);
  model_tangent(chart, in + CASE_RAYS, D);
  if_constant(EQUATIONS > 8) {
    real normal[64], column[EQUATIONS];
    leverage_normal(sums, D, normal);
    for (index c = 0; c < EQUATIONS; ++c) {
      leverage_column(normal, D, c, column);
      for (index r = 0; r < EQUATIONS; ++r) out[EQUATIONS * r + c] = column[r];
    }
  }
  else {
    for (index k = 0; k < EQUATIONS * DOF; ++k) out[k] = D[k];
  }
}

// Six points in general position, on a line, and on a line within the noise.
lane_fn void case_moments_on_line(const real* in, real* out) {
  for (index k = 0; k < 3; ++k) {
    real s[6];
    for (index i = 0; i < 6; ++i) s[i] = lane(0);
    for (index i = 0; i < 6; ++i) {
      real x = in[i], y = in[6 + i] * lane(k == 0 ? 1 : k == 1 ? 0 : 0.01) + lane(0.5) * x;
      s[0] += lane(1);
      s[1] += x;
      s[2] += y;
      s[3] += x * x;
      s[4] += x * y;
      s[5] += y * y;
    }
    out[k] = select(moments_on_line(s, lane(k == 2 ? 0.05 : 1e-3)), lane(1), lane(0));
  }
}
