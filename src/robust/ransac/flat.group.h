// SPDX-License-Identifier: BSD-3-Clause
// Tests whether the inliers lie on one plane. A plane does not determine a shared focal length,
// which then follows from the few outliers within the threshold. The fit itself does not show this.

enum { FLAT_SIZE = 8, FLAT_GRADIENT = 36, FLAT_SUMS = FLAT_GRADIENT + FLAT_SIZE };

// Solves the packed lower triangle and gradient [FLAT_SUMS] for a map [9] with last element 1.
// Returns 0 if the equations are singular.
lane_fn real flat_solve(const real* sums, real* map) {
  real A[FLAT_SIZE * FLAT_SIZE];
  for (index k = 0, packed = 0; k < FLAT_SIZE; ++k) {
    for (index l = 0; l <= k; ++l, ++packed) A[FLAT_SIZE * k + l] = sums[packed];
    map[k] = sums[FLAT_GRADIENT + k];
  }
  map[8] = lane(1);
  return select(ldl_solve(A, map, FLAT_SIZE) > lane(1e-14), lane(1), lane(0));
}

// Improves the map of the inliers of m among the first n points, by linear least squares with the
// weight 1 / (1 + cut e)^2 for a squared error e, or equal weights if is_first. Returns 0 if the
// equations are singular.
group_fn index flat_step(GROUP_PARAM const struct pair_view* pair, index n,
                         const struct lane_model* m, index is_first, scalar cut, scalar* map) {
  scalar sums[FLAT_SUMS];
  real H[9], total[FLAT_SUMS], t = group_same(pair->threshold), limit = group_same(cut);
  for (index i = 0; i < 9; ++i) H[i] = group_same(map[i]);
  for (index i = 0; i < FLAT_SUMS; ++i) total[i] = lane(0);
  group_for(i, n) {
    real p[SEEN_COLUMNS];
    point_load(pair->points, pair->stride, i, 0, p);
    real w =
        select(point_error(m->model, p, m->focal) * t < lane(1), point_weight(pair, i), lane(0));
    if (!is_first) {
      real near = lane(1) + limit * transfer_squared(H, p[0], p[1], p[2], p[3]);
      real depth = H[6] * p[0] + H[7] * p[1] + lane(1);
      w = w / (near * near * depth * depth);
    }
    w = select(w > lane(0), w, lane(0));  // NaN: a point at infinity
    for (index row = 0; row < 2; ++row) {
      real a[FLAT_SIZE], seen = masked(w, p[2 + row]);
      for (index k = 0; k < 6; ++k) a[k] = lane(0);
      a[3 * row] = masked(w, p[0]);
      a[3 * row + 1] = masked(w, p[1]);
      a[3 * row + 2] = lane(1);
      a[6] = -seen * a[3 * row];
      a[7] = -seen * a[3 * row + 1];
      for (index k = 0, packed = 0; k < FLAT_SIZE; ++k) {
        real wa = w * a[k];
        for (index l = 0; l <= k; ++l, ++packed) total[packed] += wa * a[l];
        total[FLAT_GRADIENT + k] += wa * seen;
      }
    }
  }
  group_sums(total, FLAT_SUMS, sums);
  return uniform_fn(flat_solve)(sums, map) > 0;
}

// Returns 1 if a plane (or a rotation) explains the inliers of the epipolar matrix (model, side).
group_fn index pair_is_flat(GROUP_PARAM const struct pair_view* pair, const scalar* model,
                            const scalar* side, scalar noise, scalar chance) {
  struct lane_model m;
  scalar map[9];
  index n = pair_subset(pair, ROTATION_POINTS);
  for (index i = 0; i < 9; ++i) map[i] = 0;
  lane_model_set(pair, model, side, &m);
  for (index k = 0; k < 8; ++k) {
    const scalar t = pair->threshold, cut = k < 3 ? t / 256 : k < 5 ? t / 16 : t;
    if (!flat_step(GROUP_ARG pair, n, &m, k == 0, cut, map)) return 0;
  }
  if (!map_explains(GROUP_ARG pair, n, &m, map, noise, chance)) return 0;
  if (n == pair->n) return 1;
  n = pair->n;
  for (index k = 0; k < 2; ++k)
    if (!flat_step(GROUP_ARG pair, n, &m, 0, pair->threshold, map)) return 0;
  return map_explains(GROUP_ARG pair, n, &m, map, noise, chance);
}
