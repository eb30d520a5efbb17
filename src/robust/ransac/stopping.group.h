// SPDX-License-Identifier: BSD-3-Clause
// How many samples a pair is worth, from the best model so far.

// What the caller asked for.
struct ransac_limits {
  index min_iterations, max_iterations;
  scalar log_failure;       // log(1 - confidence)
  scalar min_inlier_ratio;  // as in RobustOptions
};

// One pair a call, or the caller, names the fraction that is sought. Then there is time to make
// sure of what is found; batches take their own.
group_fn index is_thorough(const struct ransac_limits* limits) {
  return limits->min_inlier_ratio > 0;
}

// Samples until one (CLEAN_SAMPLES) is free of outliers, when `inliers` of n points are right.
group_fn scalar iterations_needed(scalar inliers, scalar n, scalar log_failure, scalar most) {
  scalar rate = inliers / n, clean = 1;
  for (index i = 0; i < SAMPLE_SIZE; ++i) clean *= rate;
  if (!(clean > (scalar)1e-15)) return most;
  if (clean >= (scalar)(1 - 1e-15)) return CLEAN_SAMPLES;
  // In float a clean sample may be rarer than a digit of 1 tells.
  scalar needed = (scalar)CLEAN_SAMPLES * log_failure;
  needed /= 1 - clean < 1 ? scalar_log(1 - clean) : -clean;
  return needed < most ? needed : most;
}

// Is this score over n points above what outliers give a model? Of them the fraction `chance`
// agrees and scores 2/3 each in the mean; the limit is 4 standard deviations above that, with a
// term for the skewed distribution of few points.
group_fn index score_beats_chance(const struct pair_view* pair, scalar n, scalar score) {
  scalar by_chance = n * pair->chance;
  scalar limit = (scalar)FREE_MATCHES + by_chance * (scalar)(2.0 / 3.0) +
                 4 * sqrt(by_chance * (scalar)(8.0 / 15.0)) + (scalar)(8.0 / 3.0);
  return score > limit;
}

// The fewest of `others` matches, each of which agrees with the probability `chance`, that are so
// many with a probability below exp(limit); others + 1 if all of them are not enough.
group_fn scalar least_beyond_chance(scalar others, scalar chance, scalar limit) {
  const scalar odds = chance / (1 - chance);
  scalar log_term = others * scalar_log(1 - chance);  // of exactly k by chance
  for (scalar k = 0; k <= others; k += 1) {
    const scalar ratio =
        (others - k) / (k + 1) * odds;  // of the next term; the ones after fall faster
    if (ratio < 1 && log_term < limit && log_term - scalar_log(1 - ratio) < limit) return k;
    if (k < others) log_term += scalar_log(ratio);
  }
  return others + 1;
}

// The smallest number of inliers among n points that is significant after so many samples, as
// significance.cpp has it: fewer models of outliers with as many are expected.
group_fn scalar least_significant(scalar log10_alarms, scalar n, scalar chance, scalar iterations) {
  const scalar others = n - (scalar)FREE_MATCHES;
  const scalar limit =
      log10_alarms * (scalar)2.302585092994046 - scalar_log(iterations * (scalar)SLOTS);
  const scalar least = least_beyond_chance(others, chance, limit);
  return least < others ? least + (scalar)FREE_MATCHES : n;
}

// Samples drawn at least: more where there is time, points are few enough for a sample to cost
// little, and the family wants them.
group_fn scalar least_samples(const struct pair_view* pair, const struct ransac_limits* limits) {
  const index more =
      is_thorough(limits) && pair->n < REFINE_POINTS && limits->min_iterations < THOROUGH_SAMPLES;
  return (scalar)(more ? THOROUGH_SAMPLES : limits->min_iterations);
}

// Fraction of correct matches that is worth looking for among n: the caller's, or that of a batch
// (RobustOptions::min_inlier_ratio), which is larger of few matches, since it takes as many samples
// as among many and is less significant.
group_fn scalar ratio_sought(const struct ransac_limits* limits, scalar n) {
  if (limits->min_inlier_ratio > 0) return limits->min_inlier_ratio;
  // No less than one pair is searched for.
  const scalar least = SOUGHT_PERCENT > 20 ? (scalar)0.01 * (scalar)SOUGHT_PERCENT : (scalar)0.2;
  const scalar grown = least * sqrt((scalar)1000 / n);
  return grown < least ? least : grown < (scalar)0.3 ? grown : (scalar)0.3;
}

