// SPDX-License-Identifier: BSD-3-Clause
// The kernels of engine.kernels.

group_fn void open_view(global_const offset* pairs, global_const int* work,
                        global_const scalar* points, global_const scalar* info,
                        global_const scalar* priors, index pair, struct pair_view* view) {
  global_const offset* p = pairs + pair * PAIR_SIZE;
  global_const scalar* own = priors + PRIOR_COLUMNS * p[PAIR_START];
  pair_open(points + COLUMNS * p[PAIR_START], work[pair * WORK_SIZE + WORK_COUNT],
            (index)p[PAIR_STRIDE], info + pair * INFO_SIZE, view);
  pair_open_priors(own, own + PRIOR_RANKS * p[PAIR_STRIDE], info + pair * INFO_SIZE, view);
}

group_kernel(engine_prepare, group, ENGINE_PREPARE) {
  const index pair = (index)pairs[(from + group) * PAIR_SIZE + PAIR_TURN];
  global_const offset* p = pairs + pair * PAIR_SIZE;
  const offset start = p[PAIR_START], first = p[PAIR_FIRST], out = first - pairs[PAIR_FIRST];
  const index stride = (index)p[PAIR_STRIDE];
  struct prior_arrays a;
  a.has_weights = (is_given & GIVEN_WEIGHTS) != 0;
  a.has_qualities = (is_given & GIVEN_QUALITIES) != 0;
  a.given_weights = given_weights + (a.has_weights ? first + weights_from : 0);
  a.given_qualities = given_qualities + (a.has_qualities ? first + qualities_from : 0);
  const offset own = is_given ? start : 0;  // else there is no room for any
  a.weights = priors + PRIOR_COLUMNS * own;
  a.ranks = a.weights + PRIOR_RANKS * (offset)stride;
  a.cumulative_weights = a.weights + PRIOR_CUMULATIVE_WEIGHTS * (offset)stride;
  a.fast_weights = fast_weights + own;
  a.ranking = ranking + own;
  index zero_weight;
  const index n =
      pair_prepare(GROUP_ARG given + COLUMNS * first, (index)p[PAIR_POINTS], &a, tables + 4 * start,
                   &zero_weight, cameras + CAMERA_NUMBERS * (offset)pair, threshold, seed0, seed1,
                   stride, kept + start, order + start, points + COLUMNS * start,
                   fast_points + COLUMNS * start, info + pair * INFO_SIZE, inliers + out, shared);
  if (!group_leads()) return;
  for (index i = 0; i < STATE_SIZE; ++i) state[pair * STATE_SIZE + i] = 0;
  global_ptr int* w = work + pair * WORK_SIZE;
  w[WORK_COUNT] = n;
  w[WORK_ZERO_WEIGHT] = zero_weight;
  w[WORK_DONE] = 0;
  w[WORK_PLAN] = n < SAMPLE_SIZE ? 0 : first_round;
}

