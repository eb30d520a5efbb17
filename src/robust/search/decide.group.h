// SPDX-License-Identifier: BSD-3-Clause
// The end of a round: refines the round's best model when it scores more than all before, and plans
// the next round.
//   O. Chum, J. Matas, J. Kittler, Locally optimized RANSAC, DAGM 2003.

// What the caller asked for.
struct search_limits {
  index min_iterations, max_iterations;
  scalar log_failure;       // log(1 - confidence)
  scalar min_inlier_ratio;  // as in RobustOptions
};

// Samples until one is free of wrong matches, when `inliers` of n points are right.
group_fn scalar iterations_needed(scalar inliers, scalar n, scalar log_failure, scalar most) {
  scalar rate = inliers / n, clean = 1;
  for (index i = 0; i < SAMPLE_SIZE; ++i) clean *= rate;
  if (!(clean > (scalar)1e-15)) return most;
  if (clean >= (scalar)(1 - 1e-15)) return 1;
  scalar needed = log_failure / scalar_log(1 - clean);
  return needed < most ? needed : most;
}

// Is this score over n points above what wrong matches give a model? Of them the fraction `chance`
// agrees and scores 2/3 each in the mean; the limit is 4 standard deviations above that, with a
// term for the skewed distribution of few points.
group_fn index score_beats_chance(const struct pair_view* pair, scalar n, scalar score) {
  scalar by_chance = n * pair->chance;
  scalar limit = (scalar)SAMPLE_SIZE + by_chance * (scalar)(2.0 / 3.0) +
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
// significance.cpp has it: less than 0.01 models of wrong matches with as many are expected.
group_fn scalar least_significant(scalar n, scalar chance, scalar iterations) {
  const scalar others = n - (scalar)SAMPLE_SIZE;
  const scalar limit = scalar_log((scalar)0.01 / (iterations * (scalar)SLOTS));
  const scalar least = least_beyond_chance(others, chance, limit);
  return least < others ? least + (scalar)SAMPLE_SIZE : n;
}

// Fraction of right matches that is worth looking for among n (RobustOptions::min_inlier_ratio):
// of few matches a larger one, since it takes as many samples as among many and is less
// significant.
group_fn scalar ratio_sought(const struct search_limits* limits, scalar n) {
  const scalar least = limits->min_inlier_ratio, grown = least * sqrt((scalar)1000 / n);
  const scalar most = least < (scalar)0.2 ? (scalar)0.2 : (scalar)0.3;
  return grown < least || most < least ? least : grown < most ? grown : most;
}

// The smallest significant number of inliers after as many samples as it takes to find so many.
group_fn scalar least_inliers(const struct pair_view* pair, const struct search_limits* limits) {
  const scalar n = pair->effective;
  if (!(pair->chance < (scalar)0.99) || !(n > (scalar)SAMPLE_SIZE)) return n;
  scalar least = 0, most = (scalar)limits->max_iterations;
  for (index i = 0; i < 2; ++i) {  // fewer samples are less likely to find as many by chance
    least = least_significant(n, pair->chance, most);
    most = iterations_needed(least, n, limits->log_failure, most);
  }
  return least;
}

// Refinement takes the model of a sample of right matches to the best one the less surely the fewer
// inliers there are: so many times as many samples.
group_fn scalar refinement_doubt(scalar inliers) {
  if (!(inliers > 0 && inliers < (scalar)FEW_INLIERS)) return 1;
  return (scalar)FEW_INLIERS / inliers * ((scalar)FEW_INLIERS / inliers);
}

// A pair is given up after this many samples without a model that scores more than chance: when
// min_inlier_ratio of right matches would have shown. The measured numbers are for 0.2; a
// homography or pose shows in samples free of wrong matches, an epipolar matrix already in those
// with one.
group_fn scalar iterations_without_support(const struct pair_view* pair,
                                           const struct search_limits* limits) {
  const scalar ratio = ratio_sought(limits, pair->effective), rarer = (scalar)0.2 / ratio;
  scalar most = uniform_fn(hypotheses_before_giving_up)(pair->effective);
  for (index i = RESIDUALS == 1 ? 1 : 0; i < SAMPLE_SIZE; ++i) most *= rarer;
  const scalar clean = iterations_needed(ratio * pair->effective, pair->effective,
                                         limits->log_failure, (scalar)limits->max_iterations);
  return clean < most ? clean : most;
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

// A hypothesis (the best model of a sample) of a round, in the order of falling scores.
struct ranked_hypothesis {
  scalar score;
  index hypothesis;
};
// The hypothesis after `at`: of a lower score, or of the same score and a higher number; -1, with a
// score of -2, where none of the others has a model. `scores` can be read up to a multiple of the
// widest group.
group_fn void next_hypothesis(GROUP_PARAM global_const float* scores, index hypotheses,
                              struct ranked_hypothesis* at) {
  const index padded = (hypotheses + 63) / 64 * 64;
  real most = lane(-2), limit = group_same(at->score);
  lane_int after = lane_int_of(at->hypothesis), from_end = lane_int_of(0);
  group_for(i, padded) {  // the first of the highest that each lane comes by
    real score = group_load(scores, i);
    mask higher = score > most;
    if (group_worth(higher)) {
      mask open = (score < limit) | ((score == limit) & (after < group_index(i)));
      higher = higher & open;
      most = select(higher, score, most);
      from_end = select_int(higher, lane_int_of(padded) - group_index(i), from_end);
    }
  }
  at->score = group_max(most);
  from_end = select_int(most == group_same(at->score), from_end, lane_int_of(0));
  const index place = group_max_int(from_end);
  at->hypothesis = place > 0 ? padded - place : -1;
}

// How many models of a round are refined at most: one, when it scores more than all before. In the
// first round (also of a narrowed threshold) two epipolar matrices, since the best may fit one
// plane of the scene alone. With few points, where refinement is cheap and may improve a model
// much, up to CANDIDATES or MOST_CANDIDATES until a model scores more than chance
// (docs/decisions.md has what more and fewer find).
group_fn index candidates_of(const struct pair_view* pair, index is_first, scalar score) {
  index most = RESIDUALS == 1 && is_first ? 2 : 1;
  index many = 4096 / (pair->n + 1);
  if (many > most && !score_beats_chance(pair, pair->effective, score))
    most = pair->n < FEW_FOR_MOST ? MOST_CANDIDATES : many < CANDIDATES ? many : CANDIDATES;
  return most;
}

// What refinement makes of a model from a sample.
struct considered {
  scalar model[12], side[12];
  scalar refined;  // score of the first refinement over the points that it saw
  scalar sums[4];  // model_support
};

// Refines the model of a sample; returns 1 when it is better than one that scores `best`, and only
// then are the side and the sums of *c known. weights [stride]: scratch memory.
group_fn index model_consider(GROUP_PARAM const struct pair_view* pair, scalar best,
                              global_ptr scalar* weights, local_ptr scalar* shared,
                              struct considered* c) {
  index subset = pair_subset(pair, SEARCH_POINTS);
  struct refine_options options = {pair->threshold, 0, pair->weighted, 10, (scalar)1e-4};
  c->refined = model_refine(GROUP_ARG pair, subset, &options, pair->weights, c->model, shared);
  if_constant(RESIDUALS == 1) {
    // What does not score more with all points hardly does with some of them.
    if (subset == pair->n && !(c->refined > best)) return 0;
    // Again without the points that cannot be matches of it.
    model_side(GROUP_ARG pair, subset, c->model, c->side);
    admit_points(GROUP_ARG pair, subset, c->model, c->side, weights);
    options.weighted = 1;
    model_refine(GROUP_ARG pair, subset, &options, weights, c->model, shared);
  }
  model_support(GROUP_ARG pair, pair->n, c->model, c->side, c->sums);
  return c->sums[0] > best;
}

// Takes a model that is better than the one before. errors [stride]: scratch memory.
group_fn void search_take(GROUP_PARAM const struct pair_view* pair, const struct considered* c,
                          global_ptr scalar* state, global_ptr scalar* errors) {
  const index subset = pair_subset(pair, SEARCH_POINTS),
              is_sound = uniform_fn(model_is_sound)(c->model);
  group_barrier();  // all have read the state
  if (!is_sound) return;
  // How often a sample is free of wrong matches depends on the fraction of right matches, even
  // where the threshold is too tight to call them inliers.
  scalar matches = c->sums[3], noise = expected_noise(pair);
  // A map or pose of many matches that scores no more than chance needs all samples, whatever the
  // noise.
  if (RESIDUALS == 1 || pair->ranked || pair->n < SEARCH_POINTS ||
      score_beats_chance(pair, pair->effective, c->sums[0])) {
    noise = noise_scale(GROUP_ARG pair, subset, c->model, c->side, expected_noise(pair), errors,
                        &matches);
    matches = matches * pair->effective / pair->scored;
    if (!(matches > c->sums[3])) matches = c->sums[3];
  }
  if (pair->ranked) {
    const scalar boost = matches / (c->sums[3] > 1 ? c->sums[3] : 1);
    quality_rates(GROUP_ARG pair, c->model, c->side, boost, state + STATE_RATES);
  }
  if (group_leads()) {
    for (index i = 0; i < MODEL_SIZE; ++i) state[STATE_MODEL + i] = c->model[i];
    state[STATE_SCORE] = c->sums[0];
    state[STATE_INLIERS] = matches;
    state[STATE_NOISE] = noise;
  }
  group_barrier();
}

// Refines c->model and takes it when it is the best.
group_fn void search_consider(GROUP_PARAM const struct pair_view* pair, struct considered* c,
                              global_ptr scalar* state, global_ptr scalar* weights,
                              local_ptr scalar* shared) {
  if (model_consider(GROUP_ARG pair, state[STATE_SCORE], weights, shared, c))
    search_take(GROUP_ARG pair, c, state, weights);
}

// A threshold far too wide for the noise takes wrong matches near the lines for right ones, and a
// model that has more of these may score more than the right one. So where two and a half standard
// deviations are less than 60 % of it the search goes on with them as the threshold, for a round at
// least. Epipolar matrices alone: wrong matches hardly ever agree with a map or a pose.
group_fn index narrowed_round(GROUP_PARAM const struct pair_view* pair,
                              const struct search_limits* limits, index done,
                              global_ptr scalar* state, global_ptr scalar* weights,
                              local_ptr scalar* shared) {
  struct pair_view narrow = *pair;
  struct considered c;
  const scalar fitting = (scalar)6.25 * state[STATE_NOISE] * state[STATE_NOISE] * pair->threshold;
  const index left = limits->max_iterations - done, round = left < 128 ? left : 128;
  const index is_wide = fitting > 0 && fitting < (scalar)0.36;
  if (RESIDUALS == 2 || state[STATE_NARROWED] > 0 || !is_wide || round < 1) return 0;
  const scalar factor = fitting > (scalar)0.01 ? 1 / fitting : 100;
  narrow.threshold *= factor;
  for (index i = 0; i < MODEL_SIZE; ++i) c.model[i] = state[STATE_MODEL + i];
  group_barrier();  // all have read the state
  if (group_leads()) {
    state[STATE_NARROWED] = factor;
    state[STATE_SCORE] = state[STATE_SAMPLE_SCORE] = 0;
  }
  group_barrier();
  search_consider(GROUP_ARG & narrow, &c, state, weights, shared);
  return round;
}

// The models of a round: of each sample the score of the best (-1: none above the floor; -2: no
// model), which of its models that is, and its models [SLOTS][MODEL_SIZE], from one number to the
// next `number_step`, from one sample to the next `sample_step` places.
struct round_models {
  index count;
  global_const float* scores;
  global_const int* slots;
  global_const float* models;
  index sample_step, number_step;
};

group_fn void round_model(const struct round_models* round, index sample, scalar* model) {
  const offset first = (offset)sample * round->sample_step;
  const index from = round->slots[sample] * MODEL_SIZE;
  for (index i = 0; i < MODEL_SIZE; ++i)
    model[i] = (scalar)round->models[first + (from + i) * (offset)round->number_step];
}

// Candidates of a round that have been considered before, all at once (engine_consider): their
// samples in the order of falling scores, -1 behind the last, and what came of each
// [CONSIDERED_SIZE].
struct ready_candidates {
  index are_there;
  global_const int* samples;
  global_const scalar* considered;
};

// Is the k-th candidate worth a refinement, when one of this score is the only one there is?
group_fn index is_candidate(index candidates, scalar score, scalar raw) {
  return score > 0 && (candidates > 1 || score > raw);
}

// Reads what came of the k-th candidate; returns 1 when it is better than one that scores `best`.
group_fn index candidate_ready(const struct pair_view* pair, const struct ready_candidates* ready,
                               index k, scalar best, struct considered* c) {
  global_const scalar* own = ready->considered + k * CONSIDERED_SIZE;
  if (!(own[CONSIDERED_BETTER] > 0)) return 0;
  c->refined = own[CONSIDERED_REFINED];
  if (RESIDUALS == 1 && pair->n <= SEARCH_POINTS && !(c->refined > best)) return 0;
  for (index i = 0; i < 12; ++i) {
    c->model[i] = own[CONSIDERED_MODEL + i];
    c->side[i] = own[CONSIDERED_SIDE + i];
  }
  for (index i = 0; i < 4; ++i) c->sums[i] = own[CONSIDERED_SUMS + i];
  return c->sums[0] > best;
}

// Returns the number of samples of the next round.
group_fn index pair_decide(GROUP_PARAM const struct pair_view* pair,
                           const struct search_limits* limits, const struct round_models* round,
                           const struct ready_candidates* ready, global_ptr scalar* state,
                           global_ptr scalar* weights, local_ptr scalar* shared) {
  const index hypotheses = round->count, done = (index)state[STATE_DONE] + hypotheses;
  const scalar raw = state[STATE_SAMPLE_SCORE];
  const index candidates = candidates_of(pair, !(raw > 0), state[STATE_SCORE]);
  struct ranked_hypothesis at = {(scalar)1e30, -1};
  scalar best = -2;
  for (index k = 0; k < candidates; ++k) {
    struct considered c;
    if (ready->are_there) {
      at.hypothesis = ready->samples[k];
      at.score = at.hypothesis < 0 ? (scalar)-2 : (scalar)round->scores[at.hypothesis];
    } else {
      next_hypothesis(GROUP_ARG round->scores, hypotheses, &at);
    }
    if (k == 0) best = at.score;
    if (!is_candidate(candidates, at.score, raw)) break;
    if (!ready->are_there) {
      round_model(round, at.hypothesis, c.model);
      search_consider(GROUP_ARG pair, &c, state, weights, shared);
    } else if (candidate_ready(pair, ready, k, state[STATE_SCORE], &c)) {
      search_take(GROUP_ARG pair, &c, state, weights);
    }
    // A model that most matches agree with is hardly improved by another sample, and no model by a
    // third one.
    if (RESIDUALS == 2 && (k > 0 || state[STATE_SCORE] > (scalar)0.5 * pair->effective) &&
        score_beats_chance(pair, pair->effective, state[STATE_SCORE])) {
      break;
    }
  }
  const scalar best_sample_score = best > raw ? best : raw;
  scalar wanted = iterations_needed(state[STATE_INLIERS], pair->effective, limits->log_failure,
                                    (scalar)limits->max_iterations);
  if (pair->ranked) {
    wanted =
        quality_iterations_needed(pair, state + STATE_RATES, state[STATE_INLIERS] / pair->effective,
                                  limits->log_failure, (scalar)limits->max_iterations);
  }
  const scalar inliers = state[STATE_INLIERS];
  const scalar sought = ratio_sought(limits, pair->effective) * pair->effective;
  wanted *= refinement_doubt(inliers);
  // A share that is not worth looking for, such as one small plane of a scene with depth, is taken
  // when it is found, and not looked for any longer than what is. Twice: shares are known roughly.
  if (inliers < sought) {
    const scalar enough = (pair->ranked ? 4 : 2) * refinement_doubt(sought) *
                          iterations_needed(sought, pair->effective, limits->log_failure,
                                            (scalar)limits->max_iterations);
    wanted = enough < wanted ? enough : wanted;
  }
  // No search for what would not be significant when found. With qualities every second sample may
  // find nothing.
  const scalar least =
      done == hypotheses ? least_inliers(pair, limits) : state[STATE_LEAST_INLIERS];
  scalar most = (scalar)limits->max_iterations;
  const scalar tested =
      (pair->ranked ? 2 : 1) * iterations_needed(least, pair->effective, limits->log_failure, most);
  if (inliers < least) most = tested;
  if (wanted < (scalar)limits->min_iterations) wanted = (scalar)limits->min_iterations;
  if (most < (scalar)limits->min_iterations) most = (scalar)limits->min_iterations;
  const index beats_chance = score_beats_chance(pair, pair->scored, best_sample_score) ||
                             score_beats_chance(pair, pair->effective, state[STATE_SCORE]);
  if (!beats_chance) {
    scalar given_up = (pair->ranked ? 2 : 1) * iterations_without_support(pair, limits);
    if (given_up < (scalar)limits->min_iterations) given_up = (scalar)limits->min_iterations;
    most = given_up < most ? given_up : most;
  }
  if (most > (scalar)limits->max_iterations) most = (scalar)limits->max_iterations;
  if (wanted > most) wanted = most;
  group_barrier();  // all have read the state
  if (group_leads()) {
    state[STATE_SAMPLE_SCORE] = best_sample_score;
    if (best > (scalar)-1.5) state[STATE_SOLVED] = 1;
    state[STATE_DONE] = (scalar)done;
    state[STATE_LEAST_INLIERS] = least;
    state[STATE_TESTED] = tested < (scalar)done ? tested : (scalar)done;
  }
  group_barrier();
  const index next = next_round(done, wanted, beats_chance);
  if (next > 0 || !beats_chance) return next;
  return narrowed_round(GROUP_ARG pair, limits, done, state, weights, shared);
}
