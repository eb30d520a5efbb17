// SPDX-License-Identifier: BSD-3-Clause
// Support of a model, side of the scene, and noise scale, from the errors of the points.

// A model with all constants of its errors, one number per lane. A side [12] determines which
// points can be matches of an epipolar matrix: it is a pose of the cameras, or its replacement if
// the cameras are unknown. The elements from 9 on change sign for the opposite side.
struct lane_model {
  real model[12], side[12], rays[4], focal[2], limit;
};

group_fn void lane_model_set(const struct pair_view* pair, const scalar* model, const scalar* side,
                             struct lane_model* m) {
  for (index i = 0; i < MODEL_SIZE; ++i) m->model[i] = group_same(model[i]);
  scalar near = 1;  // factor of the rays for the focal length of the model
  if_constant(UNKNOWN_FOCAL) near = 1 / uniform_fn(model_focal)(model);
  for (index i = 0; i < 4; ++i) m->rays[i] = group_same(pair->rays[i] * near);
  for (index i = 0; i < 2; ++i) m->focal[i] = group_same(pair->focal[i]);
  if_constant(SIDES > 0) {
    for (index i = 0; i < 12; ++i) m->side[i] = group_same(side[i]);
    m->limit =
        group_same(uniform_fn(side_limit)(side, pair->threshold, pair->parallax) * near * near);
  }
}

// Squared error of the match of point i of image 1 and point i + shift of image 2 (or the scene).
group_fn real shifted_error(const struct lane_model* m, const struct pair_view* pair, index i,
                            index shift) {
  real p[SEEN_COLUMNS];
  point_load(pair->points, pair->stride, i, shift, p);
  return point_error(m->model, p, m->focal);
}

// Squared error of a point. It is NaN for a point on the wrong side, which cannot be a match
// whatever its error; half of the outliers near epipolar lines are on that side.
group_fn real admitted_error_of(const struct lane_model* m, const real* p) {
  real e = point_error(m->model, p, m->focal);
  if_constant(SIDES > 0) {
    mask unsure;
    real side = point_side(m->model, m->side, m->rays, p, m->limit, &unsure);
    e = select((side > lane(0)) | unsure, e, lane_nan());
  }
  return e;
}
group_fn real admitted_error(const struct lane_model* m, const struct pair_view* pair, index i) {
  real p[SEEN_COLUMNS];
  point_load(pair->points, pair->stride, i, 0, p);
  return admitted_error_of(m, p);
}

enum { SUPPORT_SCORE, SUPPORT_INLIERS, SUPPORT_SQUARES, SUPPORT_WEIGHT, SUPPORT_SUMS };

// Sums the first `some` numbers over the members of the group. If the weights are not among them,
// the number of inliers takes the place of their sum.
group_fn void group_support(GROUP_PARAM const real* sums, index some, support_sums* support) {
  scalar all[SUPPORT_SUMS];
  group_sums(sums, some, all);
  support->score = all[SUPPORT_SCORE];
  support->inliers = all[SUPPORT_INLIERS];
  support->squares = all[SUPPORT_SQUARES];
  support->weight = all[some > SUPPORT_WEIGHT ? SUPPORT_WEIGHT : SUPPORT_INLIERS];
}

// Measures the support of a model among the first n points.
group_fn void model_support(GROUP_PARAM const struct pair_view* pair, index n, const scalar* model,
                            const scalar* side, support_sums* support) {
  struct lane_model m;
  real total[SUPPORT_WEIGHT] = {lane(0), lane(0), lane(0)}, t = group_same(pair->threshold),
       heavy = lane(0);
  lane_model_set(pair, model, side, &m);
  struct points_ahead ahead;
  points_open(pair->points, pair->stride, n, &ahead);
  group_for(i, n) {
    real p[SEEN_COLUMNS];
    points_take(&ahead, i, p);
    real e = admitted_error_of(&m, p), u = msac_score(e, t);
    mask inside = u > lane(0);
    if (pair->weighted) {
      real own = group_load(pair->weights, i);
      u = u * own;
      heavy += select(inside, own, lane(0));
    }
    total[SUPPORT_SCORE] += u;
    total[SUPPORT_INLIERS] += select(inside, lane(1), lane(0));
    total[SUPPORT_SQUARES] += select(inside, e, lane(0));
  }
  group_support(GROUP_ARG total, SUPPORT_WEIGHT, support);
  if (pair->weighted) support->weight = group_sum(heavy);
}