// OpenCL compiles all of a text, where these two are for floats only.
#if !defined(REAL_IS_FLOAT) || REAL_IS_FLOAT
map_kernel(engine_solve, place, ENGINE_SOLVE) {
  const index pair = active[from + place / round], hypothesis = place % round;
  global_const int* w = work + pair * WORK_SIZE;
  if (hypothesis >= w[WORK_PLAN]) return;
  global_const offset* about = pairs + pair * PAIR_SIZE;
  global_const scalar* columns = points + COLUMNS * about[PAIR_START];
  const index stride = (index)about[PAIR_STRIDE];
  index sample[SAMPLE_SIZE];
  scalar p[SAMPLE_SIZE * COLUMNS], rays[4], solved[SLOTS * MODEL_SIZE];
  info += pair * INFO_SIZE;
  for (index i = 0; i < 4; ++i) rays[i] = (scalar)info[INFO_RAYS + i];
  if (info[INFO_WEIGHTED] > 0 || info[INFO_RANKED] > 0) {
    struct sample_source source = {
        w[WORK_COUNT], info[INFO_WEIGHTED] > 0, info[INFO_RANKED] > 0,
        priors + PRIOR_COLUMNS * about[PAIR_START] + PRIOR_CUMULATIVE_WEIGHTS * (offset)stride,
        ranking + about[PAIR_START]};
    prior_draw(seed0, seed1, w[WORK_DONE] + hypothesis, &source, 0, 0, sample);
  } else {
    sample_draw(seed0, seed1, (bits32)(w[WORK_DONE] + hypothesis), w[WORK_COUNT], SAMPLE_SIZE, 0, 0,
                sample);
  }
  for (index c = 0; c < COLUMNS; ++c) {
    for (index k = 0; k < SAMPLE_SIZE; ++k)
      p[c * SAMPLE_SIZE + k] = columns[c * stride + sample[k]];
  }
  const index count = (index)sample_models(p, rays, solved);
  counts[place] = count;
  lane_unroll for (index s = 0; s < SLOTS; ++s) {
    if (s >= count) continue;
    for (index i = 0; i < MODEL_SIZE; ++i)
      models[(s * MODEL_SIZE + i) * (offset)places + place] = (float)solved[s * MODEL_SIZE + i];
  }
}

// As engine_score, all points by one thread.
map_kernel(engine_score_few, place, ENGINE_SCORE) {
  const index pair = active[from + place / round], hypothesis = place % round;
  float best = -2;
  index slot = 0;
  global_const int* w = work + pair * WORK_SIZE;
  if (hypothesis < w[WORK_PLAN]) {
    global_const offset* p = pairs + pair * PAIR_SIZE;
    global_const scalar* columns = points + COLUMNS * p[PAIR_START];
    const index stride = (index)p[PAIR_STRIDE], count = counts[place], n = w[WORK_COUNT];
    info += pair * INFO_SIZE;
    const double narrowed = state[pair * STATE_SIZE + STATE_NARROWED];
    const scalar threshold = (scalar)(info[INFO_THRESHOLD] * (narrowed > 0 ? narrowed : 1));
    const index weighted = info[INFO_WEIGHTED] > 0;
    const scalar floor = (scalar)score_floor(state[pair * STATE_SIZE + STATE_SAMPLE_SCORE], n);
    scalar focal[2], model[MODEL_SIZE];
    for (index k = 0; k < 2; ++k) focal[k] = (scalar)info[INFO_FOCAL + k];
    if (count > 0) best = -1;
    for (index s = 0; s < count; ++s) {
      for (index i = 0; i < MODEL_SIZE; ++i)
        model[i] = models[(s * MODEL_SIZE + i) * (offset)places + place];
      scalar score = 0;
      for (index i = 0; i < n; ++i) {
        scalar own = weighted ? fast_weights[p[PAIR_START] + i] : (scalar)1;
        score += own * point_score(model, columns, stride, focal, i, threshold);
      }
      if (score > floor && score > best) {
        best = (float)score;
        slot = s;
      }
    }
  }
  scores[place] = best;
  slots[place] = slot;
}

