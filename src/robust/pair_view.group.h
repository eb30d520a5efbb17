// SPDX-License-Identifier: BSD-3-Clause
// One pair's correspondences and what is known of them, as the group sees them.

// Numbers of a pair [INFO_SIZE], made when its points are put in order.
enum {
  INFO_THRESHOLD,                 // 1 / threshold^2 in scoring coordinates
  INFO_CHANCE,                    // probability that a wrong match agrees with a wrong model
  INFO_PARALLAX,                  // squared sine of a parallax that noise can make
  INFO_FOCAL,                     // fx, fy of an absolute pose
  INFO_RAYS = INFO_FOCAL + 2,     // x1, y1, x2, y2: from scoring coordinates to rays
  INFO_CENTRE = INFO_RAYS + 4,    // of each image (x1, y1, x2, y2) or of the world, and
  INFO_LENGTH = INFO_CENTRE + 4,  // unit, of the scoring coordinates
  // Of matches with weights or qualities. Weights are scaled so that their squares add up to what
  // they add up to themselves: that many matches of weight 1 tell as much (L. Kish, Survey
  // Sampling, 1965).
  INFO_WEIGHTED,   // 1: the weights differ
  INFO_RANKED,     // 1: there are qualities
  INFO_EFFECTIVE,  // sum of the weights
  INFO_LARGEST,    // weight
  INFO_SEEN,       // weight of the first 128, 256, 512 and 1024 points
  INFO_SIZE = INFO_SEEN + 4
};

enum { SHARED_SIZE = 100 };  // of the memory that a group shares

struct pair_view {
  global_const scalar* points;  // COLUMNS columns in random order, NaN beyond the last point
  index n, stride;              // points; numbers of a column
  scalar threshold, chance, parallax, focal[2], rays[4];
  index weighted, ranked;
  global_const scalar *shares, *ranks;  // weight of each point, 0 beyond the last; place in the
                                        // order of falling quality, NaN beyond
  scalar effective, scored;             // weight of all points, and of the first SCORE_POINTS
  scalar largest;                       // weight
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
  pair->shares = pair->ranks = points;
  pair->largest = 1;
  pair->effective = (scalar)n;
  pair->scored = (scalar)(n < SCORE_POINTS ? n : SCORE_POINTS);
}

// For the pairs of a call with weights or qualities, after pair_open.
group_fn void pair_open_priors(global_const scalar* shares, global_const scalar* ranks,
                               global_const scalar* info, struct pair_view* pair) {
  pair->ranked = info[INFO_RANKED] > 0;
  pair->ranks = ranks;
  pair->weighted = info[INFO_WEIGHTED] > 0;
  if (!pair->weighted) return;
  pair->shares = shares;
  pair->largest = info[INFO_LARGEST];
  pair->effective = info[INFO_EFFECTIVE];
  pair->scored = info[INFO_SEEN + 3];
}

// Weight of point i.
group_fn real point_share(const struct pair_view* pair, index i) {
  if (pair->weighted) return group_load(pair->shares, i);
  return lane(1);
}

// The first points of the order, a random subset: `most` of them, a multiple of the widest group.
group_fn index pair_subset(const struct pair_view* pair, index most) {
  return pair->n < most ? pair->n : most;
}

// Where a pair's arrays lie in a batch on a GPU: PAIR_SIZE numbers each.
enum {
  PAIR_FIRST,   // of its points in the caller's array
  PAIR_POINTS,  // how many
  PAIR_START,   // of its columns: in points COLUMNS times as far
  PAIR_STRIDE,
  PAIR_SIZE
};
// What the rounds of a pair say to each other and to the host: WORK_SIZE numbers each.
enum {
  WORK_COUNT,  // finite points of a weight above 0
  WORK_IDLE,   // finite points of weight 0
  WORK_DONE,   // trials
  WORK_PLAN,   // trials of the next round
  WORK_DISTINCT_INLIERS,
  WORK_DISTINCT_POINTS,
  WORK_SIZE
};
// Columns of the numbers that the weights and qualities of a pair give (PairPriors), and which of
// the two there are.
enum { PRIOR_SHARES, PRIOR_RANKS, PRIOR_MASSES, PRIOR_COLUMNS };
enum { GIVEN_WEIGHTS = 1, GIVEN_QUALITIES = 2 };
