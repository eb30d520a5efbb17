// SPDX-License-Identifier: BSD-3-Clause
// One pair's correspondences and what is known of them, as the group sees them.

enum { SHARED_SIZE = 100 };  // numbers that a group shares

struct pair_view {
  global_const scalar* points;  // COLUMNS columns in random order, NaN beyond the last point
  index n, stride;              // points; numbers of a column
  scalar threshold, chance, parallax, focal[2], rays[4];
  index weighted, ranked;
  global_const scalar *weights, *ranks;  // weight of each point, 0 beyond the last; place in the
                                         // order of falling quality, NaN beyond
  scalar effective, scored;              // weight of all points, and of the first SCORE_POINTS
  scalar largest;                        // the largest weight
};

group_fn void pair_open(global_const scalar* points, index n, index stride,
                        global_const scalar* info, struct pair_view* pair) {
  pair->points = points;
  pair->n = n;
  pair->stride = stride;
  pair->threshold = info[INFO_THRESHOLD];
  pair->chance = info[INFO_CHANCE];
  pair->parallax = info[INFO_PARALLAX];
  for (index i = 0; i < 2; ++i) pair->focal[i] = info[INFO_FOCAL + i];
  for (index i = 0; i < 4; ++i) pair->rays[i] = info[INFO_RAYS + i];
  pair->weighted = pair->ranked = 0;
  pair->weights = pair->ranks = points;
  pair->largest = 1;
  pair->effective = (scalar)n;
  pair->scored = (scalar)(n < SCORE_POINTS ? n : SCORE_POINTS);
}

// After pair_open, for the search of a pair: with the threshold that fits the noise
// (decide.group.h).
group_fn void pair_narrow(global_const scalar* state, struct pair_view* pair) {
  if (state[STATE_NARROWED] > 0) pair->threshold *= state[STATE_NARROWED];
}

// For pairs with weights or qualities, after pair_open.
group_fn void pair_open_priors(global_const scalar* weights, global_const scalar* ranks,
                               global_const scalar* info, struct pair_view* pair) {
  pair->ranked = info[INFO_RANKED] > 0;
  pair->ranks = ranks;
  pair->weighted = info[INFO_WEIGHTED] > 0;
  if (!pair->weighted) return;
  pair->weights = weights;
  pair->largest = info[INFO_LARGEST];
  pair->effective = info[INFO_EFFECTIVE];
  pair->scored = info[INFO_SEEN + 3];
}

// Weight of point i.
group_fn real point_weight(const struct pair_view* pair, index i) {
  if (pair->weighted) return group_load(pair->weights, i);
  return lane(1);
}

// The size of a random subset: the first points of the order, at most `most`, a multiple of the
// widest group.
group_fn index pair_subset(const struct pair_view* pair, index most) {
  return pair->n < most ? pair->n : most;
}
