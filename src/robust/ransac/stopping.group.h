// SPDX-License-Identifier: BSD-3-Clause
// The number of samples drawn for a pair, from its best model so far.

// Limits set by the caller.
struct ransac_limits {
  index min_iterations, max_iterations;
  scalar log_failure;       // log(1 - confidence)
  scalar min_inlier_ratio;  // as in RobustOptions
};

// Returns whether the smallest inlier ratio to find is given, by the caller or because a call has
// one pair. Then time is spent to make sure of the result; batches use their own ratio.
group_fn index is_thorough(const struct ransac_limits* limits) {
  return limits->min_inlier_ratio > 0;
}

// Returns the number of samples until CLEAN_SAMPLES samples are free of outliers, if `inliers` of n
// points are correct.
group_fn scalar iterations_needed(scalar inliers, scalar n, scalar log_failure, scalar most) {
  scalar rate = inliers / n, clean = 1;
  for (index i = 0; i < SAMPLE_SIZE; ++i) clean *= rate;
  if (!(clean > (scalar)1e-15)) return most;
  if (clean >= (scalar)(1 - 1e-15)) return CLEAN_SAMPLES;
  // In float, 1 - clean may round to 1 for a rare clean sample.
  scalar needed = (scalar)CLEAN_SAMPLES * log_failure;
  needed /= 1 - clean < 1 ? scalar_log(1 - clean) : -clean;
  return needed < most ? needed : most;
}

// Returns whether a score over n points is above what outliers give a model. A fraction `chance` of
// outliers are inliers of the model and score 2/3 each on average. The limit is 4 standard
// deviations above that mean, with a term for the skewed distribution of few points.
group_fn index score_beats_chance(const struct pair_view* pair, scalar n, scalar score) {
  scalar by_chance = n * pair->chance;
  scalar limit = (scalar)FREE_MATCHES + by_chance * (scalar)(2.0 / 3.0) +
                 4 * sqrt(by_chance * (scalar)(8.0 / 15.0)) + (scalar)(8.0 / 3.0);
  return score > limit;
}

// Returns the smallest k for which at least k of `others` matches are inliers by chance with
// a probability below exp(limit); others + 1 if no k qualifies. chance: the probability for
// one match.
group_fn scalar least_beyond_chance(scalar others, scalar chance, scalar limit) {
  const scalar odds = chance / (1 - chance);
  scalar log_term = others * scalar_log(1 - chance);  // log probability of exactly k by chance
  for (scalar k = 0; k <= others; k += 1) {
    const scalar ratio = (others - k) / (k + 1) * odds;  // term k + 1 over term k; falls with k
    if (ratio < 1 && log_term < limit && log_term - scalar_log(1 - ratio) < limit) return k;
    if (k < others) log_term += scalar_log(ratio);
  }
  return others + 1;
}

// Returns the smallest significant number of inliers among n points after `iterations` samples,
// as tested in significance.cpp: the expected number of equally supported models of outliers is
// below the level.
group_fn scalar least_significant(scalar log10_alarms, scalar n, scalar chance, scalar iterations) {
  const scalar others = n - (scalar)FREE_MATCHES;
  const scalar limit =
      log10_alarms * (scalar)2.302585092994046 - scalar_log(iterations * (scalar)SLOTS);
  const scalar least = least_beyond_chance(others, chance, limit);
  return least < others ? least + (scalar)FREE_MATCHES : n;
}

// Returns the smallest number of samples to draw. It is larger if time allows, a sample costs
// little because points are few, and the family needs it.
group_fn scalar least_samples(const struct pair_view* pair, const struct ransac_limits* limits) {
  const index more =
      is_thorough(limits) && pair->n < REFINE_POINTS && limits->min_iterations < THOROUGH_SAMPLES;
  return (scalar)(more ? THOROUGH_SAMPLES : limits->min_iterations);
}

// Returns the smallest inlier ratio that RANSAC should find among n matches: the caller's, or the
// default of a batch (RobustOptions::min_inlier_ratio). The default is larger for few matches,
// where a ratio needs as many samples as among many matches and is less significant.
group_fn scalar target_inlier_ratio(const struct ransac_limits* limits, scalar n) {
  if (limits->min_inlier_ratio > 0) return limits->min_inlier_ratio;
  // At least the ratio for a call with one pair.
  const scalar least = TARGET_PERCENT > 20 ? (scalar)0.01 * (scalar)TARGET_PERCENT : (scalar)0.2;
  const scalar grown = least * sqrt((scalar)1000 / n);
  return grown < least ? least : grown < (scalar)0.3 ? grown : (scalar)0.3;
}

// Returns the smallest number of inliers that is significant after the number of samples needed
// to find it.
group_fn scalar least_inliers(const struct pair_view* pair, const struct ransac_limits* limits) {
  const scalar n = pair->effective;
  if (!(pair->chance < (scalar)0.99) || !(n > (scalar)FREE_MATCHES)) return n;
  scalar least = 0, most = (scalar)limits->max_iterations;
  for (index i = 0; i < 2; ++i) {  // fewer samples find that many by chance less often
    least = least_significant(pair->log10_alarms, n, pair->chance, most);
    most = iterations_needed(least, n, limits->log_failure, most);
  }
  return least;
}

// Returns the factor on the number of samples for this number of inliers. With few inliers,
// refinement leads less reliably from an outlier-free sample to the best model, so more samples
// are drawn.
group_fn scalar few_inliers_factor(scalar inliers) {
  if (!(inliers > 0 && inliers < (scalar)FEW_INLIERS)) return 1;
  return (scalar)FEW_INLIERS / inliers * ((scalar)FEW_INLIERS / inliers);
}