// The smallest significant number of inliers after as many samples as it takes to find so many.
group_fn scalar least_inliers(const struct pair_view* pair, const struct ransac_limits* limits) {
  const scalar n = pair->effective;
  if (!(pair->chance < (scalar)0.99) || !(n > (scalar)FREE_MATCHES)) return n;
  scalar least = 0, most = (scalar)limits->max_iterations;
  for (index i = 0; i < 2; ++i) {  // fewer samples are less likely to find as many by chance
    least = least_significant(pair->log10_alarms, n, pair->chance, most);
    most = iterations_needed(least, n, limits->log_failure, most);
  }
  return least;
}

// Refinement takes the model of a sample of correct matches to the best one the less surely the
// fewer inliers there are: so many times as many samples.
group_fn scalar refinement_doubt(scalar inliers) {
  if (!(inliers > 0 && inliers < (scalar)FEW_INLIERS)) return 1;
  return (scalar)FEW_INLIERS / inliers * ((scalar)FEW_INLIERS / inliers);
}

// A pair is given up after this many samples without a model that scores more than chance: when
// min_inlier_ratio of correct matches would have shown. The measured numbers are for 0.2, and a
// model shows already in samples of so many outliers as the family says.
group_fn scalar iterations_without_support(const struct pair_view* pair,
                                           const struct ransac_limits* limits) {
  const scalar ratio = ratio_sought(limits, pair->effective), rarer = (scalar)0.2 / ratio;
  scalar most = uniform_fn(hypotheses_before_giving_up)(pair->effective);
  for (index i = WRONG_IN_TELLING_SAMPLE; i < SAMPLE_SIZE; ++i) most *= rarer;
  const scalar clean = iterations_needed(ratio * pair->effective, pair->effective,
                                         limits->log_failure, (scalar)limits->max_iterations);
  return clean < most ? clean : most;
}

// So many samples count as one: with qualities every second one is drawn from the best matches, and
// may find nothing.
group_fn scalar samples_for_one(const struct pair_view* pair) { return pair->ranked ? 2 : 1; }

// Samples after which a model of so many inliers would have been found.
group_fn scalar samples_to_find(const struct pair_view* pair, const struct ransac_limits* limits,
                                scalar inliers) {
  return samples_for_one(pair) * iterations_needed(inliers, pair->effective, limits->log_failure,
                                                   (scalar)limits->max_iterations);
}

// Samples after which RANSAC is given up where no model scores more than chance.
group_fn scalar samples_without_support(const struct pair_view* pair,
                                        const struct ransac_limits* limits) {
  const scalar least = (scalar)limits->min_iterations;
  const scalar samples = samples_for_one(pair) * iterations_without_support(pair, limits);
  return samples < least ? least : samples;
}

// Samples that make it as sure as is asked for that the best model is the one in the state.
group_fn scalar samples_wanted(const struct pair_view* pair, const struct ransac_limits* limits,
                               global_const ransac_state* state) {
  const scalar n = pair->effective, most = (scalar)limits->max_iterations,
               inliers = (scalar)state->inliers, sought = ratio_sought(limits, n) * n;
  scalar wanted = pair->ranked
                      ? quality_iterations_needed(pair, state->rates, inliers / n,
                                                  (scalar)CLEAN_SAMPLES * limits->log_failure, most)
                      : iterations_needed(inliers, n, limits->log_failure, most);
  wanted *= refinement_doubt(inliers);
  // A share that is not worth looking for, such as one small plane of a scene with depth, is taken
  // when it is found, and not looked for any longer than what is. Twice: shares are known roughly.
  if (inliers < sought) {
    const scalar enough = 2 * samples_for_one(pair) * refinement_doubt(sought) *
                          iterations_needed(sought, n, limits->log_failure, most);
    wanted = enough < wanted ? enough : wanted;
  }
  if (wanted < least_samples(pair, limits)) wanted = least_samples(pair, limits);
  if (!(state->unproven > 0)) return wanted;
  // A model that will not be believed does not end RANSAC.
  const scalar given_up = samples_without_support(pair, limits),
               tested = samples_to_find(pair, limits, (scalar)state->least_inliers),
               alone = given_up < tested ? given_up : tested;
  return wanted < alone ? alone : wanted;
}

