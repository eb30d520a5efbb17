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
  INFO_SIZE = INFO_LENGTH + 1
};

enum { SHARED_SIZE = 100 };  // of the memory that a group shares

struct pair_view {
  global_const scalar* points;  // COLUMNS columns in random order, NaN beyond the last point
  index n, stride;              // points; numbers of a column
  scalar threshold, chance, parallax, focal[2], rays[4];
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
}

// The first points of the order, a random subset: about `most` of them, a multiple of the widest
// group.
group_fn index pair_subset(const struct pair_view* pair, index most) {
  return pair->stride < most ? pair->stride : most;
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
  WORK_COUNT,  // finite points
  WORK_DONE,   // trials
  WORK_PLAN,   // trials of the next round
  WORK_DISTINCT_INLIERS,
  WORK_DISTINCT_POINTS,
  WORK_SIZE
};
