// SPDX-License-Identifier: BSD-3-Clause
// The error models of score.group.h and normal_equations.group.h under one name for each problem.
// points: COLUMNS columns, `stride` numbers from one to the next; focal [2]: of an absolute pose.

// Squared error of the match between point i of image 1 and point i + shift of image 2 (or of the
// scene); shift = 0: of the match as it is, at most 16.
group_fn real problem_error(const real* model, global_const scalar* points, index stride,
                            const real* focal, index i, index shift) {
  global_const scalar* p = points;
  real a = group_load(p, i), b = group_load(p + stride, i);
  p += shift;
  real c = group_load(p + 2 * stride, i), d = group_load(p + 3 * stride, i);
  if_constant(IS_EPIPOLAR) return sampson_squared(model, a, b, c, d);
  if_constant(PROBLEM == HOMOGRAPHY) return transfer_squared(model, a, b, c, d);
  if_constant(PROBLEM == ABSOLUTE_POSE) {
    real X[3] = {c, d, group_load(p + 4 * stride, i)};
    return reprojection_squared(model, a, b, X, focal[0], focal[1]);
  }
  return lane_nan();
}

group_fn scalar problem_gain(GROUP_PARAM const scalar* model, global_const scalar* points,
                             index stride, const scalar* focal, const index* ends,
                             const scalar* floors, index stages, scalar inverse_squared_threshold) {
  global_const scalar* p = points;
  if_constant(IS_EPIPOLAR) {
    return epipolar_gain(GROUP_ARG model, p, p + stride, p + 2 * stride, p + 3 * stride, ends,
                         floors, stages, inverse_squared_threshold);
  }
  if_constant(PROBLEM == HOMOGRAPHY) {
    return transfer_gain(GROUP_ARG model, p, p + stride, p + 2 * stride, p + 3 * stride, ends,
                         floors, stages, inverse_squared_threshold);
  }
  if_constant(PROBLEM == ABSOLUTE_POSE) {
    return reprojection_gain(GROUP_ARG model, p, p + stride, p + 2 * stride, p + 3 * stride,
                             p + 4 * stride, focal, ends, floors, stages,
                             inverse_squared_threshold);
  }
  return -1;
}

group_fn void problem_equations(GROUP_PARAM const scalar* model, global_const scalar* points,
                                index stride, const scalar* focal, index n,
                                scalar inverse_squared_threshold, index smooth,
                                global_const scalar* weights, index weighted, scalar* sums) {
  global_const scalar* p = points;
  if_constant(IS_EPIPOLAR) {
    epipolar_normal_equations(GROUP_ARG model, p, p + stride, p + 2 * stride, p + 3 * stride, n,
                              inverse_squared_threshold, smooth, weights, weighted, sums);
  }
  if_constant(PROBLEM == HOMOGRAPHY) {
    transfer_normal_equations(GROUP_ARG model, p, p + stride, p + 2 * stride, p + 3 * stride, n,
                              inverse_squared_threshold, smooth, weights, weighted, sums);
  }
  if_constant(PROBLEM == ABSOLUTE_POSE) {
    reprojection_normal_equations(GROUP_ARG model, p, p + stride, p + 2 * stride, p + 3 * stride,
                                  p + 4 * stride, focal, n, inverse_squared_threshold, smooth,
                                  weights, weighted, sums);
  }
}

enum { SCORE_POINTS = 1024 };  // of a model from a sample: the first ones of the random order

// Where a model that has to gain more than `best` of the points is given up (score.group.h): where
// it cannot win any more, and where one that would win is as far behind by chance with a
// probability below 3.2e-5 (4 sigma). n: all points. Returns the number of stages, at most 8.
group_fn index score_stages(scalar best, index n, index* ends, scalar* floors) {
  index stages = 0;
  if (n > SCORE_POINTS) n = SCORE_POINTS;
  scalar rate = best > 0 ? best / (scalar)n : (scalar)0;
  // Wrong matches hardly ever agree with a wrong homography or pose: what is worth more trials has
  // some support soon. None of the first 128 matches, or no more than the model's own sample gives
  // of 256, is what a model of 5 % right matches has with a probability of 0.15 %, of 10 % 1e-6.
  if (!IS_EPIPOLAR && rate < (scalar)0.02) rate = (scalar)0.02;
  for (index end = 128; end < n && stages < 7; end *= 2) {
    scalar seen = (scalar)end;
    scalar hopeless = best - ((scalar)n - seen);
    scalar unlikely = seen * rate - (IS_EPIPOLAR ? 4 : 3) * sqrt(seen * rate * (1 - rate));
    scalar floor = hopeless > unlikely ? hopeless : unlikely;
    ends[stages] = end;
    const scalar least = IS_EPIPOLAR ? (scalar)-1 : stages == 0 ? (scalar)0 : (scalar)1;
    floors[stages] = floor > least ? floor : least;
    ++stages;
  }
  ends[stages] = n;
  floors[stages] = best;
  return stages + 1;
}