// A model that scores more than chance and is not believed ends RANSAC after so many times the
// samples without support. Costly samples: so that a pair without geometry has a bound. On scenes
// of 2000 matches, 10 and 15 % right, fewer lose pairs (docs/notes/robust.md).
enum { UNPROVEN_TIMES = SAMPLE_COST < 1000 ? 10 : 3 };

// Samples that the pair is worth: none for models that would not be significant when found, few
// where no model scores more than chance or none is believed.
group_fn scalar samples_allowed(const struct pair_view* pair, const struct ransac_limits* limits,
                                global_const ransac_state* state, index beats_chance) {
  const scalar least = (scalar)limits->min_iterations, end = (scalar)limits->max_iterations;
  scalar most = end;
  if (state->inliers < state->least_inliers)
    most = samples_to_find(pair, limits, (scalar)state->least_inliers);
  if (most < least) most = least;
  if (!beats_chance || state->unproven > 0) {
    scalar given_up = samples_without_support(pair, limits);
    if (beats_chance) given_up *= (scalar)UNPROVEN_TIMES;
    if (given_up < most) most = given_up;
  }
  return most < end ? most : end;
}

// Samples of the next round when `done` of `target` have been drawn: as many as already drawn, so
// that few are drawn in vain; more once there is a model that tells how many are needed.
group_fn index next_round(index done, scalar target, index beats_chance) {
  scalar left = ceil(target) - (scalar)done;
  index most = beats_chance && done < GROWN_ROUND ? GROWN_ROUND : done;
  if (most > MOST_ROUND) most = MOST_ROUND;
  if (!(left > 0)) return 0;
  return left < (scalar)most ? (index)left : most;
}

// How many of the few inliers of a model differ in both images from all the others: matches that
// share a point prove no more than one. errors [stride]: scratch memory.
group_fn scalar distinct_inliers(GROUP_PARAM const struct pair_view* pair, const scalar* model,
                                 const scalar* side, global_ptr scalar* errors) {
  struct lane_model m;
  scalar found[2] = {0, 0};
  real t = group_same(pair->threshold);
  lane_model_set(pair, model, side, &m);
  group_for(i, pair->n) group_store(errors, i, admitted_error(&m, pair, i), pair->stride);
  group_barrier();
  for (index i = 0; i < pair->n; ++i) {
    if (!(errors[i] * pair->threshold < 1)) continue;
    mask shared[2] = {lane(0) > lane(1), lane(0) > lane(1)};
    group_for(j, i) {
      mask earlier = (group_index(j) < lane_int_of(i)) & (group_load(errors, j) * t < lane(1));
      for (index c = 0; c < SEEN_COLUMNS; c += 2) {
        global_const scalar *x = pair->points + c * pair->stride, *y = x + pair->stride;
        mask same = (group_load(x, j) == group_same(x[i])) & (group_load(y, j) == group_same(y[i]));
        shared[c / 2] = shared[c / 2] | (earlier & same);
      }
    }
    for (index k = 0; k < 2; ++k) found[k] += group_any(shared[k]) ? 0 : 1;
  }
  group_barrier();
  return found[0] < found[1] ? found[0] : found[1];
}

// Is the model believed by what its inliers tell (significance.cpp: places and planes apart)? Wrong
// matches are tried with this model, which some agree with more often than with most. errors
// [stride]: scratch memory.
group_fn index model_is_proven(GROUP_PARAM const struct pair_view* pair, const scalar* model,
                               scalar tested, global_ptr scalar* errors) {
  scalar side[12];
  support_sums support;
  model_side(GROUP_ARG pair, pair->n, model, side);
  model_support(GROUP_ARG pair, pair->n, model, side, &support);
  const scalar measured = chance_rate(GROUP_ARG pair, model, side);
  const scalar chance = measured > pair->chance ? measured : pair->chance;
  if (!(chance < (scalar)0.99)) return 0;
  const scalar least = least_significant(pair->log10_alarms, (scalar)pair->n, chance, tested);
  if (support.inliers < least) return 0;
  if (!TWO_VIEWS || support.inliers > (scalar)FEW_INLIERS) return 1;
  return distinct_inliers(GROUP_ARG pair, model, side, errors) >= least;
}
