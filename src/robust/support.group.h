// SPDX-License-Identifier: BSD-3-Clause
// What a model's errors say: its support, the camera's side of the points, the scale of the noise.

// A model with all that its errors need, one number a lane. pose: see model_pose.
struct lane_model {
  real model[12], pose[12], rays[4], focal[2], parallax;
};

group_fn void lane_model_set(const struct pair_view* pair, const scalar* model, const scalar* pose,
                             struct lane_model* m) {
  for (index i = 0; i < MODEL_SIZE; ++i) m->model[i] = group_same(model[i]);
  if_constant(IS_EPIPOLAR) {
    for (index i = 0; i < 12; ++i) m->pose[i] = group_same(pose[i]);
  }
  for (index i = 0; i < 4; ++i) m->rays[i] = group_same(pair->rays[i]);
  for (index i = 0; i < 2; ++i) m->focal[i] = group_same(pair->focal[i]);
  m->parallax = group_same(pair->parallax);
  if_constant(PROBLEM == FUNDAMENTAL) {
    m->parallax = group_same(9 / pair->threshold * pose[2] * pose[2]);
  }
}

// Squared error of point i; NaN for one that cannot be a match whatever its error, because it lies
// behind a camera (E) or on the wrong side of the epipole (F): half of the wrong matches on
// epipolar lines.
group_fn real admitted_error(const struct lane_model* m, const struct pair_view* pair, index i) {
  real e = problem_error(m->model, pair->points, pair->stride, m->focal, i, 0);
  if_constant(PROBLEM == ESSENTIAL) {
    global_const scalar* p = pair->points;
    const index stride = pair->stride;
    mask admitted = pose_admits(m->pose, m->pose + 9, m->rays[0] * group_load(p, i),
                                m->rays[1] * group_load(p + stride, i),
                                m->rays[2] * group_load(p + 2 * stride, i),
                                m->rays[3] * group_load(p + 3 * stride, i), m->parallax);
    e = select(admitted, e, lane_nan());
  }
  if_constant(PROBLEM == FUNDAMENTAL) {
    global_const scalar* p = pair->points;
    const index stride = pair->stride;
    real near2;
    real side = epipolar_side(m->model, m->pose, group_load(p, i), group_load(p + stride, i),
                              group_load(p + 2 * stride, i), group_load(p + 3 * stride, i), &near2);
    e = select((side * m->pose[3] > lane(0)) | (near2 < m->parallax), e, lane_nan());
  }
  return e;
}

// sums [4]: MSAC gain, inliers, their squared errors, and their weight over the first n points.
group_fn void model_support(GROUP_PARAM const struct pair_view* pair, index n, const scalar* model,
                            const scalar* pose, scalar* sums) {
  struct lane_model m;
  real total[3] = {lane(0), lane(0), lane(0)}, t = group_same(pair->threshold), heavy = lane(0);
  lane_model_set(pair, model, pose, &m);
  group_for(i, n) {
    real e = admitted_error(&m, pair, i), u = msac_gain(e, t);
    mask inside = u > lane(0);
    if (pair->weighted) {
      real own = group_load(pair->shares, i);
      u = u * own;
      heavy += select(inside, own, lane(0));
    }
    total[0] += u;
    total[1] += select(inside, lane(1), lane(0));
    total[2] += select(inside, e, lane(0));
  }
  group_sums(total, 3, sums);
  sums[3] = sums[1];
  if (pair->weighted) sums[3] = group_sum(heavy);
}

// The pose of an essential matrix, given as a model: the one of four that has the most inliers
// among the first n points in front of both cameras.
group_fn void essential_pose(GROUP_PARAM const struct pair_view* pair, index n, const scalar* model,
                             scalar* pose) {
  scalar E[9], scale[9], R[18], base[3], votes[4];
  uniform_fn(ray_scale)(pair->rays, scale);
  for (index i = 0; i < 9; ++i) E[i] = model[i] / scale[i];
  uniform_fn(pose_candidates)(E, R, base);
  real F[9], turns[18], t[3], rays[4], counts[4];
  for (index i = 0; i < 9; ++i) F[i] = group_same(model[i]);
  for (index i = 0; i < 18; ++i) turns[i] = group_same(R[i]);
  for (index i = 0; i < 3; ++i) t[i] = group_same(base[i]);
  for (index i = 0; i < 4; ++i) {
    rays[i] = group_same(pair->rays[i]);
    counts[i] = lane(0);
  }
  real threshold = group_same(pair->threshold);
  group_for(i, n) {
    global_const scalar* p = pair->points;
    real x1 = group_load(p, i), y1 = group_load(p + pair->stride, i);
    real x2 = group_load(p + 2 * pair->stride, i), y2 = group_load(p + 3 * pair->stride, i);
    mask inlier = sampson_squared(F, x1, y1, x2, y2) * threshold < lane(1);
    pose_vote(turns, t, rays[0] * x1, rays[1] * y1, rays[2] * x2, rays[3] * y2, inlier, counts);
  }
  group_sums(counts, 4, votes);
  index best = 0;
  for (index c = 1; c < 4; ++c) best = votes[c] > votes[best] ? c : best;
  for (index i = 0; i < 9; ++i) pose[i] = R[9 * (best / 2) + i];
  for (index i = 0; i < 3; ++i) pose[9 + i] = best % 2 ? -base[i] : base[i];
}