// Selects, from SIDES candidates and their opposites, the side with most inliers among the first
// n points.
group_fn void model_side(GROUP_PARAM const struct pair_view* pair, index n, const scalar* model,
                         scalar* side) {
  if_constant(SIDES > 0) {
    scalar sides[12 * SIDES + 1], votes[2 * SIDES + 1];
    real candidates[12 * SIDES + 1], counts[2 * SIDES + 1];
    struct lane_model m;
    uniform_fn(side_candidates)(model, pair->rays, sides);
    lane_model_set(pair, model, sides, &m);
    real threshold = group_same(pair->threshold);
    for (index i = 0; i < 12 * SIDES; ++i) candidates[i] = group_same(sides[i]);
    for (index i = 0; i < 2 * SIDES; ++i) counts[i] = lane(0);
    struct points_ahead ahead;
    points_open(pair->points, pair->stride, n, &ahead);
    group_for(i, n) {
      real p[SEEN_COLUMNS];
      points_take(&ahead, i, p);
      mask unsure, inlier = point_error(m.model, p, m.focal) * threshold < lane(1);
      for (index k = 0; k < SIDES; ++k) {
        real on = point_side(m.model, candidates + 12 * k, m.rays, p, lane(0), &unsure);
        counts[2 * k] += select(inlier & (on > lane(0)), lane(1), lane(0));
        counts[2 * k + 1] += select(inlier & (on < lane(0)), lane(1), lane(0));
      }
    }
    group_sums(counts, 2 * SIDES, votes);
    index best = 0;
    for (index c = 1; c < 2 * SIDES; ++c) best = votes[c] > votes[best] ? c : best;
    for (index i = 0; i < 12; ++i) side[i] = sides[12 * (best / 2) + i];
    for (index i = 9; i < 12; ++i) side[i] = best % 2 ? -side[i] : side[i];
  }
}

// Writes weights [n]: the weights of the points that can be matches of the model, 0 for
// other points.
group_fn void admit_points(GROUP_PARAM const struct pair_view* pair, index n, const scalar* model,
                           const scalar* side, global_ptr scalar* weights) {
  struct lane_model m;
  lane_model_set(pair, model, side, &m);
  struct points_ahead ahead;
  points_open(pair->points, pair->stride, n, &ahead);
  group_for(i, n) {
    real p[SEEN_COLUMNS];
    points_take(&ahead, i, p);
    real e = admitted_error_of(&m, p);
    group_store(weights, i, select(e >= lane(0), point_weight(pair, i), lane(0)), pair->stride);
  }
  group_barrier();
}

// Returns the standard deviation of a coordinate for which the threshold is the usual choice.
group_fn scalar expected_noise(const struct pair_view* pair) {
  return (scalar)0.4 / sqrt(pair->threshold);
}

// Writes the squared errors of the first n points to `errors`; NaN on the wrong side.
group_fn void store_errors(GROUP_PARAM const struct pair_view* pair, index n, const scalar* model,
                           const scalar* side, global_ptr scalar* errors) {
  struct lane_model m;
  lane_model_set(pair, model, side, &m);
  struct points_ahead ahead;
  points_open(pair->points, pair->stride, n, &ahead);
  group_for(i, n) {
    real p[SEEN_COLUMNS];
    points_take(&ahead, i, p);
    group_store(errors, i, admitted_error_of(&m, p), pair->stride);
  }
}

