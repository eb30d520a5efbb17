// SPDX-License-Identifier: BSD-3-Clause
// The end of a round of trials: refine the round's best model if it beats what was known, and plan
// the next round.
//   O. Chum, J. Matas, J. Kittler, Locally optimized RANSAC, DAGM 2003.

// What the caller asked for.
struct search_limits {
  index min_trials, max_trials;
  scalar log_failure;  // log(1 - confidence)
};

// Trials until one is free of wrong matches, when `inliers` of n points are right.
group_fn scalar trials_needed(scalar inliers, scalar n, scalar log_failure, scalar most) {
  scalar rate = inliers / n, clean = 1;
  for (index i = 0; i < SAMPLE_SIZE; ++i) clean *= rate;
  if (!(clean > (scalar)1e-15)) return most;
  if (clean >= (scalar)(1 - 1e-15)) return 1;
  scalar needed = log_failure / scalar_log(1 - clean);
  return needed < most ? needed : most;
}

// Does a gain of n points tell of geometry? More than a model of wrong matches gains, which are
// `chance` of the points and gain 2/3 each in the mean: by 4 standard deviations and a term for the
// skew of few.
group_fn index gain_is_hopeful(const struct pair_view* pair, scalar n, scalar gain) {
  scalar by_chance = n * pair->chance;
  scalar limit = (scalar)SAMPLE_SIZE + by_chance * (scalar)(2.0 / 3.0) +
                 4 * sqrt(by_chance * (scalar)(8.0 / 15.0)) + (scalar)(8.0 / 3.0);
  return gain > limit;
}

// After how many trials without a hopeful model a pair is given up. Bad qualities leave every
// second trial to find something.
group_fn scalar trials_without_hope(const struct pair_view* pair) {
  return (pair->ranked ? 2 : 1) * uniform_fn(hopeless_trials)(pair->effective);
}

// Trials of the next round when `done` are behind and `target` are wanted: as many as are done
// already, so that few are drawn in vain; more once a model says how many it takes.
group_fn index next_round(index done, scalar target, index is_hopeful) {
  scalar left = ceil(target) - (scalar)done;
  index most = is_hopeful && done < GROWN_ROUND ? GROWN_ROUND : done;
  if (most > MOST_ROUND) most = MOST_ROUND;
  if (!(left > 0)) return 0;
  return left < (scalar)most ? (index)left : most;
}

// A trial of a round in the order of falling gains.
struct ranked_trial {
  scalar gain;
  index trial;
};
// The one after `at`: lower, or as high and later. A multiple of the widest group of gains is
// readable.
group_fn void next_trial(GROUP_PARAM global_const float* gains, index trials,
                         struct ranked_trial* at) {
  const index padded = (trials + 63) / 64 * 64;
  real most = lane(-2), limit = group_same(at->gain);
  lane_int after = lane_int_of(at->trial), from_end = lane_int_of(0);
  group_for(i, padded) {
    real gain = group_load(gains, i);
    mask open = (gain < limit) | ((gain == limit) & (after < group_index(i)));
    most = fmax(most, select(open, gain, lane(-2)));
  }
  at->gain = group_max(most);
  real wanted = group_same(at->gain);
  group_for(i, padded) {
    real gain = group_load(gains, i);
    mask open = (gain < limit) | ((gain == limit) & (after < group_index(i)));
    lane_int place = lane_int_of(padded) - group_index(i);
    from_end = select_int(open & (gain == wanted) & (from_end < place), place, from_end);
  }
  at->trial = padded - group_max_int(from_end);
}

// How many models of a round are refined at most. One, when it gained more than any before. In the
// first round more of an epipolar matrix, since the best may hold a plane of the scene alone; and
// of few points, which cost little and of which one may grow, until a hopeful model is there.
group_fn index candidates_of(const struct pair_view* pair, index done, scalar gain) {
  index most = RESIDUALS == 1 && done == 0 ? 2 : 1;
  index many = 4096 / (pair->n + 1);
  if (many > most && !gain_is_hopeful(pair, pair->effective, gain)) most = many < 16 ? many : 16;
  return most;
}

