// SPDX-License-Identifier: BSD-3-Clause
// Leaves out points of too much leverage in the last fit. Outliers that lie near their epipolar
// line by chance spoil the fit: they lie anywhere along the line, while correct matches keep to the
// parallax of the scene, and the farther out they are, the more they move the model. The cut is the
// leverage from which on outliers dominate. Their number at each leverage is estimated from a strip
// farther from the line. Without outliers all points are kept.
//   D. Hoaglin, R. Welsch, The hat matrix in regression and ANOVA, Am. Stat. 32(1), 1978.

enum { LEVERAGE_CUTS = 16 };
lane_fn scalar no_leverage_cut(void) { return (scalar)1e30; }

// Computes M [EQUATIONS][EQUATIONS] such that B'M B is the leverage of a residual with derivatives
// B in the elements of the model: M = D A^-1 D' with A = D'N D. leverage_normal computes A,
// leverage_column a column of M, which is 0 if the points do not determine the model.
lane_fn void leverage_normal(const real* N, const real* D, real* A) {
  real ND[EQUATIONS * 8];
  for (index i = 0; i < EQUATIONS; ++i) {
    for (index j = 0; j < DOF; ++j) {
      real sum = lane(0);
      for (index k = 0; k < EQUATIONS; ++k) {
        index packed = i > k ? i * (i + 1) / 2 + k : k * (k + 1) / 2 + i;
        sum += N[packed] * D[DOF * k + j];
      }
      ND[DOF * i + j] = sum;
    }
  }
  for (index i = 0; i < DOF; ++i) {
    for (index j = 0; j <= i; ++j) {
      real sum = lane(0);
      for (index k = 0; k < EQUATIONS; ++k) sum += D[DOF * k + i] * ND[DOF * k + j];
      A[DOF * i + j] = sum;
    }
  }
}
lane_fn void leverage_column(const real* normal, const real* D, index c, real* M) {
  real A[64], x[8];
  for (index i = 0; i < DOF; ++i) {
    for (index j = 0; j <= i; ++j) A[DOF * i + j] = normal[DOF * i + j];
    x[i] = D[DOF * c + i];
  }
  real pivot = ldl_solve(A, x, DOF);
  for (index r = 0; r < EQUATIONS; ++r) {
    real sum = lane(0);
    for (index i = 0; i < DOF; ++i) sum += D[DOF * r + i] * x[i];
    M[r] = select(pivot > lane(1e-14), sum, lane(0));
  }
}

// Returns the squared error of a point and its leverage. F: the model. M: lower triangle with its
// elements below the diagonal doubled, since M is symmetric.
group_fn real point_leverage(const struct pair_view* pair, const real* F, const real* M,
                             const real* p, real* leverage) {
  real B[TERMS], sum = lane(0), focal[2];
  for (index k = 0; k < 2; ++k) focal[k] = group_same(pair->focal[k]);
  real e = point_linearise(F, p, focal, B);
  for (index r = 0; r < EQUATIONS; ++r) {
    real row = M[EQUATIONS * r + r] * B[r];
    for (index k = 0; k < r; ++k) row += M[EQUATIONS * r + k] * B[k];
    sum += row * B[r];
  }
  *leverage = B[EQUATIONS] * sum;
  return e;
}

