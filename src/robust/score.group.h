// SPDX-License-Identifier: BSD-3-Clause
// MSAC gain of one model over all points: the sum of max(0, 1 - e / threshold^2). Points are padded
// with NaN, which gains nothing.
// The points are in random order. After the first ends[k] points the gain has to be above floors[k]
// (the last of the `stages` ends is the number of points); a model that falls behind is
// given up and -1 returned.

// Gain of the points [begin, end) under an epipolar matrix F.
group_fn scalar epipolar_gain_of(GROUP_PARAM const real* F, global_const scalar* x1,
                                 global_const scalar* y1, global_const scalar* x2,
                                 global_const scalar* y2, index begin, index end,
                                 real inverse_squared_threshold) {
  real gain = lane(0);
  group_for(i, end - begin) {
    gain += msac_gain(sampson_squared(F, group_load(x1, begin + i), group_load(y1, begin + i),
                                      group_load(x2, begin + i), group_load(y2, begin + i)),
                      inverse_squared_threshold);
  }
  return group_sum(gain);
}

group_fn scalar epipolar_gain(GROUP_PARAM const scalar* model, global_const scalar* x1,
                              global_const scalar* y1, global_const scalar* x2,
                              global_const scalar* y2, const index* ends, const scalar* floors,
                              index stages, scalar inverse_squared_threshold) {
  real F[9];
  for (index i = 0; i < 9; ++i) F[i] = lane(model[i]);
  scalar total = 0;
  index begin = 0;
  for (index k = 0; k < stages; ++k) {
    total += epipolar_gain_of(GROUP_ARG F, x1, y1, x2, y2, begin, ends[k],
                              lane(inverse_squared_threshold));
    if (!(total > floors[k])) return -1;
    begin = ends[k];
  }
  return total;
}

// The same under a homography.
group_fn scalar transfer_gain_of(GROUP_PARAM const real* H, global_const scalar* x1,
                                 global_const scalar* y1, global_const scalar* x2,
                                 global_const scalar* y2, index begin, index end,
                                 real inverse_squared_threshold) {
  real gain = lane(0);
  group_for(i, end - begin) {
    gain += msac_gain(transfer_squared(H, group_load(x1, begin + i), group_load(y1, begin + i),
                                       group_load(x2, begin + i), group_load(y2, begin + i)),
                      inverse_squared_threshold);
  }
  return group_sum(gain);
}

group_fn scalar transfer_gain(GROUP_PARAM const scalar* model, global_const scalar* x1,
                              global_const scalar* y1, global_const scalar* x2,
                              global_const scalar* y2, const index* ends, const scalar* floors,
                              index stages, scalar inverse_squared_threshold) {
  real H[9];
  for (index i = 0; i < 9; ++i) H[i] = lane(model[i]);
  scalar total = 0;
  index begin = 0;
  for (index k = 0; k < stages; ++k) {
    total += transfer_gain_of(GROUP_ARG H, x1, y1, x2, y2, begin, ends[k],
                              lane(inverse_squared_threshold));
    if (!(total > floors[k])) return -1;
    begin = ends[k];
  }
  return total;
}

// The same under a pose P = (R, t); camera: fx, fy.
group_fn scalar reprojection_gain_of(GROUP_PARAM const real* P, global_const scalar* x,
                                     global_const scalar* y, global_const scalar* X,
                                     global_const scalar* Y, global_const scalar* Z, index begin,
                                     index end, const real* camera,
                                     real inverse_squared_threshold) {
  real gain = lane(0);
  group_for(i, end - begin) {
    real point[3] = {group_load(X, begin + i), group_load(Y, begin + i), group_load(Z, begin + i)};
    gain += msac_gain(reprojection_squared(P, group_load(x, begin + i), group_load(y, begin + i),
                                           point, camera[0], camera[1]),
                      inverse_squared_threshold);
  }
  return group_sum(gain);
}

group_fn scalar reprojection_gain(GROUP_PARAM const scalar* model, global_const scalar* x,
                                  global_const scalar* y, global_const scalar* X,
                                  global_const scalar* Y, global_const scalar* Z,
                                  const scalar* focal, const index* ends, const scalar* floors,
                                  index stages, scalar inverse_squared_threshold) {
  real P[12], camera[2];
  for (index i = 0; i < 12; ++i) P[i] = lane(model[i]);
  for (index i = 0; i < 2; ++i) camera[i] = lane(focal[i]);
  scalar total = 0;
  index begin = 0;
  for (index k = 0; k < stages; ++k) {
    total += reprojection_gain_of(GROUP_ARG P, x, y, X, Y, Z, begin, ends[k], camera,
                                  lane(inverse_squared_threshold));
    if (!(total > floors[k])) return -1;
    begin = ends[k];
  }
  return total;
}
