// SPDX-License-Identifier: BSD-3-Clause
// The end of a round: refines the round's best model when it scores more than all before, and plans
// the next round (stopping.group.h).
//   O. Chum, J. Matas, J. Kittler, Locally optimized RANSAC, DAGM 2003.

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
// first round two epipolar matrices, since the best may fit one plane of the scene alone, and in
// the first round of a narrowed threshold more, where there is time. With few points, where
// refinement is cheap and may improve a model much, up to CANDIDATES or MOST_CANDIDATES until a
// model scores more than chance, and is believed where that is known: the samples of a nearly
// singular map, with which many wrong matches agree, score more than those of the right one before
// they are refined (docs/decisions.md has what more and fewer find).
group_fn index candidates_of(const struct pair_view* pair, global_const scalar* state) {
  const index many = 4096 / (pair->n + 1), is_first = !(state[STATE_SAMPLE_SCORE] > 0);
  index most = 1;
  if (RESIDUALS == 1 && is_first)
    most = state[STATE_NARROWED] > 0 && state[STATE_THOROUGH] > 0 ? CANDIDATES : 2;
  if (many > most &&
      (state[STATE_UNPROVEN] > 0 || !score_beats_chance(pair, pair->effective, state[STATE_SCORE])))
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
  const index left = limits->max_iterations - done, most = is_thorough(limits) ? 512 : 128,
              round = left < most ? left : most;
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
  const scalar score_before = state[STATE_SCORE];
  const index candidates = candidates_of(pair, state);
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
    if (RESIDUALS == 2 && !(state[STATE_UNPROVEN] > 0) &&
        (k > 0 || state[STATE_SCORE] > (scalar)0.5 * pair->effective) &&
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
  index unproven = state[STATE_UNPROVEN] > 0;
  if (is_thorough(limits) && state[STATE_SCORE] > score_before) {
    scalar model[12];
    for (index i = 0; i < MODEL_SIZE; ++i) model[i] = state[STATE_MODEL + i];
    unproven = !model_is_proven(GROUP_ARG pair, model, tested, weights);
  }
  if (wanted < least_samples(pair, limits)) wanted = least_samples(pair, limits);
  if (most < (scalar)limits->min_iterations) most = (scalar)limits->min_iterations;
  const index beats_chance = score_beats_chance(pair, pair->scored, best_sample_score) ||
                             score_beats_chance(pair, pair->effective, state[STATE_SCORE]);
  scalar given_up = (pair->ranked ? 2 : 1) * iterations_without_support(pair, limits);
  if (given_up < (scalar)limits->min_iterations) given_up = (scalar)limits->min_iterations;
  if (!beats_chance && given_up < most) most = given_up;
  if (most > (scalar)limits->max_iterations) most = (scalar)limits->max_iterations;
  // A model that will not be believed ends no search.
  const scalar alone = given_up < tested ? given_up : tested;
  if (unproven && wanted < alone) wanted = alone;
  if (wanted > most) wanted = most;
  group_barrier();  // all have read the state
  if (group_leads()) {
    state[STATE_SAMPLE_SCORE] = best_sample_score;
    if (best > (scalar)-1.5) state[STATE_SOLVED] = 1;
    state[STATE_DONE] = (scalar)done;
    state[STATE_LEAST_INLIERS] = least;
    state[STATE_TESTED] = tested < (scalar)done ? tested : (scalar)done;
    state[STATE_THOROUGH] = (scalar)is_thorough(limits);
    state[STATE_UNPROVEN] = (scalar)unproven;
  }
  group_barrier();
  const index next = next_round(done, wanted, beats_chance);
  if (next > 0 || !beats_chance) return next;
  return narrowed_round(GROUP_ARG pair, limits, done, state, weights, shared);
}
