// SPDX-License-Identifier: BSD-3-Clause
// The last fit of a pair and what its significance test needs.

// Alternates between estimating the scale of the noise and refining to convergence with biweights
// on that scale, so that the result hardly depends on the threshold. Returns the scale.
group_fn scalar model_polish(GROUP_PARAM const struct pair_view* pair, scalar* model, scalar* side,
                             global_ptr scalar* weights, local_ptr scalar* shared) {
  const scalar reach = 6;  // zero of the weight, in standard deviations
  scalar sigma = expected_noise(pair), matches;
  for (index round = 0; round < 4; ++round) {
    scalar previous = sigma;
    model_side(GROUP_ARG pair, pair->n, model, side);
    sigma = noise_scale(GROUP_ARG pair, pair->n, model, side, sigma, weights, &matches);
    if_constant(RESIDUALS == 1) {
      admit_points(GROUP_ARG pair, pair->n, model, side, weights);
      cut_leverage(GROUP_ARG pair, model, side, sigma, weights, shared);
    }
    const scalar change = sigma / previous;
    const index settled = round > 0 && change > (scalar)0.98 && change < (scalar)1.02;
    // Until the scale has settled a model nearby suffices. For F and E the weights change as well.
    const scalar tolerance = RESIDUALS == 1          ? (scalar)1e-9
                             : settled || round == 3 ? (scalar)1e-6
                                                     : (scalar)1e-4;
    struct refine_options options = {1 / (reach * reach * sigma * sigma), 1,
                                     RESIDUALS == 1 || pair->weighted, 50, tolerance};
    model_refine(GROUP_ARG pair, pair->n, &options, RESIDUALS == 1 ? weights : pair->weights, model,
                 shared);
    if (settled) break;
  }
  model_side(GROUP_ARG pair, pair->n, model, side);
  return sigma;
}

// Do points with these moments (sums of 1, x, y, xx, xy, yy) deviate from a line by no more than
// the noise?
lane_fn mask moments_on_line(const real* s, real noise) {
  real mx = s[1] / s[0], my = s[2] / s[0];
  real xx = s[3] / s[0] - mx * mx, xy = s[4] / s[0] - mx * my, yy = s[5] / s[0] - my * my;
  real mean = lane(0.5) * (xx + yy), apart = lane(0.5) * (xx - yy);
  real spread = sqrt(apart * apart + xy * xy), along = mean + spread;
  // The smaller variance is the determinant divided by the larger one.
  real across = fmax(xx * yy - xy * xy, lane(0)) / along;
  real limit = fmax(lane(16) * noise * noise, lane(1e-12) * along);
  return !(across > limit);
}

// Are the inliers collinear in an image? Squared errors of all points go to `errors`.
group_fn index inliers_collinear(GROUP_PARAM const struct pair_view* pair, const scalar* model,
                                 const scalar* side, scalar noise, global_ptr scalar* errors) {
  struct lane_model m;
  real s[12], t = group_same(pair->threshold);
  scalar moments[12];
  lane_model_set(pair, model, side, &m);
  for (index k = 0; k < 12; ++k) s[k] = lane(0);
  struct points_ahead ahead;
  points_open(pair->points, pair->stride, pair->n, &ahead);
  group_for(i, pair->n) {
    real p[COLUMNS];
    points_take(&ahead, i, p);
    real e = admitted_error_of(&m, p);
    mask inlier = e * t < lane(1);
    group_store(errors, i, e, pair->stride);
    for (index k = 0; k < 2; ++k) {
      real x = select(inlier, p[2 * k], lane(0)), y = select(inlier, p[2 * k + 1], lane(0));
      s[6 * k] += select(inlier, lane(1), lane(0));
      s[6 * k + 1] += x;
      s[6 * k + 2] += y;
      s[6 * k + 3] += x * x;
      s[6 * k + 4] += x * y;
      s[6 * k + 5] += y * y;
    }
  }
  group_sums(s, 12, moments);
  if (!LINE_IS_DEGENERATE) return 0;
  return uniform_fn(moments_on_line)(moments, noise) ||
         uniform_fn(moments_on_line)(moments + 6, noise);
}

// The variance of the last parameter of the chart per unit of the residuals': from the normal
// equations N in the model's elements and their derivatives D [9][DOF]. 1e30 where the points leave
// parameters open.
lane_fn real last_variance(const real* N, const real* D) {
  real A[64], ND[72], row[9], x[8];
  for (index i = 0; i < 9; ++i) {
    for (index k = 0; k < 9; ++k) row[k] = N[i > k ? i * (i + 1) / 2 + k : k * (k + 1) / 2 + i];
    row_product(row, D, 9, DOF, DOF, ND + DOF * i);
  }
  for (index i = 0; i < DOF; ++i) {
    for (index k = 0; k < 9; ++k) row[k] = D[DOF * k + i];
    row_product(row, ND, 9, DOF, i + 1, A + DOF * i);
    x[i] = lane(i == DOF - 1 ? 1 : 0);
  }
  real pivot = ldl_solve(A, x, DOF);
  return select((pivot > lane(1e-14)) & (x[DOF - 1] > lane(0)), x[DOF - 1], lane(1e30));
}

