// SPDX-License-Identifier: BSD-3-Clause
// The kernels of engine_device.cpp; the layout of `pairs` and `work` is in pair_view.group.h.

group_fn void kernel_pair(global_const offset* pairs, global_const int* work,
                          global_const scalar* points, global_const scalar* info, index pair,
                          struct pair_view* view) {
  global_const offset* p = pairs + pair * PAIR_SIZE;
  pair_open(points + COLUMNS * p[PAIR_START], work[pair * WORK_SIZE + WORK_COUNT],
            (index)p[PAIR_STRIDE], info + pair * INFO_SIZE, view);
}

group_fn void kernel_prepare(GROUP_PARAM index pair, global_const offset* pairs,
                             global_const scalar* given, global_const scalar* cameras,
                             scalar threshold, bits32 seed0, bits32 seed1, index first_round,
                             global_ptr int* kept, global_ptr int* order, global_ptr scalar* points,
                             global_ptr float* fast_points, global_ptr scalar* info,
                             global_ptr scalar* state, global_ptr int* work,
                             global_ptr unsigned char* inliers, local_ptr scalar* shared) {
  global_const offset* p = pairs + pair * PAIR_SIZE;
  const offset start = p[PAIR_START], out = p[PAIR_FIRST] - pairs[PAIR_FIRST];
  const index n =
      pair_prepare(GROUP_ARG given + 4 * p[PAIR_FIRST], (index)p[PAIR_POINTS],
                   cameras + 8 * (offset)pair, threshold, seed0, seed1, (index)p[PAIR_STRIDE],
                   kept + start, order + start, points + COLUMNS * start,
                   fast_points + COLUMNS * start, info + pair * INFO_SIZE, inliers + out, shared);
  if (!group_leads()) return;
  for (index i = 0; i < STATE_SIZE; ++i) state[pair * STATE_SIZE + i] = 0;
  global_ptr int* w = work + pair * WORK_SIZE;
  w[WORK_COUNT] = n;
  w[WORK_DONE] = 0;
  w[WORK_PLAN] = n < SAMPLE_SIZE ? 0 : first_round;
}

// Trial `trial` of the round of a pair; `place`: among all trials of this launch.
group_fn void kernel_solve(index pair, index trial, offset place, global_const offset* pairs,
                           global_const int* work, global_const scalar* points,
                           global_const double* info, bits32 seed0, bits32 seed1,
                           global_ptr float* models, global_ptr int* counts) {
  global_const int* w = work + pair * WORK_SIZE;
  if (trial >= w[WORK_PLAN]) return;
  global_const offset* about = pairs + pair * PAIR_SIZE;
  global_const scalar* columns = points + COLUMNS * about[PAIR_START];
  const index stride = (index)about[PAIR_STRIDE];
  index sample[SAMPLE_SIZE];
  scalar p[SAMPLE_SIZE * COLUMNS], rays[4], solved[SLOTS * MODEL_SIZE];
  for (index i = 0; i < 4; ++i) rays[i] = (scalar)info[pair * INFO_SIZE + INFO_RAYS + i];
  sample_draw(seed0, seed1, (bits32)(w[WORK_DONE] + trial), w[WORK_COUNT], SAMPLE_SIZE, 0, 0,
              sample);
  for (index c = 0; c < COLUMNS; ++c) {
    for (index k = 0; k < SAMPLE_SIZE; ++k)
      p[c * SAMPLE_SIZE + k] = columns[c * stride + sample[k]];
  }
  counts[place] = (index)sample_models(p, rays, solved);
  for (index i = 0; i < SLOTS * MODEL_SIZE; ++i)
    models[place * (SLOTS * MODEL_SIZE) + i] = (float)solved[i];
}

