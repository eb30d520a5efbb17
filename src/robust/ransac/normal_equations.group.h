// SPDX-License-Identifier: BSD-3-Clause
// Gauss-Newton normal equations of the robust score, summed over all points (robust_weight.lane.h:
// sharp or smooth).

enum {
  GRADIENT = EQUATIONS * (EQUATIONS + 1) / 2,  // offset of the half gradient
  SUM_OF_SCORES = GRADIENT + EQUATIONS,
  SUM_OF_INLIERS,  // number of inliers
  SUM_OF_SQUARES,  // sum of squared errors of the inliers
  SUMS
};

// The robust score of a point, sharp or smooth, times its weight if `weighted`.
struct robust_loss {
  scalar threshold;  // 1 / threshold^2
  index smooth, weighted;
};

// Computes out [SUMS] for the first n points: the packed lower triangle N [GRADIENT] and half
// gradient g [EQUATIONS] of the weighted sum of squared errors, then the sums named above. weights:
// one per point, read if loss->weighted. They are not a member of robust_loss, because NVIDIA's
// OpenCL compiler gave different results for the 68 sums of radial_fundamental when it loaded the
// pointer from a struct.
group_fn void model_equations(GROUP_PARAM const scalar* model, const struct pair_view* pair,
                              index n, const struct robust_loss* loss, global_const scalar* weights,
                              scalar* out) {
  real m[MODEL_SIZE], camera[2], sums[SUMS];
  for (index k = 0; k < MODEL_SIZE; ++k) m[k] = lane(model[k]);
  for (index k = 0; k < 2; ++k) camera[k] = lane(pair->focal[k]);
  for (index k = 0; k < SUMS; ++k) sums[k] = lane(0);
  real t = lane(loss->threshold);
  mask is_smooth = lane(loss->smooth) > lane(0);
  struct points_ahead ahead;
  points_open(pair->points, pair->stride, n, &ahead);
  group_for(i, n) {
    real p[SEEN_COLUMNS], terms[TERMS], w;
    points_take(&ahead, i, p);
    real e = point_linearise(m, p, camera, terms);
    real score = robust_weight(e, t, is_smooth, &w);
    if (loss->weighted) {
      real own = group_load(weights, i);
      w = w * own;
      score = score * own;
    }
    if (group_worth(w > lane(0))) {
      point_accumulate(terms, w, sums, sums + GRADIENT);
      sums[SUM_OF_SCORES] += score;
      sums[SUM_OF_INLIERS] += masked(w, lane(1));
      sums[SUM_OF_SQUARES] += masked(w, e);
    }
  }
  // group_sums takes at most 64 numbers at once.
  if_constant(SUMS <= 64) group_sums(sums, SUMS, out);
  if_constant(SUMS > 64) {
    group_sums(sums, 64, out);
    group_sums(sums + 64, SUMS - 64, out + 64);
  }
}