// Standard deviation of log f of a model that was fitted with these weights at this scale of noise.
group_fn scalar focal_deviation(GROUP_PARAM const struct pair_view* pair, const scalar* model,
                                scalar sigma, global_const scalar* weights,
                                local_ptr scalar* shared) {
  scalar sums[SUMS];
  model_equations(GROUP_ARG model, pair->points, pair->stride, pair->focal, pair->n,
                  1 / (36 * sigma * sigma), 1, weights, 1, sums);
  if (group_leads()) {
    scalar chart[20], D[72];
    uniform_fn(model_open)(model, pair->rays, chart);
    uniform_fn(model_tangent)(chart, pair->rays, D);
    shared[0] = uniform_fn(last_variance)(sums, D);
  }
  group_barrier();
  const scalar variance = shared[0];
  group_barrier();
  return sigma * sqrt(variance);
}

group_fn void pair_finish(GROUP_PARAM const struct pair_view* pair, global_const scalar* state,
                          global_ptr scalar* errors, global_ptr scalar* result,
                          local_ptr scalar* shared) {
  scalar model[12], side[12], sums[4] = {0, 0, 0, 0}, noise = 0, chance = 0, deviation = 0;
  index collinear = 0, turned = 0;
  for (index i = 0; i < 12; ++i) model[i] = side[i] = 0;
  index fitted = state[STATE_SCORE] > 0;
  // With few points even a model that scores no more than chance is fitted: that costs little, and
  // test_significance() decides.
  fitted = fitted &&
           (pair->effective < 100 || score_beats_chance(pair, pair->effective, state[STATE_SCORE]));
  if (fitted) {
    for (index i = 0; i < MODEL_SIZE; ++i) model[i] = state[STATE_MODEL + i];
    noise = model_polish(GROUP_ARG pair, model, side, errors, shared);
    model_support(GROUP_ARG pair, pair->n, model, side, sums);
    if_constant(UNKNOWN_FOCAL) {
      deviation = focal_deviation(GROUP_ARG pair, model, noise, errors, shared);
    }
    chance = chance_rate(GROUP_ARG pair, model, side);
    if_constant(UNKNOWN_FOCAL) {
      if (pair_is_flat(GROUP_ARG pair, model, side, noise, chance)) deviation = (scalar)1e30;
    }
    collinear = inliers_collinear(GROUP_ARG pair, model, side, noise, errors);
    if_constant(TWO_VIEWS && HAS_POSE) {
      scalar R[10];
      turned = pair_turn(GROUP_ARG pair, model, side, noise, chance, R, errors, sums);
      for (index i = 0; turned && i < 12; ++i) {
        side[i] = i < 9 ? R[i] : 0;
        model[i] = 0;
      }
      if_constant(UNKNOWN_FOCAL) {
        if (turned) model[0] = R[9];
      }
    }
  }
  if (!group_leads()) return;
  for (index i = 0; i < 12; ++i) result[RESULT_MODEL + i] = model[i];
  for (index i = 0; i < 12; ++i) result[RESULT_SIDE + i] = side[i];
  result[RESULT_NOISE] = noise;
  // As if the largest weight were 1.
  result[RESULT_SCORE] = pair->weighted ? sums[0] / pair->largest : sums[0];
  result[RESULT_INLIERS] = sums[1];
  result[RESULT_SQUARES] = sums[2];
  result[RESULT_CHANCE] = chance;
  result[RESULT_FOCAL_DEVIATION] = turned ? (scalar)1e30 : deviation;
  result[RESULT_COLLINEAR] = (scalar)collinear;
  result[RESULT_ITERATIONS] = state[STATE_DONE];
  result[RESULT_TESTED] = state[STATE_TESTED];
  for (index i = 0; i < 3; ++i) result[RESULT_PLANE + i] = state[STATE_PLANE + i];
  result[RESULT_OUTCOME] = turned                    ? FOUND_TURN
                           : fitted                  ? FOUND_MODEL
                           : state[STATE_SOLVED] > 0 ? FOUND_NO_FIT
                                                     : FOUND_NO_SOLUTION;
  result[RESULT_ZERO_WEIGHT_INLIERS] = result[RESULT_ZERO_WEIGHT_SQUARES] = 0;
}

// The points of weight 0 under the model of `result`: their squared errors, and how many are
// inliers. zero_weight: a view of these points alone, with the numbers of their pair.
group_fn void finish_zero_weight(GROUP_PARAM const struct pair_view* zero_weight,
                                 global_ptr scalar* errors, global_ptr scalar* result) {
  scalar model[12], side[12], sums[4];
  struct lane_model m;
  for (index i = 0; i < 12; ++i) model[i] = result[RESULT_MODEL + i];
  for (index i = 0; i < 12; ++i) side[i] = result[RESULT_SIDE + i];
  lane_model_set(zero_weight, model, side, &m);
  if (result[RESULT_OUTCOME] == (scalar)FOUND_TURN) {
    scalar R[10];
    for (index i = 0; i < 9; ++i) R[i] = side[i];
    R[9] = uniform_fn(model_focal)(model);
    turn_support(GROUP_ARG zero_weight, zero_weight->stride, R, errors, sums);
  } else {
    model_support(GROUP_ARG zero_weight, zero_weight->stride, model, side, sums);
    group_for(i, zero_weight->stride) {
      group_store(errors, i, admitted_error(&m, zero_weight, i), zero_weight->stride);
    }
  }
  group_barrier();  // all have read the result
  if (!group_leads()) return;
  result[RESULT_ZERO_WEIGHT_INLIERS] = sums[1];
  result[RESULT_ZERO_WEIGHT_SQUARES] = sums[2];
}
