// SPDX-License-Identifier: BSD-3-Clause
// The end of a round: refines the best models of the round, keeps a model that scores more than all
// before, and plans the next round (stopping.group.h).
//   O. Chum, J. Matas, J. Kittler, Locally optimized RANSAC, DAGM 2003.

// A hypothesis, i.e. the best model of a sample, of a round.
struct ranked_hypothesis {
  scalar score;
  index hypothesis;
};
// Advances `at` to the next hypothesis in descending order of scores; equal scores are ordered by
// index. The result is -1, with a score of -2, if no hypothesis with a model is left. `scores` must
// be readable up to a multiple of the widest group.
group_fn void next_hypothesis(GROUP_PARAM global_const float* scores, index hypotheses,
                              struct ranked_hypothesis* at) {
  const index padded = (hypotheses + 63) / 64 * 64;
  real most = lane(NO_MODEL), limit = group_same(at->score);
  lane_int after = lane_int_of(at->hypothesis), from_end = lane_int_of(0);
  group_for(i, padded) {  // each lane finds its first maximum
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
// Returns the largest number of models of the round that are refined. Usually it is one, which must
// score more than all before. The first round refines FIRST_ROUND_CANDIDATES of the family; the
// first round with a narrowed threshold refines CANDIDATES if time allows.
//
// With few points, refinement is cheap and may improve a model much. Then up to CANDIDATES or
// MOST_CANDIDATES are refined until a model scores more than chance, and is significant if that
// is tested. The reason is nearly singular maps: they have many outliers as inliers, so their
// samples score more than samples of the true map before refinement. docs/develop/notes/robust.md
// compares other numbers.
group_fn index candidates_of(const struct pair_view* pair, global_const ransac_state* state) {
  enum { REFINED_POINTS = 4096 };  // limit on the points of all candidates, for little time
  const index many = REFINED_POINTS / (pair->n + 1), is_first = !(state->sample_score > 0);
  index most = is_first ? FIRST_ROUND_CANDIDATES : 1;
  if (is_first && state->narrowed > 0 && state->thorough > 0) most = CANDIDATES;
  if (many > most &&
      (state->unproven > 0 || !score_beats_chance(pair, pair->effective, state->score)))
    most = pair->n < FEW_FOR_MOST ? MOST_CANDIDATES : many < CANDIDATES ? many : CANDIDATES;
  return most;
}

// Refines the model of a sample. Returns 1 if it scores more than `best`; only then are the side
// and the support of *c set. weights [stride]: scratch memory.
group_fn index model_consider(GROUP_PARAM const struct pair_view* pair, scalar best,
                              global_ptr scalar* weights, local_ptr struct refine_shared* shared,
                              refined_model* c) {
  index subset = pair_subset(pair, REFINE_POINTS);
  struct refine_options options = {{pair->threshold, 0, pair->weighted}, 10, (scalar)1e-4};
  c->first_score = model_refine(GROUP_ARG pair, subset, &options, pair->weights, c->model, shared);
  if_constant(SIDES > 0) {
    // A model that scores less with all points rarely scores more with a subset.
    if (subset == pair->n && !(c->first_score > best)) return 0;
    // Refine again without the points that cannot be matches of the model.
    model_side(GROUP_ARG pair, subset, c->model, c->side);
    admit_points(GROUP_ARG pair, subset, c->model, c->side, weights);
    options.loss.weighted = 1;
    model_refine(GROUP_ARG pair, subset, &options, weights, c->model, shared);
  }
  model_support(GROUP_ARG pair, pair->n, c->model, c->side, &c->support);
  return c->support.score > best;
}

// Replaces the best model by a better one. errors [stride]: scratch memory.
group_fn void ransac_take(GROUP_PARAM const struct pair_view* pair, const refined_model* c,
                          global_ptr ransac_state* state, global_ptr scalar* errors) {
  const index subset = pair_subset(pair, REFINE_POINTS),
              is_sound = uniform_fn(model_is_sound)(c->model);
  group_barrier();  // all have read the state
  if (!is_sound) return;
  // The fraction of correct matches determines how often a sample is free of outliers, even if the
  // threshold is too small for all correct matches to be inliers.
  scalar matches = c->support.weight, noise = expected_noise(pair);
  // If outliers are rarely inliers of a model, a model that scores no more than chance needs all
  // samples, whatever the noise is. Then the noise of many points is not estimated.
  if (HAS_CHANCE_INLIERS || pair->ranked || pair->n < REFINE_POINTS ||
      score_beats_chance(pair, pair->effective, c->support.score)) {
    noise = noise_scale(GROUP_ARG pair, subset, c->model, c->side, noise, noise, errors, &matches);
    matches = matches * pair->effective / pair->scored;
    if (!(matches > c->support.weight)) matches = c->support.weight;
  }
  if (pair->ranked) {
    const scalar boost = matches / (c->support.weight > 1 ? c->support.weight : 1);
    quality_rates(GROUP_ARG pair, c->model, c->side, boost, state->rates);
  }
  if (group_leads()) {
    for (index i = 0; i < MODEL_SIZE; ++i) state->model[i] = c->model[i];
    state->score = c->support.score;
    state->inliers = matches;
    state->noise = noise;
  }
  group_barrier();
}

// Refines c->model and keeps it if it is the best.
group_fn void ransac_consider(GROUP_PARAM const struct pair_view* pair, refined_model* c,
                              global_ptr ransac_state* state, global_ptr scalar* weights,
                              local_ptr pair_shared* shared) {
  if (model_consider(GROUP_ARG pair, state->score, weights, &shared->refine, c))
    ransac_take(GROUP_ARG pair, c, state, weights);
}

// Continues RANSAC with a narrower threshold if the threshold is far too wide for the noise, for at
// least one round. Such a threshold accepts outliers near the epipolar lines, and a wrong model
// with more outliers may score more than the true model. The new threshold is 2.5 standard
// deviations of the noise, if that is less than 60 % of the old one. Maps and poses are excluded,
// because outliers are rarely their inliers. Returns the number of samples of the round, or 0.
group_fn index narrowed_round(GROUP_PARAM const struct pair_view* pair,
                              const struct ransac_limits* limits, global_ptr ransac_state* state,
                              global_ptr scalar* weights, local_ptr pair_shared* shared) {
  enum { THOROUGH_ROUND = 512, BATCH_ROUND = 128 };  // samples: if is_thorough, and if not
  // reach2: the new squared threshold in variances of the noise. wide, least: the largest ratio of
  // the new to the old squared threshold, and its lower bound for noise near 0.
  const scalar reach2 = (scalar)6.25, wide = (scalar)0.36, least = (scalar)0.01;
  struct pair_view narrow = *pair;
  refined_model c;
  const scalar fitting = reach2 * state->noise * state->noise * pair->threshold;
  const index left = limits->max_iterations - (index)state->done,
              most = is_thorough(limits) ? THOROUGH_ROUND : BATCH_ROUND,
              round = left < most ? left : most;
  const index is_wide = fitting > 0 && fitting < wide;
  if (!HAS_CHANCE_INLIERS || state->narrowed > 0 || !is_wide || round < 1) return 0;
  const scalar factor = fitting > least ? 1 / fitting : 1 / least;
  narrow.threshold *= factor;
  for (index i = 0; i < MODEL_SIZE; ++i) c.model[i] = state->model[i];
  group_barrier();  // all have read the state
  if (group_leads()) {
    state->narrowed = factor;
    state->score = state->sample_score = 0;
  }
  group_barrier();
  ransac_consider(GROUP_ARG & narrow, &c, state, weights, shared);
  return round;
}

// The models of a round. Each sample has the score of its best model (or BELOW_FLOOR, NO_MODEL),
// the slot of that model, and all its models [SLOTS][MODEL_SIZE]. Consecutive numbers of a model
// are `number_step` elements apart, consecutive samples `sample_step` elements.
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

// Candidates of a round that were all refined before, in parallel (ransac_consider): their samples
// in descending order of scores, -1 after the last one, and the refined models.
struct ready_candidates {
  index are_refined;
  global_const int* samples;
  global_const refined_model* considered;
};

// Returns whether the k-th candidate is worth a refinement. If it is the only candidate, it must
// score more than before.
group_fn index is_candidate(index candidates, scalar score, scalar best_before) {
  return score > 0 && (candidates > 1 || score > best_before);
}

// Reads the refined k-th candidate. Returns 1 if it scores more than `best`.
group_fn index candidate_ready(const struct pair_view* pair, const struct ready_candidates* ready,
                               index k, scalar best, refined_model* c) {
  if (!(ready->considered[k].is_better > 0)) return 0;
  *c = ready->considered[k];
  // model_consider compared it with the best model before the round only.
  if (SIDES > 0 && pair->n <= REFINE_POINTS && !(c->first_score > best)) return 0;
  return c->support.score > best;
}

// Returns whether the model is so good that refining further candidates of the round is pointless.
// For families in which a sample of correct matches leads to the best model, another sample rarely
// improves a model with most matches as inliers, and a third sample never does.
group_fn index model_is_kept(const struct pair_view* pair, global_const ransac_state* state,
                             index is_first) {
  const index has_majority = state->score > (scalar)0.5 * pair->effective;
  return KEEPS_BEST_EARLY && !(state->unproven > 0) && (!is_first || has_majority) &&
         score_beats_chance(pair, pair->effective, state->score);
}

// Refines the best models of the round and keeps the best of them in the state. Returns the highest
// score of a sample.
group_fn scalar consider_candidates(GROUP_PARAM const struct pair_view* pair,
                                    const struct round_models* round,
                                    const struct ready_candidates* ready,
                                    global_ptr ransac_state* state, global_ptr scalar* weights,
                                    local_ptr pair_shared* shared) {
  const scalar best_before = state->sample_score;
  const index candidates = candidates_of(pair, state);
  struct ranked_hypothesis at = {scalar_huge(), -1};  // before the first one
  scalar best = (scalar)NO_MODEL;
  for (index k = 0; k < candidates; ++k) {
    refined_model c;
    if (ready->are_refined) {
      at.hypothesis = ready->samples[k];
      at.score = at.hypothesis < 0 ? (scalar)NO_MODEL : (scalar)round->scores[at.hypothesis];
    } else {
      next_hypothesis(GROUP_ARG round->scores, round->count, &at);
    }
    if (k == 0) best = at.score;
    if (!is_candidate(candidates, at.score, best_before)) break;
    if (!ready->are_refined) {
      round_model(round, at.hypothesis, c.model);
      ransac_consider(GROUP_ARG pair, &c, state, weights, shared);
    } else if (candidate_ready(pair, ready, k, state->score, &c)) {
      ransac_take(GROUP_ARG pair, &c, state, weights);
    }
    if (model_is_kept(pair, state, k == 0)) break;
  }
  return best;
}

// Records a round in the state. best: highest score of a sample; score_before: score of the best
// model before the round. errors [stride]: scratch memory.
group_fn void record_round(GROUP_PARAM const struct pair_view* pair,
                           const struct ransac_limits* limits, index count, scalar best,
                           scalar score_before, global_ptr ransac_state* state,
                           global_ptr scalar* errors) {
  const index is_first = !(state->done > 0), done = (index)state->done + count;
  const scalar least = is_first ? least_inliers(pair, limits) : state->least_inliers;
  const scalar tested = samples_to_find(pair, limits, least);
  index unproven = state->unproven > 0;
  if (is_thorough(limits) && state->score > score_before) {
    scalar model[12];
    for (index i = 0; i < MODEL_SIZE; ++i) model[i] = state->model[i];
    unproven = !model_is_proven(GROUP_ARG pair, model, tested, errors);
  }
  group_barrier();  // all have read the state
  if (group_leads()) {
    if (best > state->sample_score) state->sample_score = best;
    if (best > (scalar)NO_MODEL) state->solved = 1;
    state->done = done;
    state->least_inliers = least;
    state->tested = tested < (scalar)done ? tested : (scalar)done;
    state->thorough = is_thorough(limits);
    state->unproven = unproven;
  }
  group_barrier();
}

// Ends a round. Returns the number of samples of the next round, 0 if sampling ends.
group_fn index pair_decide(GROUP_PARAM const struct pair_view* pair,
                           const struct ransac_limits* limits, const struct round_models* round,
                           const struct ready_candidates* ready, global_ptr ransac_state* state,
                           global_ptr scalar* weights, local_ptr pair_shared* shared) {
  const scalar score_before = state->score;
  const scalar best = consider_candidates(GROUP_ARG pair, round, ready, state, weights, shared);
  record_round(GROUP_ARG pair, limits, round->count, best, score_before, state, weights);
  const index beats_chance = score_beats_chance(pair, pair->scored, state->sample_score) ||
                             score_beats_chance(pair, pair->effective, state->score);
  const scalar allowed = samples_allowed(pair, limits, state, beats_chance);
  const scalar wanted = samples_wanted(pair, limits, state);
  const index next =
      next_round((index)state->done, wanted < allowed ? wanted : allowed, beats_chance);
  if (next > 0 || !beats_chance) return next;
  return narrowed_round(GROUP_ARG pair, limits, state, weights, shared);
}
