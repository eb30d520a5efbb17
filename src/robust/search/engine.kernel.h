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

group_kernel(engine_prepare, pair, ENGINE_PREPARE) {
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
  counts[place] = (index)sample_models(p, rays, solved);
  for (index i = 0; i < SLOTS * MODEL_SIZE; ++i)
    models[(offset)place * (SLOTS * MODEL_SIZE) + i] = (float)solved[i];
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
      global_const float* m = models + ((offset)place * SLOTS + s) * MODEL_SIZE;
      for (index i = 0; i < MODEL_SIZE; ++i) model[i] = m[i];
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
  const index next =
      pair_decide(GROUP_ARG & view, &limits, scores + place, models + place * SLOTS * MODEL_SIZE,
                  slots + place, hypotheses, state + pair * STATE_SIZE,
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

group_kernel(engine_finish, pair, ENGINE_FINISH) {
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
                 info + pair * INFO_SIZE, least, tables + 4 * start, w);
    group_barrier();  // what follows writes to the errors
  }
  if (w[WORK_ZERO_WEIGHT] == 0) return;
  mark_zero_weight(GROUP_ARG & view, w[WORK_ZERO_WEIGHT], given + COLUMNS * p[PAIR_FIRST],
                   order + start + view.n, cameras + CAMERA_NUMBERS * (offset)pair,
                   info + pair * INFO_SIZE, points + COLUMNS * start, errors + start, result,
                   inliers + out);
}
