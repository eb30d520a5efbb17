// SPDX-License-Identifier: BSD-3-Clause
// MSAC score of one model: the sum of max(0, 1 - e / threshold^2) over all points, times their
// weights if given. Points are in random order and padded with NaN, which scores 0.

// Loads point i of `points` (COLUMNS columns of `stride` elements) into p [SEEN_COLUMNS]. With a
// shift, loads point i of image 1 and point i + shift of image 2 (or of the scene).
group_fn void point_load(global_const scalar* points, index stride, index i, index shift, real* p) {
  lane_unroll for (index c = 0; c < SEEN_COLUMNS; ++c) {
    p[c] = group_load(points + c * stride, c < 2 ? i : i + shift);
  }
}

// Loads the points of a loop group_for(i, n) in order. A GPU loads its next point while it
// processes the current one.
struct points_ahead {
  global_const scalar* points;
  index stride, n;
  real next[SEEN_COLUMNS];
};
group_fn void points_open(global_const scalar* points, index stride, index n,
                          struct points_ahead* a) {
  a->points = points;
  a->stride = stride;
  a->n = n;
  if_constant(GROUP_READS_AHEAD) {
    const index first = (index)group_member();
    point_load(points, stride, first < n ? first : 0, 0, a->next);
  }
}
group_fn void points_take(struct points_ahead* a, index i, real* p) {
  if_constant(GROUP_READS_AHEAD) {
    const index after = i + group_width;
    for (index c = 0; c < SEEN_COLUMNS; ++c) p[c] = a->next[c];
    point_load(a->points, a->stride, after < a->n ? after : i, 0, a->next);
  }
  if_constant(!GROUP_READS_AHEAD) point_load(a->points, a->stride, i, 0, p);
}

group_fn real point_score(const real* model, global_const scalar* points, index stride,
                          const real* focal, index i, real inverse_squared_threshold) {
  real p[SEEN_COLUMNS];
  point_load(points, stride, i, 0, p);
  return msac_score(point_error(model, p, focal), inverse_squared_threshold);
}

// The stages of a score: after the first ends[k] points the score must exceed floors[k]. The last
// end is the number of points.
struct score_plan {
  index ends[8];
  scalar floors[8];
};

// Returns the score of a model, or -1 if a stage rejects it.
group_fn scalar model_score(GROUP_PARAM const scalar* model, const struct pair_view* pair,
                            const struct score_plan* plan, index stages) {
  real m[MODEL_SIZE], camera[2], t = lane(pair->threshold);
  for (index i = 0; i < MODEL_SIZE; ++i) m[i] = lane(model[i]);
  for (index i = 0; i < 2; ++i) camera[i] = lane(pair->focal[i]);
  scalar total = 0;
  index begin = 0;
  for (index k = 0; k < stages; ++k) {
    real score = lane(0);
    const index end = plan->ends[k];
    if (pair->weighted) {
      group_for(i, end - begin) {
        real own = group_load(pair->weights, begin + i);
        score += own * point_score(m, pair->points + begin, pair->stride, camera, i, t);
      }
    } else {
      group_for(i, end - begin) {
        score += point_score(m, pair->points + begin, pair->stride, camera, i, t);
      }
    }
    total += group_sum(score);
    if (!(total > plan->floors[k])) return -1;
    begin = end;
  }
  return total;
}

// Plans the stages at which a model that must score more than `best` is rejected. It is rejected if
// it can no longer reach `best`, or if a model that reaches `best` would score as little so far
// with a probability below 3.2e-5 (4 sigma). n: number of points; seen [4]: weight of the first
// 128, 256, 512 and 1024 points, read if `weighted` is 1. Returns the number of stages, at most 8.
group_fn index score_stages(scalar best, index n, const scalar* seen, index weighted,
                            struct score_plan* plan) {
  // If outliers are rarely inliers of a wrong model, a good model has some support early. A model
  // of 5 % correct matches has no inlier among the first 128 points, or only its own sample among
  // 256, with a probability of 0.15 %; a model of 10 % with 1e-6.
  const index most = weighted ? 3 : 7;
  index stages = 0;
  if (n > SCORE_POINTS) n = SCORE_POINTS;
  const scalar all = weighted ? seen[3] : (scalar)n;
  scalar rate = best > 0 ? best / all : (scalar)0;
  if (!HAS_CHANCE_INLIERS && rate < (scalar)0.02) rate = (scalar)0.02;
  if (rate > 1) rate = 1;
  for (index end = 128; end < n && stages < most; end *= 2) {
    const scalar part = weighted ? seen[stages] : (scalar)end;
    scalar hopeless = best - (all - part);
    scalar unlikely = part * rate - (HAS_CHANCE_INLIERS ? 4 : 3) * sqrt(part * rate * (1 - rate));
    scalar floor = hopeless > unlikely ? hopeless : unlikely;
    const scalar least = HAS_CHANCE_INLIERS || weighted ? (scalar)-1
                         : stages == 0                  ? (scalar)0
                                                        : (scalar)1;
    plan->ends[stages] = end;
    plan->floors[stages] = floor > least ? floor : least;
    ++stages;
  }
  plan->ends[stages] = n;
  plan->floors[stages] = best;
  return stages + 1;
}
