// SPDX-License-Identifier: BSD-3-Clause
// Levenberg-Marquardt on the robust score of a model over the first n points (sharp: MSAC; smooth:
// biweight; see robust_weight.lane.h).
//   D. Marquardt, SIAM J. Appl. Math. 11(2), 1963.

// The state of the optimiser; the leader of the group keeps it.
struct refine_state {
  scalar chart[20], moved[20];  // charts of the best model and of the candidate
  scalar best[SUMS];
  scalar damping;
  index step;
};

// Proposes a model near the best one. Returns 0 if no step is left.
group_fn index refine_propose(const struct pair_view* pair, index max_steps, struct refine_state* s,
                              scalar* model) {
  const scalar most_damping = (scalar)1e4;
  scalar delta[8];
  while (s->step < max_steps && s->damping <= most_damping) {
    ++s->step;
    scalar pivot = uniform_fn(model_step)(s->best, s->best + GRADIENT, s->chart, pair->rays,
                                          s->damping, delta);
    if (pivot > (scalar)1e-14) {
      for (index i = 0; i < 20; ++i) s->moved[i] = s->chart[i];
      uniform_fn(model_move)(s->moved, delta);
      uniform_fn(model_close)(s->moved, pair->rays, model);
      return 1;
    }
    s->damping = s->damping * 100;  // the points do not determine the model
  }
  return 0;
}

// Accepts the candidate if it scores more. Returns 0 if the improvement is below `tolerance`.
group_fn index refine_accept(const scalar* sums, scalar tolerance, struct refine_state* s) {
  const scalar least_damping = (scalar)1e-8;
  scalar improvement = sums[SUM_OF_SCORES] - s->best[SUM_OF_SCORES];
  if (s->step > 0 && !(improvement > 0)) {
    s->damping = s->damping * 10;
    return 1;
  }
  for (index i = 0; i < SUMS; ++i) s->best[i] = sums[i];
  for (index i = 0; i < 20; ++i) s->chart[i] = s->moved[i];
  if (s->step == 0) return 1;
  s->damping = s->damping * (scalar)0.1;
  if (s->damping < least_damping) s->damping = least_damping;
  return improvement >= tolerance * s->best[SUM_OF_SCORES];
}

struct refine_options {
  struct robust_loss loss;
  index max_steps;
  scalar tolerance;  // the fit ends when the score rises by less than this fraction
};

// Improves `model`, which is the same for all members; it never gets worse. Returns its score.
// weights: as in model_equations.
group_fn_apart scalar model_refine(GROUP_PARAM const struct pair_view* pair, index n,
                                   const struct refine_options* options,
                                   global_const scalar* weights, scalar* model,
                                   local_ptr struct refine_shared* shared) {
  struct refine_state state;
  scalar sums[SUMS], candidate[12];
  index going = 1;
  state.step = 0;
  state.damping = (scalar)1e-4;
  if (group_leads()) {
    uniform_fn(model_open)(model, pair->rays, state.moved);
    uniform_fn(model_close)(state.moved, pair->rays, candidate);
    for (index i = 0; i < MODEL_SIZE; ++i) shared->model[i] = candidate[i];
  }
  while (going) {
    group_barrier();
    for (index i = 0; i < MODEL_SIZE; ++i) model[i] = shared->model[i];
    model_equations(GROUP_ARG model, pair, n, &options->loss, weights, sums);
    group_barrier();
    if (group_leads()) {
      index more = refine_accept(sums, options->tolerance, &state);
      if (more) more = refine_propose(pair, options->max_steps, &state, candidate);
      if (!more) uniform_fn(model_close)(state.chart, pair->rays, candidate);
      for (index i = 0; i < MODEL_SIZE; ++i) shared->model[i] = candidate[i];
      shared->goes_on = more;
      shared->score = state.best[SUM_OF_SCORES];
    }
    group_barrier();
    going = shared->goes_on;
  }
  for (index i = 0; i < MODEL_SIZE; ++i) model[i] = shared->model[i];
  const scalar score = shared->score;
  group_barrier();
  return score;
}