group_kernel(engine_score, place, ENGINE_SCORE) {
  const index pair = active[from + place / round], hypothesis = place % round;
  float best = -2;
  index slot = 0;
  global_const int* w = work + pair * WORK_SIZE;
  if (hypothesis < w[WORK_PLAN]) {
    global_const offset* p = pairs + pair * PAIR_SIZE;
    global_const scalar* columns = points + COLUMNS * p[PAIR_START];
    const index stride = (index)p[PAIR_STRIDE], count = counts[place];
    info += pair * INFO_SIZE;
    const double narrowed = state[pair * STATE_SIZE + STATE_NARROWED];
    const scalar threshold = (scalar)(info[INFO_THRESHOLD] * (narrowed > 0 ? narrowed : 1));
    const index weighted = info[INFO_WEIGHTED] > 0;
    index ends[8];
    scalar floors[8], focal[2], model[MODEL_SIZE], seen[4];
    const scalar floor =
        (scalar)score_floor(state[pair * STATE_SIZE + STATE_SAMPLE_SCORE], w[WORK_COUNT]);
    for (index k = 0; k < 4; ++k) seen[k] = (scalar)info[INFO_SEEN + k];
    for (index k = 0; k < 2; ++k) focal[k] = (scalar)info[INFO_FOCAL + k];
    const index stages = score_stages(floor, w[WORK_COUNT], seen, weighted, ends, floors);
    if (count > 0) best = -1;
    for (index s = 0; s < count; ++s) {
      for (index i = 0; i < MODEL_SIZE; ++i)
        model[i] = models[(s * MODEL_SIZE + i) * (offset)places + place];
      const scalar score = model_score(GROUP_ARG model, columns, stride, focal,
                                       fast_weights + (weighted ? p[PAIR_START] : 0), weighted,
                                       ends, floors, stages, threshold);
      if (score > best) {
        best = (float)score;
        slot = s;
      }
    }
  }
  if (!group_leads()) return;
  scores[place] = best;
  slots[place] = slot;
}
#endif

// The candidates of a round, by rank.
group_kernel(engine_rank, group, ENGINE_RANK) {
  const index pair = active[from + group];
  const index hypotheses = work[pair * WORK_SIZE + WORK_PLAN];
  if (hypotheses == 0) return;
  struct pair_view view;
  state += pair * STATE_SIZE;
  open_view(pairs, work, points, info, priors, pair, &view);
  pair_narrow(state, &view);
  const index own = candidates_of(&view, state);
  struct ranked_hypothesis at = {(scalar)1e30, -1};
  for (index k = 0; k < candidates; ++k) {
    if (k < own) next_hypothesis(GROUP_ARG scores + (offset)group * round, hypotheses, &at);
    const index is_one = k < own && is_candidate(own, at.score, state[STATE_SAMPLE_SCORE]);
    if (group_leads()) ranked[group * candidates + k] = is_one || (k == 0) ? at.hypothesis : -1;
  }
}

#ifndef REAL_IS_FLOAT  // not in OpenCL, which has no groups of one thread among others
// Considers one of them: a group of one thread.
map_kernel(engine_consider, place, ENGINE_CONSIDER) {
  const index group = place / candidates, pair = active[from + group], sample = ranked[place];
  const offset first = (offset)group * round;
  const index hypotheses = work[pair * WORK_SIZE + WORK_PLAN];
  if (hypotheses == 0 || sample < 0) return;
  struct pair_view view;
  struct considered c;
  scalar shared[16];
  state += pair * STATE_SIZE;
  open_view(pairs, work, points, info, priors, pair, &view);
  pair_narrow(state, &view);
  const struct round_models models_of = {hypotheses, scores + first, slots + first, models + first,
                                         1,          places};
  const index own = candidates_of(&view, state);
  global_ptr scalar* out = considered + place * (offset)CONSIDERED_SIZE;
  out[CONSIDERED_BETTER] = 0;
  if (!is_candidate(own, (scalar)scores[first + sample], state[STATE_SAMPLE_SCORE])) return;
  round_model(&models_of, sample, c.model);
  if (!model_consider(GROUP_ARG & view, state[STATE_SCORE], weights + (offset)place * most_stride,
                      shared, &c)) {
    return;
  }
  for (index i = 0; i < 12; ++i) {
    out[CONSIDERED_MODEL + i] = i < MODEL_SIZE ? c.model[i] : 0;
    out[CONSIDERED_SIDE + i] = SIDES > 0 ? c.side[i] : 0;
  }
  out[CONSIDERED_REFINED] = c.refined;
  for (index i = 0; i < 4; ++i) out[CONSIDERED_SUMS + i] = c.sums[i];
  out[CONSIDERED_BETTER] = 1;
}
#endif