// Returns the number of samples after which a pair is given up if no model has scored more than
// chance: by then, a fraction min_inlier_ratio of correct matches would have been found. The
// measured numbers are for 0.2. A model scores more than chance with TOLERATED_SAMPLE_OUTLIERS
// outliers in its sample.
group_fn scalar iterations_without_support(const struct pair_view* pair,
                                           const struct ransac_limits* limits) {
  const scalar ratio = target_inlier_ratio(limits, pair->effective), rarer = (scalar)0.2 / ratio;
  scalar most = uniform_fn(hypotheses_before_giving_up)(pair->effective);
  for (index i = TOLERATED_SAMPLE_OUTLIERS; i < SAMPLE_SIZE; ++i) most *= rarer;
  const scalar clean = iterations_needed(ratio * pair->effective, pair->effective,
                                         limits->log_failure, (scalar)limits->max_iterations);
  return clean < most ? clean : most;
}

// Returns the factor on the number of samples with qualities: every second sample is drawn from the
// best matches and may fail.
group_fn scalar quality_sample_factor(const struct pair_view* pair) { return pair->ranked ? 2 : 1; }

// Returns the number of samples after which a model with this number of inliers would have
// been found.
group_fn scalar samples_to_find(const struct pair_view* pair, const struct ransac_limits* limits,
                                scalar inliers) {
  return quality_sample_factor(pair) * iterations_needed(inliers, pair->effective,
                                                         limits->log_failure,
                                                         (scalar)limits->max_iterations);
}

// Returns the number of samples after which RANSAC ends if no model scores more than chance.
group_fn scalar samples_without_support(const struct pair_view* pair,
                                        const struct ransac_limits* limits) {
  const scalar least = (scalar)limits->min_iterations;
  const scalar samples = quality_sample_factor(pair) * iterations_without_support(pair, limits);
  return samples < least ? least : samples;
}

// Returns the number of samples after which the model in the state is the best one with the
// given confidence.
group_fn scalar samples_wanted(const struct pair_view* pair, const struct ransac_limits* limits,
                               global_const ransac_state* state) {
  const scalar n = pair->effective, most = (scalar)limits->max_iterations,
               inliers = (scalar)state->inliers,
               target_inliers = target_inlier_ratio(limits, n) * n;
  scalar wanted = pair->ranked
                      ? quality_iterations_needed(pair, state->rates, inliers / n,
                                                  (scalar)CLEAN_SAMPLES * limits->log_failure, most)
                      : iterations_needed(inliers, n, limits->log_failure, most);
  wanted *= few_inliers_factor(inliers);
  // If the model has a smaller inlier ratio than RANSAC should find, such as one small plane of a
  // scene with depth, sampling takes no longer than for a model of the ratio to find. Factor 2:
  // inlier ratios are known only roughly.
  if (inliers < target_inliers) {
    const scalar enough = 2 * quality_sample_factor(pair) * few_inliers_factor(target_inliers) *
                          iterations_needed(target_inliers, n, limits->log_failure, most);
    wanted = enough < wanted ? enough : wanted;
  }
  if (wanted < least_samples(pair, limits)) wanted = least_samples(pair, limits);
  if (!(state->unproven > 0)) return wanted;
  // A model that would fail the significance test does not end RANSAC.
  const scalar given_up = samples_without_support(pair, limits),
               tested = samples_to_find(pair, limits, (scalar)state->least_inliers),
               alone = given_up < tested ? given_up : tested;
  return wanted < alone ? alone : wanted;
}

// Factor on the samples without support for a model that scores more than chance and would fail
// the significance test. It is smaller for costly samples, so that the time of a pair without
// geometry is bounded. On scenes of 2000 matches with 10 and 15 % correct, smaller factors lose
// pairs (docs/develop/notes/robust.md).
enum { UNPROVEN_FACTOR = SAMPLE_COST < 1000 ? 10 : 3 };

// Returns the largest number of samples for the pair. Models are not sampled for if they would
// not be significant when found, and few samples are drawn while no model scores more than
// chance or is significant.
group_fn scalar samples_allowed(const struct pair_view* pair, const struct ransac_limits* limits,
                                global_const ransac_state* state, index beats_chance) {
  const scalar least = (scalar)limits->min_iterations, end = (scalar)limits->max_iterations;
  scalar most = end;
  if (state->inliers < state->least_inliers)
    most = samples_to_find(pair, limits, (scalar)state->least_inliers);
  if (most < least) most = least;
  if (!beats_chance || state->unproven > 0) {
    scalar given_up = samples_without_support(pair, limits);
    if (beats_chance) given_up *= (scalar)UNPROVEN_FACTOR;
    if (given_up < most) most = given_up;
  }
  return most < end ? most : end;
}

// Returns the number of samples of the next round when `done` of `target` have been drawn. A round
// doubles the number of samples, so that few are drawn in vain; it is larger once a model
// determines how many are needed.
group_fn index next_round(index done, scalar target, index beats_chance) {
  scalar left = ceil(target) - (scalar)done;
  index most = beats_chance && done < GROWN_ROUND ? GROWN_ROUND : done;
  if (most > MOST_ROUND) most = MOST_ROUND;
  if (!(left > 0)) return 0;
  return left < (scalar)most ? (index)left : most;
}

// Counts the inliers of a model that differ from all earlier inliers, and returns the count of the
// image that has fewer. Matches that share a point count once. Meant for few inliers. errors
// [stride]: scratch memory.
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

// Returns whether the inliers make the model significant (significance.cpp, without places and
// planes). The chance rate is measured with this model, which may have more outliers as inliers
// than other models. errors [stride]: scratch memory.
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