// Estimates the standard deviation of a coordinate's noise, in scoring coordinates, from the errors
// of the first n points, outliers included.
//
// It is the second moment of the errors inside a window of a few standard deviations, minus the
// contribution of outliers, whose density is estimated in a ring around the window. The window is
// adapted to the result: a fixed point as in P. Huber's proposal 2, Robust Statistics, 1981, with
// the moments of a truncated normal distribution.
//
// expected: the scale for a fit (expected_noise). As many residuals of this size as the model has
// parameters are added. Without them, a fit to few matches would take its own residuals for the
// noise and leave correct matches out. 0: the scale of a fitted model's noise, whatever the
// threshold. The parameters of the model are subtracted from the number of residuals; if none is
// left, the result is the last sigma.
//
// sigma: initial value. *matches: receives the number of correct matches, whatever their error. All
// counts are sums of weights. errors [stride]: scratch memory, receives the squared errors.
group_fn scalar noise_scale(GROUP_PARAM const struct pair_view* pair, index n, const scalar* model,
                            const scalar* side, scalar expected, scalar sigma,
                            global_ptr scalar* errors, scalar* matches) {
  enum { WITHIN, SQUARES, AROUND, WINDOW_SUMS };  // in the window; in window and ring
  // The window reaches to 2.5 sigma with one residual per point, and to 3 sigma with two. The ring
  // reaches twice as far.
  const index two = RESIDUALS == 2;
  const scalar reach = two ? (scalar)3 : (scalar)2.5;
  // Fraction of correct matches beyond the window, and variance of a residual inside it.
  const scalar tail = two ? (scalar)0.011108997 : (scalar)0.012419331;
  const scalar variance = two ? (scalar)0.949447 : (scalar)0.911258;
  const scalar ring = two ? (scalar)3 : (scalar)1;  // its area in units of the window's
  const scalar outlier_moment = two ? (scalar)0.5 : (scalar)(1.0 / 3.0);  // in units of window2
  const scalar limit = 1 / pair->threshold;
  *matches = 0;
  store_errors(GROUP_ARG pair, n, model, side, errors);
  for (index round = 0; round < 12; ++round) {
    scalar window2 = reach * reach * sigma * sigma, sums[WINDOW_SUMS];
    real total[WINDOW_SUMS] = {lane(0), lane(0), lane(0)};
    real inner = group_same(window2), outer = group_same(4 * window2);
    group_for(i, n) {
      real e = group_load(errors, i);  // a member reads its own numbers: no barrier
      mask within = e < inner;
      real own = point_weight(pair, i);
      total[WITHIN] += select(within, own, lane(0));
      total[SQUARES] += select(within, own * e, lane(0));
      total[AROUND] += select(e < outer, own, lane(0));
    }
    group_sums(total, WINDOW_SUMS, sums);
    scalar around = sums[AROUND] - sums[WITHIN];
    scalar correct = (sums[WITHIN] - around / ring) / (1 - tail - tail / ring);
    scalar outliers = (around - tail * correct) / ring;
    if (!(correct > 0)) return sigma;
    *matches = correct;
    if (!(outliers > 0)) outliers = 0;
    scalar moment = sums[SQUARES] - outliers * outlier_moment * window2;
    scalar count = (two ? 2 : 1) * variance * (sums[WITHIN] - outliers);
    if (!(expected > 0)) count -= variance * (scalar)DOF;
    if (!(count > 0)) return sigma;
    if (expected > 0) {
      moment += (scalar)DOF * expected * expected;
      count += (scalar)DOF;
    }
    // The second moment in a much too wide window is unreliable, so sigma is at most quartered.
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

// Returns the fraction of outliers that are inliers of the model. Outliers are generated by pairing
// each point of image 1 with the partner of another point. Pairs of two matches that share a point
// are left out, because they may be correct. The rate is measured because it depends on the model:
// a nearly singular homography has every match that starts near a line of image 1 as an inlier.
group_fn scalar chance_rate(GROUP_PARAM const struct pair_view* pair, const scalar* model,
                            const scalar* side) {
  struct lane_model m;
  index shifts = (GENERATED_OUTLIERS + pair->n - 1) / pair->n;
  if (shifts > MOST_SHIFTS) shifts = MOST_SHIFTS;
  if (shifts > pair->n - 1) shifts = pair->n - 1;
  if (shifts < 1) return 0;
  lane_model_set(pair, model, side, &m);
  real counts[2] = {lane(0), lane(0)}, t = group_same(pair->threshold);
  for (index shift = 1; shift <= shifts; ++shift) {
    group_for(i, pair->n) {
      mask same_first = lane(1) > lane(0), same_second = same_first;
      for (index c = 0; c < SEEN_COLUMNS; ++c) {
        global_const scalar* x = pair->points + c * pair->stride;
        mask same = group_load(x, i) == group_load(x, i + shift);
        if (c < 2) same_first = same_first & same;
        if (c >= 2) same_second = same_second & same;
      }
      mask mismatch = !(same_first | same_second);
      real e = shifted_error(&m, pair, i, shift);
      counts[0] += select(mismatch & (e * t < lane(1)), lane(1), lane(0));
      counts[1] += select(mismatch & (e >= lane(0)), lane(1), lane(0));
    }
  }
  scalar sums[2];
  group_sums(counts, 2, sums);
  return sums[0] / (sums[1] > 1 ? sums[1] : 1);
}