// The epipole and the sign of epipolar_side that most inliers have: `pose` of a fundamental matrix.
group_fn void fundamental_sides(GROUP_PARAM const struct pair_view* pair, index n,
                                const scalar* model, scalar* pose) {
  scalar T[9];
  for (index i = 0; i < 9; ++i) T[i] = model[3 * (i % 3) + i / 3];
  uniform_fn(rank2_null)(T, pose);
  real F[9], e[3], votes = lane(0), threshold = group_same(pair->threshold);
  for (index i = 0; i < 9; ++i) F[i] = group_same(model[i]);
  for (index i = 0; i < 3; ++i) e[i] = group_same(pose[i]);
  group_for(i, n) {
    global_const scalar* p = pair->points;
    real x1 = group_load(p, i), y1 = group_load(p + pair->stride, i), near2;
    real x2 = group_load(p + 2 * pair->stride, i), y2 = group_load(p + 3 * pair->stride, i);
    mask inlier = sampson_squared(F, x1, y1, x2, y2) * threshold < lane(1);
    real side = epipolar_side(F, e, x1, y1, x2, y2, &near2);
    votes += select(inlier, select(side > lane(0), lane(1), lane(-1)), lane(0));
  }
  pose[3] = group_sum(votes) < 0 ? -1 : 1;
  for (index i = 4; i < 12; ++i) pose[i] = 0;
}

// What tells the points that can be matches of a model from the others.
group_fn void model_pose(GROUP_PARAM const struct pair_view* pair, index n, const scalar* model,
                         scalar* pose) {
  if_constant(PROBLEM == ESSENTIAL) essential_pose(GROUP_ARG pair, n, model, pose);
  if_constant(PROBLEM == FUNDAMENTAL) fundamental_sides(GROUP_ARG pair, n, model, pose);
}

// weights [n]: own ones for the points that can be matches of the model, else 0.
group_fn void admit_points(GROUP_PARAM const struct pair_view* pair, index n, const scalar* model,
                           const scalar* pose, global_ptr scalar* weights) {
  struct lane_model m;
  lane_model_set(pair, model, pose, &m);
  group_for(i, n) {
    real e = admitted_error(&m, pair, i);
    group_store(weights, i, select(e >= lane(0), point_share(pair, i), lane(0)), pair->stride);
  }
  group_barrier();
}

// Of the noise, the standard deviation of a coordinate that the threshold is made for.
group_fn scalar expected_noise(const struct pair_view* pair) {
  return (scalar)0.4 / sqrt(pair->threshold);
}

// Standard deviation of a coordinate's noise, in scoring coordinates, from the errors of the first
// n points, wrong matches included: the second moment of the errors inside a window of a few
// standard deviations, less the share of wrong matches, whose density a ring around the window
// tells; the window follows the result (a fixed point as in P. Huber's proposal 2, Robust
// Statistics, 1981, with the moments of a truncated normal distribution), beside as many residuals
// of the noise that the threshold is made for as the model has parameters: without them a fit to
// few matches takes its own residuals for the noise, and leaves right matches out. `sigma`: where
// to start. *matches: how many of the points are right matches, whatever their error. All by
// weight.
group_fn scalar noise_scale(GROUP_PARAM const struct pair_view* pair, index n, const scalar* model,
                            const scalar* pose, scalar sigma, scalar* matches) {
  // One residual a point: window 2.5 sigma, else two: 3 sigma; the ring reaches twice as far.
  const index two = !IS_EPIPOLAR;
  const scalar reach = two ? (scalar)3 : (scalar)2.5;
  // Share of the right matches beyond the window; variance of those inside, a residual.
  const scalar tail = two ? (scalar)0.011108997 : (scalar)0.012419331;
  const scalar variance = two ? (scalar)0.949447 : (scalar)0.911258;
  const scalar ring = two ? (scalar)3 : (scalar)1;  // its measure against the window's
  const scalar wrong_moment = two ? (scalar)0.5 : (scalar)(1.0 / 3.0);  // of the window's square
  struct lane_model m;
  lane_model_set(pair, model, pose, &m);
  const scalar limit = 1 / pair->threshold, expected = expected_noise(pair);
  *matches = 0;
  for (index round = 0; round < 12; ++round) {
    scalar window2 = reach * reach * sigma * sigma, sums[3];
    real total[3] = {lane(0), lane(0), lane(0)};
    real inner = group_same(window2), outer = group_same(4 * window2);
    group_for(i, n) {
      real e = admitted_error(&m, pair, i);
      mask within = e < inner;
      if (pair->weighted) {
        real own = group_load(pair->shares, i);
        total[0] += select(within, own, lane(0));
        total[1] += select(within, own * e, lane(0));
        total[2] += select(e < outer, own, lane(0));
        continue;
      }
      total[0] += select(within, lane(1), lane(0));
      total[1] += select(within, e, lane(0));
      total[2] += select(e < outer, lane(1), lane(0));
    }
    group_sums(total, 3, sums);
    scalar around = sums[2] - sums[0];
    scalar right = (sums[0] - around / ring) / (1 - tail - tail / ring);
    scalar wrong = (around - tail * right) / ring;
    if (!(right > 0)) return sigma;
    *matches = right;
    if (!(wrong > 0)) wrong = 0;
    scalar moment = sums[1] - wrong * wrong_moment * window2;
    scalar count = (two ? 2 : 1) * variance * (sums[0] - wrong);
    if (!(count > 0)) return sigma;
    moment += (scalar)DOF * expected * expected;
    count += (scalar)DOF;
    // Errors far below the window drown in the wrong matches' share: a quarter of the window next.
    scalar next2 = moment / count, least = sigma * sigma / 16;
    if (!(next2 > least)) next2 = least;
    // Between a millionth and one and a half thresholds.
    if (next2 < (scalar)1e-12 * limit) next2 = (scalar)1e-12 * limit;
    if (next2 > (scalar)2.25 * limit) next2 = (scalar)2.25 * limit;
    scalar change = next2 / (sigma * sigma);
    sigma = sqrt(next2);
    if (change > (scalar)0.98 && change < (scalar)1.02) break;
  }
  return sigma;
}
