// SPDX-License-Identifier: BSD-3-Clause
// The last fit of a pair and the numbers that its significance test needs.

// Returns 1 / threshold^2 of the last fit, whose weights reach zero at six standard deviations.
lane_fn scalar smooth_threshold(scalar sigma) { return 1 / (36 * sigma * sigma); }

// 1: the last fit has its own weights, which leave points out.
enum { LEAVES_OUT = SIDES > 0 || CUTS_LEVERAGE };

// Alternates between estimating the noise scale and refining to convergence with biweights of that
// scale. So the result hardly depends on the threshold. Returns the scale.
group_fn scalar model_polish(GROUP_PARAM const struct pair_view* pair, scalar* model, scalar* side,
                             global_ptr scalar* weights, local_ptr pair_shared* shared) {
  enum { ROUNDS = 4, STEPS = 50 };
  const scalar expected = expected_noise(pair);
  scalar sigma = expected, matches;
  for (index round = 0; round < ROUNDS; ++round) {
    scalar previous = sigma;
    model_side(GROUP_ARG pair, pair->n, model, side);
    sigma = noise_scale(GROUP_ARG pair, pair->n, model, side, expected, sigma, weights, &matches);
    if_constant(LEAVES_OUT) admit_points(GROUP_ARG pair, pair->n, model, side, weights);
    if_constant(CUTS_LEVERAGE) cut_leverage(GROUP_ARG pair, model, side, sigma, weights, shared);
    const scalar change = sigma / previous;
    const index settled = round > 0 && change > (scalar)0.98 && change < (scalar)1.02;
    const scalar tolerance = polish_tolerance(settled || round == ROUNDS - 1);
    const struct refine_options options = {
        {smooth_threshold(sigma), 1, LEAVES_OUT || pair->weighted}, STEPS, tolerance};
    model_refine(GROUP_ARG pair, pair->n, &options, LEAVES_OUT ? weights : pair->weights, model,
                 &shared->refine);
    if (settled) break;
  }
  model_side(GROUP_ARG pair, pair->n, model, side);
  return sigma;
}

// Returns whether the inliers are collinear in one of the images, for problems in which a line of
// points is degenerate; otherwise returns 0. Writes the squared errors of all points to `errors`.
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
    real p[SEEN_COLUMNS];
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

// Returns the variance of the last parameter of the chart per unit variance of the residuals. It
// follows from the normal equations N in the elements of the model and the derivatives D
// [EQUATIONS][DOF] with respect to the chart. 1e30 if the points do not determine all parameters.
lane_fn real last_variance(const real* N, const real* D) {
  real A[64], ND[EQUATIONS * 8], row[EQUATIONS], x[8];
  for (index i = 0; i < EQUATIONS; ++i) {
    for (index k = 0; k < EQUATIONS; ++k)
      row[k] = N[i > k ? i * (i + 1) / 2 + k : k * (k + 1) / 2 + i];
    row_product(row, D, EQUATIONS, DOF, DOF, ND + DOF * i);
  }
  for (index i = 0; i < DOF; ++i) {
    for (index k = 0; k < EQUATIONS; ++k) row[k] = D[DOF * k + i];
    row_product(row, ND, EQUATIONS, DOF, i + 1, A + DOF * i);
    x[i] = lane(i == DOF - 1 ? 1 : 0);
  }
  real pivot = ldl_solve(A, x, DOF);
  return select((pivot > lane(1e-14)) & (x[DOF - 1] > lane(0)), x[DOF - 1], lane(1e30));
}

// Returns the standard deviation of the last parameter of the chart per unit of the noise, for a
// model that was fitted with these weights (if is_weighted) at this noise scale.
group_fn scalar last_deviation(GROUP_PARAM const struct pair_view* pair, const scalar* model,
                               scalar sigma, global_const scalar* weights, index is_weighted,
                               local_ptr pair_shared* shared) {
  scalar sums[SUMS];
  const struct robust_loss loss = {smooth_threshold(sigma), 1, is_weighted};
  model_equations(GROUP_ARG model, pair, pair->n, &loss, weights, sums);
  if (group_leads()) {
    scalar chart[20], D[EQUATIONS * 8];
    uniform_fn(model_open)(model, pair->rays, chart);
    uniform_fn(model_tangent)(chart, pair->rays, D);
    shared->variance = uniform_fn(last_variance)(sums, D);
  }
  group_barrier();
  const scalar variance = shared->variance;
  group_barrier();
  return sqrt(variance);
}

// The deviation that is reported for an undetermined parameter.
lane_fn scalar open_deviation(void) { return (scalar)1e30; }

// Returns whether the points do not determine the focal length of a camera. To first order it may
// seem determined even if it is not, for example on a plane that is parallel to the image to within
// the noise. So the model is fitted again with twice and with half the focal length held fixed. If
// f is determined, both fits are worse by more than noise explains at three standard deviations.
// The score of biweights falls by a twelfth of the squared errors in units of the noise.
group_fn index focal_is_open(GROUP_PARAM const struct pair_view* pair, const scalar* model,
                             scalar sigma, local_ptr pair_shared* shared) {
  enum { STEPS = 20 };
  const scalar least_loss = (scalar)(9.0 / 12);
  const struct refine_options options = {
      {smooth_threshold(sigma), 1, pair->weighted}, STEPS, (scalar)1e-6};
  struct pair_view held = *pair;
  scalar scores[3], moved[12];
  for (index k = 0; k < 3; ++k) {  // the model itself, then the fits with 2 f and f / 2
    held.rays[0] = k > 0 ? 1 : 0;
    for (index i = 0; i < MODEL_SIZE; ++i) moved[i] = model[i];
    if (k > 0) uniform_fn(model_zoom)(moved, k == 1 ? (scalar)2 : (scalar)0.5);
    scores[k] =
        model_refine(GROUP_ARG & held, pair->n, &options, pair->weights, moved, &shared->refine);
  }
  return scores[0] - scores[1] < least_loss || scores[0] - scores[2] < least_loss;
}

