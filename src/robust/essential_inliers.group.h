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
    if (any(near)) pose_vote(R, t, u1, v1, u2, v2, near, found);
  }
  group_sums(found, 4, counts);
}