// Refines a model from a sample and takes it when it is the best.
group_fn void search_consider(GROUP_PARAM const struct pair_view* pair, scalar* model,
                              global_ptr scalar* state, global_ptr scalar* weights,
                              local_ptr scalar* shared) {
  scalar side[12], sums[4];
  index subset = pair_subset(pair, SEARCH_POINTS);
  struct refine_options options = {pair->threshold, 0, pair->weighted, 10, (scalar)1e-4};
  model_refine(GROUP_ARG pair, subset, &options, pair->shares, model, shared);
  if_constant(RESIDUALS == 1) {
    // Again without the points that cannot be matches of it.
    model_side(GROUP_ARG pair, subset, model, side);
    admit_points(GROUP_ARG pair, subset, model, side, weights);
    options.weighted = 1;
    model_refine(GROUP_ARG pair, subset, &options, weights, model, shared);
  }
  model_support(GROUP_ARG pair, pair->n, model, side, sums);
  index better = sums[0] > state[STATE_GAIN];
  better = better && uniform_fn(model_is_sound)(model);
  group_barrier();  // all have read the state
  if (!better) return;
  // Samples are free of wrong matches as often as the share of right ones allows, even where the
  // threshold is too tight to call them inliers.
  scalar matches = sums[3];
  // A homography or side without hope among many matches wants all trials, whatever the noise.
  if (RESIDUALS == 1 || pair->ranked || pair->n < SEARCH_POINTS ||
      gain_is_hopeful(pair, pair->effective, sums[0])) {
    noise_scale(GROUP_ARG pair, subset, model, side, expected_noise(pair), &matches);
    matches = matches * pair->effective / pair->scored;
    if (!(matches > sums[3])) matches = sums[3];
  }
  if (pair->ranked) {
    const scalar boost = matches / (sums[3] > 1 ? sums[3] : 1);
    quality_rates(GROUP_ARG pair, model, side, boost, state + STATE_RATES);
  }
  if (group_leads()) {
    for (index i = 0; i < MODEL_SIZE; ++i) state[STATE_MODEL + i] = model[i];
    state[STATE_GAIN] = sums[0];
    state[STATE_INLIERS] = matches;
  }
  group_barrier();
}

// gains [trials], models [trials][SLOTS][MODEL_SIZE] and slots [trials]: the gain of the best model
// of each trial (-1: none that mattered; -2: none at all), and which it is. Returns the trials of
// the next round.
group_fn index pair_decide(GROUP_PARAM const struct pair_view* pair,
                           const struct search_limits* limits, global_const float* gains,
                           global_const float* models, global_const int* slots, index trials,
                           global_ptr scalar* state, global_ptr scalar* weights,
                           local_ptr scalar* shared) {
  const index done = (index)state[STATE_DONE] + trials;
  const scalar raw = state[STATE_RAW];
  const index candidates = candidates_of(pair, done - trials, state[STATE_GAIN]);
  struct ranked_trial at = {(scalar)1e30, -1};
  scalar best = -2;
  for (index k = 0; k < candidates; ++k) {
    next_trial(GROUP_ARG gains, trials, &at);
    if (k == 0) best = at.gain;
    if (!(at.gain > 0) || (candidates == 1 && !(at.gain > raw))) break;
    scalar model[12];
    global_const float* m = models + (at.trial * SLOTS + slots[at.trial]) * MODEL_SIZE;
    for (index i = 0; i < MODEL_SIZE; ++i) model[i] = (scalar)m[i];
    search_consider(GROUP_ARG pair, model, state, weights, shared);
    // One that most matches agree with hardly grows from another sample, any from a third one.
    if (RESIDUALS == 2 && (k > 0 || state[STATE_GAIN] > (scalar)0.5 * pair->effective) &&
        gain_is_hopeful(pair, pair->effective, state[STATE_GAIN])) {
      break;
    }
  }
  const scalar most_raw = best > raw ? best : raw;
  scalar wanted = trials_needed(state[STATE_INLIERS], pair->effective, limits->log_failure,
                                (scalar)limits->max_trials);
  if (pair->ranked) {
    wanted =
        quality_trials_needed(pair, state + STATE_RATES, state[STATE_INLIERS] / pair->effective,
                              limits->log_failure, (scalar)limits->max_trials);
  }
  if (wanted < (scalar)limits->min_trials) wanted = (scalar)limits->min_trials;
  scalar most = (scalar)limits->max_trials;
  const index is_hopeful = gain_is_hopeful(pair, pair->scored, most_raw) ||
                           gain_is_hopeful(pair, pair->effective, state[STATE_GAIN]);
  if (!is_hopeful) {
    scalar hopeless = trials_without_hope(pair);
    if (hopeless < (scalar)limits->min_trials) hopeless = (scalar)limits->min_trials;
    most = hopeless < most ? hopeless : most;
  }
  if (wanted > most) wanted = most;
  group_barrier();  // all have read the state
  if (group_leads()) {
    state[STATE_RAW] = most_raw;
    if (best > (scalar)-1.5) state[STATE_SOLVED] = 1;
    state[STATE_DONE] = (scalar)done;
  }
  group_barrier();
  return next_round(done, wanted, is_hopeful);
}
