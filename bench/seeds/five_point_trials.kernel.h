// SPDX-License-Identifier: BSD-3-Clause
// The kernels of five_point_trials.kernels.
map_kernel(action_matrices, i, ACTION_MATRICES) {
  real sample[20], equations[45], N[36], A[100];
  for (index r = 0; r < 20; ++r) sample[r] = group_load(samples + r * trials, i);
  for (index k = 0; k < 5; ++k)
    epipolar_equation(sample[k], sample[5 + k], sample[10 + k], sample[15 + k], equations + 9 * k);
  mask independent = null_space(equations, 5, 9, N) > lane(1e2) * lane_epsilon();
  essential_action_matrix(N, A);
  for (index e = 0; e < 100; ++e)
    group_store(matrices + e * trials, i, select(independent, A[e], lane_nan()), trials);
  for (index e = 0; e < 36; ++e) group_store(null_spaces + e * trials, i, N[e], trials);
}

map_kernel(eigenvector_essentials, i, EIGENVECTOR_ESSENTIALS) {
  real N[36], vector[10], found[9];
  for (index e = 0; e < 36; ++e) N[e] = group_load(null_spaces + e * trials, i);
  for (index s = 0; s < 10; ++s) {
    for (index k = 0; k < 10; ++k) vector[k] = group_load(vectors + (10 * k + s) * trials, i);
    essential_at_eigenvector(N, vector, found);
    for (index k = 0; k < 9; ++k) group_store(E + (9 * s + k) * trials, i, found[k], trials);
  }
}

// Matches [from, to) of all matches; coordinates x1, y1, x2, y2 are `stride` numbers apart.
typedef struct {
  global_const scalar* points;
  index stride, from, to;
} match_range;

// Counts matches that are nearer to model g than the threshold (Sampson) and in front of both
// cameras, under each of its poses (R0, t), (R0, -t), (R1, t), (R1, -t) of pose_candidates; votes
// [4] of the lane. A model of NaN has no votes, and points are padded with NaN.
group_fn void pose_votes(global_const double* models, index g, index trials,
                         const match_range* matches, scalar squared_threshold, real* votes) {
  real E[9], R[18], t[3], limit = lane(squared_threshold);
  for (index k = 0; k < 4; ++k) votes[k] = lane(0);
  models += (offset)(g / trials * 9) * trials + g % trials;
  if (!(models[0] == models[0])) return;  // for the whole group: most trials have few solutions
  for (index k = 0; k < 9; ++k) E[k] = group_same((scalar)models[k * trials]);
  pose_candidates(E, R, t);
  global_const scalar* points = matches->points;
  const index stride = matches->stride;
  group_for_range(i, matches->from, matches->to) {
    real x1 = group_load(points, i), y1 = group_load(points + stride, i);
    real x2 = group_load(points + 2 * stride, i), y2 = group_load(points + 3 * stride, i);
    mask near = sampson_within(E, x1, y1, x2, y2, limit);
    if (any(near)) pose_vote(R, t, x1, y1, x2, y2, near, votes);  // few points are near a wrong E
  }
}

group_kernel(essential_inliers, g, ESSENTIAL_INLIERS) {
  real votes[4];
  scalar counts[4];
  const match_range all = {points, stride, 0, stride};
  pose_votes(E, g, trials, &all, squared_threshold, votes);
  group_sums(votes, 4, counts);
  scalar most = counts[0];
  for (index k = 1; k < 4; ++k) most = counts[k] > most ? counts[k] : most;
  if (group_leads()) inliers[g] = (int)most;
}

// The two parts of the verification by themselves, on all points.
group_kernel(essential_near, g, ESSENTIAL_INLIERS) {
  real near = lane(0), model[9], limit = lane(squared_threshold);
  global_const double* own = E + (offset)(g / trials * 9) * trials + g % trials;
  for (index k = 0; k < 9; ++k) model[k] = group_same((scalar)own[k * trials]);
  group_for(i, stride) {
    real x1 = group_load(points, i), y1 = group_load(points + stride, i);
    real x2 = group_load(points + 2 * stride, i), y2 = group_load(points + 3 * stride, i);
    near += select(sampson_within(model, x1, y1, x2, y2, limit), lane(1), lane(0));
  }
  scalar count = group_sum(near);
  if (group_leads()) inliers[g] = (int)count;
}

group_kernel(essential_ahead, g, ESSENTIAL_AHEAD) {
  real votes[4], model[9], R[18], t[3];
  scalar counts[4];
  global_const double* own = E + (offset)(g / trials * 9) * trials + g % trials;
  for (index k = 0; k < 4; ++k) votes[k] = lane(0);
  for (index k = 0; k < 9; ++k) model[k] = group_same((scalar)own[k * trials]);
  pose_candidates(model, R, t);
  group_for(i, stride) {
    real x1 = group_load(points, i), y1 = group_load(points + stride, i);
    real x2 = group_load(points + 2 * stride, i), y2 = group_load(points + 3 * stride, i);
    pose_vote(R, t, x1, y1, x2, y2, x1 <= x1, votes);  // padding is NaN
  }
  group_sums(votes, 4, counts);
  scalar most = counts[0];
  for (index k = 1; k < 4; ++k) most = counts[k] > most ? counts[k] : most;
  if (group_leads()) ahead[g] = (int)most;
}

group_kernel(essential_votes, g, ESSENTIAL_VOTES) {
  real own[4];
  const index blocks = stride / WIDEST_GROUP, model = g / parts, part = g % parts;
  const match_range of_part = {points, stride, blocks * part / parts * WIDEST_GROUP,
                               blocks * (part + 1) / parts * WIDEST_GROUP};
  pose_votes(E, model, trials, &of_part, squared_threshold, own);
  for (index k = 0; k < 4; ++k) {
    bits32 found = (bits32)lanes_sum(own[k]);
    if (found > 0) global_atomic_add(votes + 4 * model + k, found);
  }
}

map_kernel(most_votes, g, MOST_VOTES) {
  bits32 most = 0;
  for (index k = 0; k < 4; ++k) {
    most = votes[4 * g + k] > most ? votes[4 * g + k] : most;
    votes[4 * g + k] = 0;
  }
  inliers[g] = (int)most;
}