group_kernel(engine_decide, group, ENGINE_DECIDE) {
  const index pair = active[from + group];
  const offset place = (offset)group * round;
  global_ptr int* w = work + pair * WORK_SIZE;
  const index hypotheses = w[WORK_PLAN];
  if (hypotheses == 0) return;
  struct pair_view view;
  struct search_limits limits = {min_iterations, max_iterations, log_failure, min_inlier_ratio};
  open_view(pairs, work, points, info, priors, pair, &view);
  pair_narrow(state + pair * STATE_SIZE, &view);
  const struct round_models models_of = {hypotheses, scores + place, slots + place, models + place,
                                         1,          places};
  const struct ready_candidates ready = {candidates > 0, ranked + group * candidates,
                                         considered + group * (offset)candidates * CONSIDERED_SIZE};
  const index next =
      pair_decide(GROUP_ARG & view, &limits, &models_of, &ready, state + pair * STATE_SIZE,
                  weights + pairs[pair * PAIR_SIZE + PAIR_START], shared);
  group_barrier();
  if (!group_leads()) return;
  w[WORK_DONE] += hypotheses;
  w[WORK_PLAN] = next;
}

group_kernel(engine_planes, pair, ENGINE_PLANES) {
  if_constant(DOMINANT_PLANE) {
    struct pair_view view;
    if (work[pair * WORK_SIZE + WORK_COUNT] < SAMPLE_SIZE) return;
    open_view(pairs, work, points, info, priors, pair, &view);
    pair_narrow(state + pair * STATE_SIZE, &view);
    pair_planes(GROUP_ARG & view, seed0, seed1, log_failure, state + pair * STATE_SIZE,
                weights + pairs[pair * PAIR_SIZE + PAIR_START], shared);
  }
}

group_kernel(engine_finish, group, ENGINE_FINISH) {
  const index pair = (index)pairs[(from + group) * PAIR_SIZE + PAIR_TURN];
  struct pair_view view;
  global_ptr int* w = work + pair * WORK_SIZE;
  global_const offset* p = pairs + pair * PAIR_SIZE;
  const offset start = p[PAIR_START], out = p[PAIR_FIRST] - pairs[PAIR_FIRST];
  if (w[WORK_COUNT] < SAMPLE_SIZE) return;
  open_view(pairs, work, points, info, priors, pair, &view);
  global_ptr scalar* result = results + pair * RESULT_SIZE;
  pair_finish(GROUP_ARG & view, state + pair * STATE_SIZE, errors + start, result, shared);
  group_barrier();
  if (result[RESULT_OUTCOME] < (scalar)FOUND_MODEL) return;
  mark_inliers(GROUP_ARG & view, order + start, errors + start, inliers + out);
  count_distinct(GROUP_ARG & view, fast_points + COLUMNS * start, errors + start,
                 (index)result[RESULT_INLIERS], tables + 4 * start, w);
  if_constant(TWO_VIEWS) {
    group_barrier();  // the counts are there
    const scalar measured = result[RESULT_CHANCE], chance = view.chance;
    const scalar least =
        least_significant((scalar)w[WORK_DISTINCT_POINTS], measured > chance ? measured : chance,
                          result[RESULT_TESTED]);
    count_places(GROUP_ARG & view, fast_points + COLUMNS * start, errors + start,
                 info + pair * INFO_SIZE, least, tables + 4 * start, shared, w);
    group_barrier();  // what follows writes to the errors
  }
  if (w[WORK_ZERO_WEIGHT] == 0) return;
  mark_zero_weight(GROUP_ARG & view, w[WORK_ZERO_WEIGHT], given + COLUMNS * p[PAIR_FIRST],
                   order + start + view.n, cameras + CAMERA_NUMBERS * (offset)pair,
                   info + pair * INFO_SIZE, points + COLUMNS * start, errors + start, result,
                   inliers + out);
}
