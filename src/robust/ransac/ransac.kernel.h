// SPDX-License-Identifier: BSD-3-Clause
// The bodies of the kernels of ransac.kernels.

group_fn void open_view(global_const pair_place* pairs, global_const pair_work* work,
                        global_const scalar* points, global_const pair_info* info,
                        global_const scalar* priors, index pair, struct pair_view* view) {
  global_const pair_place* p = pairs + pair;
  global_const scalar* own = priors + PRIOR_COLUMNS * p->start;
  pair_open(points + COLUMNS * p->start, work[pair].count, (index)p->stride, info + pair, view);
  pair_open_priors(own, own + PRIOR_RANKS * p->stride, info + pair, view);
}

// OpenCL compiles the whole source once per precision: the kernels here for float only, and the
// kernels below for double only.
#if !defined(REAL_IS_FLOAT) || REAL_IS_FLOAT
map_kernel(ransac_solve, place, RANSAC_SOLVE) {
  const index pair = active[from + place / round], hypothesis = place % round;
  const pair_work w = work[pair];
  if (hypothesis >= w.plan) return;
  const offset start = pairs[pair].start;
  global_const scalar* columns = points + COLUMNS * start;
  const index stride = (index)pairs[pair].stride;
  index sample[SAMPLE_SIZE];
  scalar p[SAMPLE_SIZE * COLUMNS], rays[4], solved[SLOTS * MODEL_SIZE];
  info += pair;
  for (index i = 0; i < 4; ++i) rays[i] = (scalar)info->rays[i];
  if (info->weighted > 0 || info->ranked > 0) {
    struct sample_source source = {
        w.count, info->weighted > 0, info->ranked > 0,
        priors + PRIOR_COLUMNS * start + PRIOR_CUMULATIVE_WEIGHTS * (offset)stride,
        ranking + start};
    prior_draw(seed0, seed1, w.done + hypothesis, &source, 0, 0, sample);
  } else {
    sample_draw(seed0, seed1, (bits32)(w.done + hypothesis), w.count, SAMPLE_SIZE, 0, 0, sample);
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

// Like ransac_score, but one thread scores all points.
map_kernel(ransac_score_few, place, RANSAC_SCORE) {
  const index pair = active[from + place / round], hypothesis = place % round;
  float best = NO_MODEL;
  index slot = 0;
  const pair_work w = work[pair];
  if (hypothesis < w.plan) {
    const offset start = pairs[pair].start;
    global_const scalar* columns = points + COLUMNS * start;
    const index stride = (index)pairs[pair].stride, count = counts[place], n = w.count;
    info += pair;
    state += pair;
    const double narrowed = state->narrowed;
    const scalar threshold = (scalar)(info->threshold * (narrowed > 0 ? narrowed : 1));
    const index weighted = info->weighted > 0;
    const scalar floor = (scalar)score_floor(state->sample_score, n);
    scalar focal[2], model[MODEL_SIZE];
    for (index k = 0; k < 2; ++k) focal[k] = (scalar)info->focal[k];
    if (count > 0) best = BELOW_FLOOR;
    for (index s = 0; s < count; ++s) {
      for (index i = 0; i < MODEL_SIZE; ++i)
        model[i] = models[(s * MODEL_SIZE + i) * (offset)places + place];
      scalar score = 0;
      for (index i = 0; i < n; ++i) {
        scalar own = weighted ? float_weights[start + i] : (scalar)1;
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

group_kernel(ransac_score, place, RANSAC_SCORE) {
  const index pair = active[from + place / round], hypothesis = place % round;
  float best = NO_MODEL;
  index slot = 0;
  const pair_work w = work[pair];
  if (hypothesis < w.plan) {
    const offset start = pairs[pair].start;
    const index count = counts[place];
    info += pair;
    state += pair;
    struct pair_view view;  // only the members that model_score reads
    view.points = points + COLUMNS * start;
    view.stride = (index)pairs[pair].stride;
    const double narrowed = state->narrowed;
    view.threshold = (scalar)(info->threshold * (narrowed > 0 ? narrowed : 1));
    view.weighted = info->weighted > 0;
    struct score_plan plan;
    scalar model[MODEL_SIZE], seen[4];
    const scalar floor = (scalar)score_floor(state->sample_score, w.count);
    for (index k = 0; k < 4; ++k) seen[k] = (scalar)info->seen[k];
    for (index k = 0; k < 2; ++k) view.focal[k] = (scalar)info->focal[k];
    const index stages = score_stages(floor, w.count, seen, view.weighted, &plan);
    view.weights = float_weights + (view.weighted ? start : 0);
    if (count > 0) best = BELOW_FLOOR;
    for (index s = 0; s < count; ++s) {
      for (index i = 0; i < MODEL_SIZE; ++i)
        model[i] = models[(s * MODEL_SIZE + i) * (offset)places + place];
      const scalar score = model_score(GROUP_ARG model, &view, &plan, stages);
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

#if !defined(REAL_IS_FLOAT) || !REAL_IS_FLOAT
group_kernel(ransac_prepare, group, RANSAC_PREPARE) {
  const index pair = (index)pairs[from + group].in_order;
  global_const pair_place* p = pairs + pair;
  const offset start = p->start, first = p->first, out = first - pairs[0].first;
  const index stride = (index)p->stride, weighted = (is_given & GIVEN_WEIGHTS) != 0,
              ranked = (is_given & GIVEN_QUALITIES) != 0;
  const struct given_pair input = {
      .points = given + COLUMNS * first,
      .count = (index)p->points,
      .cameras = cameras + CAMERA_NUMBERS * (offset)pair,
      .has_weights = weighted,
      .has_qualities = ranked,
      .weights = given_weights + (weighted ? first + weights_from : 0),
      .qualities = given_qualities + (ranked ? first + qualities_from : 0)};
  const offset own = is_given ? start : 0;  // without priors their arrays are empty
  const struct pair_arrays arrays = {.stride = stride,
                                     .kept = kept + start,
                                     .order = order + start,
                                     .points = points + COLUMNS * start,
                                     .float_points = float_points + COLUMNS * start,
                                     .priors = priors + PRIOR_COLUMNS * own,
                                     .float_weights = float_weights + own,
                                     .ranking = ranking + own,
                                     .tables = tables + 4 * start,
                                     .inliers = inliers + out,
                                     .info = info + pair,
                                     .work = work + pair,
                                     .state = state + pair};
  const struct prepare_options options = {.threshold = threshold,
                                          .seed0 = seed0,
                                          .seed1 = seed1,
                                          .first_round = first_round,
                                          .log10_alarms = log10_alarms};
  pair_prepare(GROUP_ARG & input, &options, &arrays, shared);
}

// Ranks the candidates of a round.
group_kernel(ransac_rank, group, RANSAC_RANK) {
  const index pair = active[from + group];
  const index hypotheses = work[pair].plan;
  if (hypotheses == 0) return;
  struct pair_view view;
  state += pair;
  open_view(pairs, work, points, info, priors, pair, &view);
  pair_narrow(state, &view);
  const index own = candidates_of(&view, state);
  struct ranked_hypothesis at = {scalar_huge(), -1};  // before the first one
  for (index k = 0; k < candidates; ++k) {
    if (k < own) next_hypothesis(GROUP_ARG scores + (offset)group * round, hypotheses, &at);
    const index is_chosen = k < own && is_candidate(own, at.score, state->sample_score);
    if (group_leads()) ranked[group * candidates + k] = is_chosen || (k == 0) ? at.hypothesis : -1;
  }
}

#ifndef REAL_IS_FLOAT  // not in OpenCL, where a source has one group size
// Refines one candidate, in a group of one thread.
map_kernel(ransac_consider, place, RANSAC_CONSIDER) {
  const index group = place / candidates, pair = active[from + group], sample = ranked[place];
  const offset first = (offset)group * round;
  const index hypotheses = work[pair].plan;
  if (hypotheses == 0 || sample < 0) return;
  struct pair_view view;
  refined_model c = zeros;
  struct refine_shared shared;
  state += pair;
  open_view(pairs, work, points, info, priors, pair, &view);
  pair_narrow(state, &view);
  const struct round_models models_of = {hypotheses, scores + first, slots + first, models + first,
                                         1,          places};
  const index own = candidates_of(&view, state);
  considered[place].is_better = 0;
  if (!is_candidate(own, (scalar)scores[first + sample], state->sample_score)) return;
  round_model(&models_of, sample, c.model);
  c.is_better = model_consider(GROUP_ARG & view, state->score,
                               weights + (offset)place * most_stride, &shared, &c);
  considered[place] = c;
}
#endif

group_kernel(ransac_decide, group, RANSAC_DECIDE) {
  const index pair = active[from + group];
  const offset place = (offset)group * round;
  const index hypotheses = work[pair].plan;
  if (hypotheses == 0) return;
  struct pair_view view;
  struct ransac_limits limits = {min_iterations, max_iterations, log_failure, min_inlier_ratio};
  open_view(pairs, work, points, info, priors, pair, &view);
  pair_narrow(state + pair, &view);
  const struct round_models models_of = {hypotheses, scores + place, slots + place, models + place,
                                         1,          places};
  const struct ready_candidates ready = {candidates > 0, ranked + group * candidates,
                                         considered + group * (offset)candidates};
  const index next = pair_decide(GROUP_ARG & view, &limits, &models_of, &ready, state + pair,
                                 weights + pairs[pair].start, shared);
  group_barrier();
  if (!group_leads()) return;
  work[pair].done += hypotheses;
  work[pair].plan = next;
}

group_kernel(ransac_planes, pair, RANSAC_PLANES) {
  if_constant(DOMINANT_PLANE) {
    struct pair_view view;
    if (work[pair].count < SAMPLE_SIZE) return;
    open_view(pairs, work, points, info, priors, pair, &view);
    pair_narrow(state + pair, &view);
    pair_planes(GROUP_ARG & view, seed0, seed1, log_failure, state + pair,
                weights + pairs[pair].start, shared);
  }
}

group_kernel(ransac_finish, group, RANSAC_FINISH) {
  const index pair = (index)pairs[from + group].in_order;
  struct pair_view view;
  global_ptr pair_work* w = work + pair;
  const offset start = pairs[pair].start, first = pairs[pair].first, out = first - pairs[0].first;
  if (w->count < SAMPLE_SIZE) return;
  open_view(pairs, work, points, info, priors, pair, &view);
  global_ptr ransac_result* result = results + pair;
  pair_finish(GROUP_ARG & view, state + pair, errors + start, result, shared);
  group_barrier();
  if (result->outcome < (scalar)FOUND_MODEL) return;
  mark_inliers(GROUP_ARG & view, order + start, errors + start, inliers + out);
  count_distinct(GROUP_ARG & view, float_points + COLUMNS * start, errors + start,
                 (index)result->support.inliers, tables + 4 * start, w);
  if_constant(TWO_VIEWS) {
    group_barrier();  // the counts are written
    const scalar measured = result->chance, chance = view.chance;
    const scalar least = least_significant(view.log10_alarms, (scalar)w->distinct_points,
                                           measured > chance ? measured : chance, result->tested);
    count_places(GROUP_ARG & view, float_points + COLUMNS * start, errors + start, info + pair,
                 least, tables + 4 * start, shared, w);
    group_barrier();  // the code below writes to the errors
  }
  if (w->zero_weight == 0) return;
  const struct zero_weight_points others = {.count = w->zero_weight,
                                            .given = given + COLUMNS * first,
                                            .order = order + start + view.n,
                                            .cameras = cameras + CAMERA_NUMBERS * (offset)pair,
                                            .info = info + pair,
                                            .points = points + COLUMNS * start,
                                            .errors = errors + start};
  mark_zero_weight(GROUP_ARG & view, &others, result, inliers + out);
}
#endif
