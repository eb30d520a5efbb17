// SPDX-License-Identifier: BSD-3-Clause
// How many points are inliers of a model: nearer to it than a threshold, by the same distances as
// the gains of score.group.h. Points are padded with NaN, which is no inlier; a model of NaN has
// none.
group_fn scalar transfer_inliers(GROUP_PARAM const scalar* model, global_const scalar* x1,
                                 global_const scalar* y1, global_const scalar* x2,
                                 global_const scalar* y2, index n, scalar squared_threshold) {
  real H[9];
  for (index i = 0; i < 9; ++i) H[i] = lane(model[i]);
  real count = lane(0), limit = lane(squared_threshold);
  group_for(i, n) {
    mask inlier = transfer_within(H, group_load(x1, i), group_load(y1, i), group_load(x2, i),
                                  group_load(y2, i), limit);
    count += select(inlier, lane(1), lane(0));
  }
  return group_sum(count);
}
