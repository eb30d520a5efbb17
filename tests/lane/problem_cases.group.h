// SPDX-License-Identifier: BSD-3-Clause
// Cases of the RANSAC functions that process all points of a pair.

group_fn void case_score(GROUP_PARAM global_const scalar* points, index n, index stride,
                         global_const pair_info* info, const scalar* model, scalar* out) {
  struct pair_view pair;
  struct score_plan plan = {{256, n}, {(scalar)-1, (scalar)-1}};
  pair_open(points, n, stride, info, &pair);
  pair.weights = points + COLUMNS * stride;
  for (index weighted = 0; weighted < 2; ++weighted) {
    pair.weighted = weighted;
    out[weighted] = model_score(GROUP_ARG model, &pair, &plan, 2);
  }
  plan.floors[0] = (scalar)1e6;
  pair.weighted = 0;
  out[2] = model_score(GROUP_ARG model, &pair, &plan, 2);
}

// Normal equations with the sharp cost, the smooth cost, and the smooth cost with weights.
group_fn void case_equations(GROUP_PARAM global_const scalar* points, index n, index stride,
                             global_const pair_info* info, const scalar* model, scalar* out) {
  struct pair_view pair;
  pair_open(points, n, stride, info, &pair);
  for (index k = 0; k < 3; ++k) {
    const struct robust_loss loss = {pair.threshold, k > 0, k > 1};
    model_equations(GROUP_ARG model, &pair, n, &loss, points + COLUMNS * stride, out + SUMS * k);
  }
}

group_fn void case_support(GROUP_PARAM global_const scalar* points, index n, index stride,
                           global_const pair_info* info, const scalar* model, scalar* out) {
  struct pair_view pair;
  for (index k = 0; k < 12; ++k) out[k] = 0;
  pair_open(points, n, stride, info, &pair);
  model_side(GROUP_ARG & pair, n, model, out);
  support_sums support;
  model_support(GROUP_ARG & pair, n, model, out, &support);
  out[12] = (scalar)support.score;
  out[13] = (scalar)support.inliers;
  out[14] = (scalar)support.squares;
  out[15] = (scalar)support.weight;
}

// RANSAC's planning functions take and return plain numbers.
group_fn void case_plan(GROUP_PARAM global_const scalar* points, index n, index stride,
                        global_const pair_info* info, const scalar* model, scalar* out) {
  struct pair_view pair;
  struct score_plan plan;
  (void)model;
  pair_open(points, n, stride, info, &pair);
  out[0] = iterations_needed((scalar)300, 1000, (scalar)-4.6, (scalar)1e4);
  out[1] = iterations_needed((scalar)100, 1000, (scalar)-4.6, (scalar)1e4);
  out[2] = iterations_needed((scalar)1000, 1000, (scalar)-4.6, (scalar)1e4);
  out[3] = (scalar)next_round(first_round(100, 1000), (scalar)120, 0);
  out[4] = (scalar)next_round(5000, (scalar)1e5, 0);
  out[5] = (scalar)(next_round(100, (scalar)99.5, 0) + next_round(100, (scalar)1e5, 1));
  out[6] =
      (scalar)(score_beats_chance(&pair, n, (scalar)20) + 2 * score_beats_chance(&pair, n, 100));
  struct ransac_limits limits = {100, 100000, (scalar)-6.9, (scalar)0.15};
  out[7] = iterations_without_support(&pair, &limits) +
           100 * target_inlier_ratio(&limits, (scalar)500) +
           least_significant((scalar)-2, (scalar)1000, (scalar)0.02, (scalar)1e4);
  out[8] = few_inliers_factor((scalar)20) + (scalar)(2 * is_thorough(&limits));
  out[9] = (scalar)score_stages((scalar)400, n, out, 0, &plan);
  for (index i = 0; i < 4; ++i) {
    out[10 + i] = plan.floors[i];
    out[14 + i] = (scalar)plan.ends[i];
  }
}
