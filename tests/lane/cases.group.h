// SPDX-License-Identifier: BSD-3-Clause
// One adaptor for every group function: the columns of the points, a model, numbers out. Group code
// itself. group_cases.def lists them; every member of the group gets the same numbers.

group_fn void group_case_model_score(GROUP_PARAM global_const scalar* p, index n,
                                     const scalar* model, scalar* out) {
  index ends[2] = {256, n};
  scalar floors[2] = {(scalar)-1, (scalar)-1}, focal[2] = {(scalar)1, (scalar)1};
  for (index weighted = 0; weighted < 2; ++weighted) {
    out[weighted] = model_score(GROUP_ARG model, p, n, focal, p + 5 * n, weighted, ends, floors, 2,
                                (scalar)1e4);
  }
  floors[0] = (scalar)1e6;
  out[2] = model_score(GROUP_ARG model, p, n, focal, p, 0, ends, floors, 2, (scalar)1e4);
}

// The equations sharp, smooth, and smooth with the weights of column 5.
group_fn void group_case_model_equations(GROUP_PARAM global_const scalar* p, index n,
                                         const scalar* model, scalar* out) {
  scalar focal[2] = {(scalar)1, (scalar)1};
  for (index k = 0; k < 3; ++k) {
    model_equations(GROUP_ARG model, p, n, focal, n, (scalar)1e4, k > 0, p + 5 * n, k > 1,
                    out + SUMS * k);
  }
}

// The points as a pair of an essential matrix, its coordinates being rays.
group_fn void case_pair(global_const scalar* p, index n, struct pair_view* pair) {
  pair->points = p;
  pair->n = n;
  pair->stride = n;
  pair->threshold = (scalar)1e4;
  pair->chance = (scalar)0.02;
  pair->parallax = (scalar)1e-4;
  for (index i = 0; i < 2; ++i) pair->focal[i] = 1;
  for (index i = 0; i < 4; ++i) pair->rays[i] = 1;
  pair->weighted = 0;
  pair->ranked = 0;
  pair->weights = p;
  pair->ranks = p;
  pair->effective = (scalar)n;
  pair->scored = (scalar)n;
  pair->largest = 1;
}

group_fn void group_case_support(GROUP_PARAM global_const scalar* p, index n, const scalar* model,
                                 scalar* out) {
  struct pair_view pair;
  case_pair(p, n, &pair);
  model_side(GROUP_ARG & pair, n, model, out);
  model_support(GROUP_ARG & pair, n, model, out, out + 12);
}

// How the search is planned: plain numbers.
group_fn void group_case_plan(GROUP_PARAM global_const scalar* p, index n, const scalar* model,
                              scalar* out) {
  struct pair_view pair;
  index ends[8];
  (void)model;
  case_pair(p, n, &pair);
  out[0] = iterations_needed((scalar)300, 1000, (scalar)-4.6, (scalar)1e4);
  out[1] = iterations_needed((scalar)100, 1000, (scalar)-4.6, (scalar)1e4);
  out[2] = iterations_needed((scalar)1000, 1000, (scalar)-4.6, (scalar)1e4);
  out[3] = (scalar)next_round(first_round(100, 1000), (scalar)120, 0);
  out[4] = (scalar)next_round(5000, (scalar)1e5, 0);
  out[5] = (scalar)(next_round(100, (scalar)99.5, 0) + next_round(100, (scalar)1e5, 1));
  out[6] =
      (scalar)(score_beats_chance(&pair, n, (scalar)20) + 2 * score_beats_chance(&pair, n, 100));
  struct search_limits limits = {100, 100000, (scalar)-6.9, (scalar)0.15};
  out[7] = iterations_without_support(&pair, &limits) + least_inliers(&pair, &limits);
  out[8] =
      (scalar)(candidates_of(&pair, 0, (scalar)20) + 100 * candidates_of(&pair, 64, (scalar)20));
  out[9] = (scalar)score_stages((scalar)400, n, out, 0, ends, out + 10);
  for (index i = 0; i < 4; ++i) out[14 + i] = (scalar)ends[i];
}
