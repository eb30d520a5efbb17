// SPDX-License-Identifier: BSD-3-Clause
// How many points are inliers of an essential matrix: nearer to it than a threshold (Sampson), and
// in front of both cameras. That depends on which of E's four poses is meant, so there is a count
// for each: counts[4] under (R0, t), (R0, -t), (R1, t), (R1, -t) of pose_candidates. Points are
// rays, padded with NaN, which is no inlier; a model of NaN has none.
group_fn void essential_inliers(GROUP_PARAM const scalar* model, global_const scalar* x1,
                                global_const scalar* y1, global_const scalar* x2,
                                global_const scalar* y2, index n, scalar squared_threshold,
                                scalar* counts) {
  for (index k = 0; k < 4; ++k) counts[k] = 0;
  // A sample has fewer solutions than slots for them: most models are NaN.
  if (!(model[0] == model[0])) return;
  real E[9], R[18], t[3], found[4];
  for (index k = 0; k < 9; ++k) E[k] = lane(model[k]);
  pose_candidates(E, R, t);
  for (index k = 0; k < 4; ++k) found[k] = lane(0);
  real limit = lane(squared_threshold);
  group_for(i, n) {
    real u1 = group_load(x1, i), v1 = group_load(y1, i);
    real u2 = group_load(x2, i), v2 = group_load(y2, i);
    mask near = sampson_within(E, u1, v1, u2, v2, limit);
    // Few points are near a wrong E.
    if (any(near)) {
      for (index c = 0; c < 2; ++c) {
        real z1, z2;
        ray_depths(R + 9 * c, t, u1, v1, u2, v2, &z1, &z2);
        mask in_front = near & (z1 > lane(0)) & (z2 > lane(0));
        mask behind = near & (z1 < lane(0)) & (z2 < lane(0));  // in front with -t
        found[2 * c] += select(in_front, lane(1), lane(0));
        found[2 * c + 1] += select(behind, lane(1), lane(0));
      }
    }
  }
  for (index k = 0; k < 4; ++k) counts[k] = group_sum(found[k]);
}
