// SPDX-License-Identifier: BSD-3-Clause
// The correspondences of one pair and its constants, as the group reads them.

// Memory that a group shares while it refines a model.
struct refine_shared {
  scalar model[12], score;
  index goes_on;
};
// Shared memory of a group, for one use at a time. (kernel_NAME is its name in the kernel lists.)
typedef union pair_shared {
  struct refine_shared refine;
  scalar leverage[EQUATIONS * EQUATIONS];  // a matrix (leverage.group.h)
  scalar matrix[9];                        // from the leader to all members
  scalar extents[8];                       // of the columns of two images: low ends, then high ends
  scalar variance;
  index count;
} pair_shared, kernel_pair_shared;
enum { SHARED_ONCE = 1 };  // one per group

struct pair_view {
  global_const scalar* points;  // COLUMNS columns in random order, NaN beyond the last point
  index n, stride;              // number of points; elements of a column
  scalar threshold, chance, parallax, focal[2], rays[4];
  index weighted, ranked;
  global_const scalar *weights, *ranks;  // weights: 0 beyond the last point; ranks in descending
                                         // order of quality, NaN beyond it
  scalar effective, scored;              // weight of all points, and of the first SCORE_POINTS
  scalar largest;                        // the largest weight
  scalar log10_alarms;                   // level of the significance test
};

group_fn void pair_open(global_const scalar* points, index n, index stride,
                        global_const pair_info* info, struct pair_view* pair) {
  pair->points = points;
  pair->n = n;
  pair->stride = stride;
  pair->threshold = (scalar)info->threshold;
  pair->chance = (scalar)info->chance;
  pair->parallax = (scalar)info->parallax;
  for (index i = 0; i < 2; ++i) pair->focal[i] = (scalar)info->focal[i];
  for (index i = 0; i < 4; ++i) pair->rays[i] = (scalar)info->rays[i];
  pair->weighted = pair->ranked = 0;
  pair->weights = pair->ranks = points;
  pair->largest = 1;
  pair->log10_alarms = (scalar)info->log10_alarms;
  pair->effective = (scalar)n;
  pair->scored = (scalar)(n < SCORE_POINTS ? n : SCORE_POINTS);
}

// Sets the threshold that fits the noise, for RANSAC on a pair (decide.group.h).
// Call after pair_open.
group_fn void pair_narrow(global_const ransac_state* state, struct pair_view* pair) {
  if (state->narrowed > 0) pair->threshold *= (scalar)state->narrowed;
}

// Sets weights and ranks of a pair with weights or qualities. Call after pair_open.
group_fn void pair_open_priors(global_const scalar* weights, global_const scalar* ranks,
                               global_const pair_info* info, struct pair_view* pair) {
  pair->ranked = info->ranked > 0;
  pair->ranks = ranks;
  pair->weighted = info->weighted > 0;
  if (!pair->weighted) return;
  pair->weights = weights;
  pair->largest = (scalar)info->largest;
  pair->effective = (scalar)info->effective;
  pair->scored = (scalar)info->seen[3];
}

// Returns the weight of point i.
group_fn real point_weight(const struct pair_view* pair, index i) {
  if (pair->weighted) return group_load(pair->weights, i);
  return lane(1);
}

// Returns the size of a random subset: the first points of the order, at most `most`, which is a
// multiple of the widest group.
group_fn index pair_subset(const struct pair_view* pair, index most) {
  return pair->n < most ? pair->n : most;
}