// Fits a model for the last time and measures its noise, support and chance rate. On entry, result
// holds zeros and the model of RANSAC. errors [stride]: receives the squared errors.
group_fn void finish_model(GROUP_PARAM const struct pair_view* pair, ransac_result* result,
                           global_ptr scalar* errors, local_ptr pair_shared* shared) {
  scalar *model = result->model, *side = result->side;
  // The scale of the fit decides what the noise can explain; it is no smaller than few matches
  // need.
  const scalar scale = model_polish(GROUP_ARG pair, model, side, errors, shared);
  scalar deviation = 0, matches;
  model_support(GROUP_ARG pair, pair->n, model, side, &result->support);
  if_constant(UNKNOWN_FOCAL || UNKNOWN_DISTORTION) {
    deviation = last_deviation(GROUP_ARG pair, model, scale, LEAVES_OUT ? errors : pair->weights,
                               LEAVES_OUT || pair->weighted, shared);
  }
  const scalar noise =
      noise_scale(GROUP_ARG pair, pair->n, model, side, 0, scale, errors, &matches);
  // The noise of exact matches is a rounding error, which says nothing about a parameter that they
  // do not determine.
  const scalar least_noise = (scalar)1e-4 * expected_noise(pair);
  deviation *= noise > least_noise ? noise : least_noise;
  const scalar chance = chance_rate(GROUP_ARG pair, model, side);
  if_constant(UNKNOWN_FOCAL && TWO_VIEWS) {
    if (pair_is_flat(GROUP_ARG pair, model, side, scale, chance)) deviation = open_deviation();
  }
  if_constant(UNKNOWN_FOCAL && !TWO_VIEWS) {
    if (focal_is_open(GROUP_ARG pair, model, scale, shared)) deviation = open_deviation();
  }
  result->noise = noise;
  result->chance = chance;
  result->collinear = inliers_collinear(GROUP_ARG pair, model, side, scale, errors);
  result->outcome = FOUND_MODEL;
  if_constant(TWO_VIEWS && HAS_POSE) {
    scalar R[10];
    if (pair_rotation(GROUP_ARG pair, model, side, scale, chance, R, errors, &result->support)) {
      for (index i = 0; i < 12; ++i) {
        side[i] = i < 9 ? R[i] : 0;
        model[i] = 0;
      }
      if_constant(UNKNOWN_FOCAL) model[0] = R[9];
      result->outcome = FOUND_ROTATION;
      deviation = open_deviation();
    }
  }
  result->deviation = deviation;
}

group_fn void pair_finish(GROUP_PARAM const struct pair_view* pair,
                          global_const ransac_state* state, global_ptr scalar* errors,
                          global_ptr ransac_result* result, local_ptr pair_shared* shared) {
  enum { ALWAYS_FITTED = 100 };  // matches
  ransac_result own = zeros;
  // A model of few points is fitted even if it scores no more than chance, because that costs
  // little and test_significance() decides anyway.
  const index is_fitted =
      state->score > 0 && (pair->effective < (scalar)ALWAYS_FITTED ||
                           score_beats_chance(pair, pair->effective, (scalar)state->score));
  own.outcome = state->solved > 0 ? FOUND_NO_FIT : FOUND_NO_SOLUTION;
  if (is_fitted) {
    for (index i = 0; i < MODEL_SIZE; ++i) own.model[i] = state->model[i];
    finish_model(GROUP_ARG pair, &own, errors, shared);
  }
  // The reported score is for weights scaled to a largest weight of 1.
  if (pair->weighted) own.support.score /= pair->largest;
  own.iterations = state->done;
  own.tested = state->tested;
  own.plane = state->plane;
  if (group_leads()) *result = own;
}

// Computes the squared errors of the points of weight 0 under the model of `result`, and counts
// their inliers. zero_weight: a view of these points alone, with the constants of their pair.
group_fn void finish_zero_weight(GROUP_PARAM const struct pair_view* zero_weight,
                                 global_ptr scalar* errors, global_ptr ransac_result* result) {
  scalar model[12], side[12];
  support_sums support;
  struct lane_model m;
  for (index i = 0; i < 12; ++i) model[i] = (scalar)result->model[i];
  for (index i = 0; i < 12; ++i) side[i] = (scalar)result->side[i];
  lane_model_set(zero_weight, model, side, &m);
  if (result->outcome == (double)FOUND_ROTATION) {
    scalar R[10];
    for (index i = 0; i < 9; ++i) R[i] = side[i];
    R[9] = uniform_fn(model_focal)(model);
    rotation_support(GROUP_ARG zero_weight, zero_weight->stride, R, errors, &support);
  } else {
    model_support(GROUP_ARG zero_weight, zero_weight->stride, model, side, &support);
    group_for(i, zero_weight->stride) {
      group_store(errors, i, admitted_error(&m, zero_weight, i), zero_weight->stride);
    }
  }
  group_barrier();  // all have read the result
  if (!group_leads()) return;
  result->zero_weight_inliers = support.inliers;
  result->zero_weight_squares = support.squares;
}