// Returns the leverage cut, one of LEVERAGE_CUTS multiples of the mean leverage: the multiple above
// which matches near the line are outnumbered most, by weight, by matches of a strip ten times as
// wide. Infinite if they are never outnumbered.
group_fn scalar leverage_cut(GROUP_PARAM const struct pair_view* pair, const real* F, const real* M,
                             scalar mean, scalar sigma, global_const scalar* weights) {
  real counts[2 * LEVERAGE_CUTS], cuts[LEVERAGE_CUTS];
  scalar sums[2 * LEVERAGE_CUTS], cut = mean;
  for (index k = 0; k < LEVERAGE_CUTS; ++k) {
    cuts[k] = group_same(cut);
    cut = cut * (scalar)1.4142135623730951;
    counts[k] = counts[LEVERAGE_CUTS + k] = lane(0);
  }
  const scalar s2 = sigma * sigma;
  real near = group_same(4 * s2), from = group_same(25 * s2), to = group_same(625 * s2);
  struct points_ahead ahead;
  points_open(pair->points, pair->stride, pair->n, &ahead);
  group_for(i, pair->n) {
    real p[SEEN_COLUMNS], h;
    points_take(&ahead, i, p);
    real e = point_leverage(pair, F, M, p, &h);
    real own = group_load(weights, i);
    mask open = own > lane(0);
    mask core = open & (e < near), outer = open & (e > from) & (e < to);
    for (index k = 0; k < LEVERAGE_CUTS; ++k) {
      counts[k] += select(core & (h > cuts[k]), own, lane(0));
      counts[LEVERAGE_CUTS + k] += select(outer & (h > cuts[k]), own, lane(0));
    }
  }
  group_sums(counts, 2 * LEVERAGE_CUTS, sums);
  scalar lowest = 0, best = no_leverage_cut();
  cut = mean;
  for (index k = 0; k < LEVERAGE_CUTS; ++k) {
    scalar excess = sums[k] - sums[LEVERAGE_CUTS + k];
    if (excess < lowest) {
      lowest = excess;
      best = cut;
    }
    cut = cut * (scalar)1.4142135623730951;
  }
  return best;
}

// Returns the weight of the points within the threshold of an epipolar matrix.
group_fn scalar weight_within(GROUP_PARAM const struct pair_view* pair, const scalar* model,
                              const scalar* side, global_const scalar* weights,
                              scalar inverse_squared_threshold) {
  struct lane_model m;
  real sum = lane(0), t = group_same(inverse_squared_threshold);
  lane_model_set(pair, model, side, &m);
  group_for(i, pair->n) {
    mask inside = shifted_error(&m, pair, i, 0) * t < lane(1);
    sum += select(inside, group_load(weights, i), lane(0));
  }
  return group_sum(sum);
}

// Sets the weights of the points above the cut to 0. weights: on entry, the weights of points that
// can be matches of the epipolar matrix `model`, and 0 for other points.
group_fn void cut_leverage(GROUP_PARAM const struct pair_view* pair, const scalar* model,
                           const scalar* side, scalar sigma, global_ptr scalar* weights,
                           local_ptr pair_shared* shared) {
  scalar sums[SUMS];
  const scalar sharp = (scalar)0.25 / (sigma * sigma);
  const struct robust_loss loss = {sharp, 0, 1};
  model_equations(GROUP_ARG model, pair, pair->n, &loss, weights, sums);
  if (group_member() < EQUATIONS) {
    scalar chart[20], D[EQUATIONS * 8], normal[64], column[EQUATIONS];
    uniform_fn(model_open)(model, pair->rays, chart);
    uniform_fn(model_tangent)(chart, pair->rays, D);
    uniform_fn(leverage_normal)(sums, D, normal);
    group_for_each(c, EQUATIONS) {
      uniform_fn(leverage_column)(normal, D, c, column);
      for (index r = 0; r < EQUATIONS; ++r) shared->leverage[EQUATIONS * r + c] = column[r];
    }
  }
  group_barrier();
  real F[MODEL_SIZE], M[EQUATIONS * EQUATIONS];
  for (index i = 0; i < MODEL_SIZE; ++i) F[i] = group_same(model[i]);
  for (index r = 0; r < EQUATIONS; ++r) {
    for (index k = 0; k <= r; ++k) {
      const scalar element = shared->leverage[EQUATIONS * r + k];
      M[EQUATIONS * r + k] = group_same(k < r ? 2 * element : element);
    }
  }
  group_barrier();
  scalar within = sums[SUM_OF_INLIERS];
  if (pair->weighted) within = weight_within(GROUP_ARG pair, model, side, weights, sharp);
  scalar mean = (scalar)DOF / (within + 1);
  scalar cut = leverage_cut(GROUP_ARG pair, F, M, mean, sigma, weights);
  if (!(cut < no_leverage_cut())) return;
  struct points_ahead ahead;
  points_open(pair->points, pair->stride, pair->n, &ahead);
  group_for(i, pair->n) {
    real p[SEEN_COLUMNS], h;
    points_take(&ahead, i, p);
    point_leverage(pair, F, M, p, &h);
    group_store(weights, i, select(h > group_same(cut), lane(0), group_load(weights, i)),
                pair->stride);
  }
  group_barrier();
}