// The best model of a trial, scored by one group.
group_fn void kernel_score(GROUP_PARAM index pair, index trial, offset place,
                           global_const offset* pairs, global_const int* work,
                           global_const scalar* points, global_const double* info,
                           global_const double* state, global_const float* models,
                           global_const int* counts, global_ptr float* gains,
                           global_ptr int* slots) {
  float best = -2;
  index slot = 0;
  global_const int* w = work + pair * WORK_SIZE;
  if (trial < w[WORK_PLAN]) {
    global_const offset* p = pairs + pair * PAIR_SIZE;
    global_const scalar* columns = points + COLUMNS * p[PAIR_START];
    const index stride = (index)p[PAIR_STRIDE], count = counts[place];
    const scalar threshold = (scalar)info[pair * INFO_SIZE + INFO_THRESHOLD];
    index ends[8];
    scalar floors[8], focal[2] = {0, 0}, model[MODEL_SIZE];
    const index stages =
        score_stages(score_floor((scalar)state[pair * STATE_SIZE + STATE_RAW], w[WORK_COUNT]),
                     w[WORK_COUNT], stride, ends, floors);
    if (count > 0) best = -1;
    for (index s = 0; s < count; ++s) {
      global_const float* m = models + (place * SLOTS + s) * MODEL_SIZE;
      for (index i = 0; i < MODEL_SIZE; ++i) model[i] = m[i];
      const scalar gain =
          problem_gain(GROUP_ARG model, columns, stride, focal, ends, floors, stages, threshold);
      if (gain > best) {
        best = (float)gain;
        slot = s;
      }
    }
  }
  if (!group_leads()) return;
  gains[place] = best;
  slots[place] = slot;
}

group_fn void kernel_decide(GROUP_PARAM index pair, offset place, global_const offset* pairs,
                            global_ptr int* work, global_const scalar* points,
                            global_const scalar* info, index min_trials, index max_trials,
                            scalar log_failure, global_const float* gains,
                            global_const float* models, global_const int* slots,
                            global_ptr scalar* state, global_ptr scalar* weights,
                            local_ptr scalar* shared) {
  global_ptr int* w = work + pair * WORK_SIZE;
  const index trials = w[WORK_PLAN];
  if (trials == 0) return;
  struct pair_view view;
  struct search_limits limits = {min_trials, max_trials, log_failure};
  kernel_pair(pairs, work, points, info, pair, &view);
  const index next = pair_decide(
      GROUP_ARG & view, &limits, gains + place, models + place * SLOTS * MODEL_SIZE, slots + place,
      trials, state + pair * STATE_SIZE, weights + pairs[pair * PAIR_SIZE + PAIR_START], shared);
  group_barrier();
  if (!group_leads()) return;
  w[WORK_DONE] += trials;
  w[WORK_PLAN] = next;
}

group_fn void kernel_finish(GROUP_PARAM index pair, global_const offset* pairs,
                            global_ptr int* work, global_const int* order,
                            global_const scalar* points, global_const float* fast_points,
                            global_const scalar* info, global_const scalar* state,
                            global_ptr scalar* errors, global_ptr scalar* results,
                            global_ptr bits32* tables, global_ptr unsigned char* inliers,
                            local_ptr scalar* shared) {
  struct pair_view view;
  global_ptr int* w = work + pair * WORK_SIZE;
  global_const offset* p = pairs + pair * PAIR_SIZE;
  const offset start = p[PAIR_START], out = p[PAIR_FIRST] - pairs[PAIR_FIRST];
  if (w[WORK_COUNT] < SAMPLE_SIZE) return;
  kernel_pair(pairs, work, points, info, pair, &view);
  global_ptr scalar* result = results + pair * RESULT_SIZE;
  pair_finish(GROUP_ARG & view, state + pair * STATE_SIZE, errors + start, result, shared);
  group_barrier();
  if (!(result[RESULT_OUTCOME] > (scalar)1.5)) return;
  const scalar limit = 1 / view.threshold;
  group_for_range(i, 0, view.n) {
    inliers[out + order[start + i]] = errors[start + i] < limit ? 1 : 0;
  }
  // Matches that share a point are one piece of evidence (evidence.hpp).
  index size = 64;
  while (size < 2 * view.n) size *= 2;
  global_const float* columns = fast_points + COLUMNS * start;
  index counts[2];
  for (index all = 0; all < 2; ++all) {
    index first = count_distinct(GROUP_ARG columns, view.stride, view.n, 0, 2, errors + start,
                                 limit, all, tables + 4 * start, size);
    index second = count_distinct(GROUP_ARG columns, view.stride, view.n, 2, 4, errors + start,
                                  limit, all, tables + 4 * start, size);
    counts[all] = first < second ? first : second;
    if (counts[0] >= (index)result[RESULT_INLIERS]) break;
  }
  if (!group_leads()) return;
  w[WORK_DISTINCT_INLIERS] = counts[0];
  w[WORK_DISTINCT_POINTS] = counts[0] < (index)result[RESULT_INLIERS] ? counts[1] : view.n;
}
