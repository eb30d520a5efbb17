// SPDX-License-Identifier: BSD-3-Clause
// The gain of one model where the matches have weights; else see score.group.h and score_stages.

// n: all points; seen [4]: weight of the first 128, 256, 512 and 1024 points.
group_fn index weighted_stages(scalar best, const scalar* seen, index n, index* ends,
                               scalar* floors) {
  const scalar all = seen[3];
  index stages = 0;
  if (n > SCORE_POINTS) n = SCORE_POINTS;
  scalar rate = best > 0 ? best / all : (scalar)0;
  if (!IS_EPIPOLAR && rate < (scalar)0.02) rate = (scalar)0.02;
  if (rate > 1) rate = 1;
  for (index end = 128; end < n && stages < 3; end *= 2) {
    scalar hopeless = best - (all - seen[stages]);
    scalar unlikely =
        seen[stages] * rate - (IS_EPIPOLAR ? 4 : 3) * sqrt(seen[stages] * rate * (1 - rate));
    scalar floor = hopeless > unlikely ? hopeless : unlikely;
    ends[stages] = end;
    floors[stages] = floor > -1 ? floor : (scalar)-1;
    ++stages;
  }
  ends[stages] = n;
  floors[stages] = best;
  return stages + 1;
}

group_fn scalar weighted_gain(GROUP_PARAM const scalar* model, global_const scalar* points,
                              global_const scalar* shares, index stride, const scalar* focal,
                              const index* ends, const scalar* floors, index stages,
                              scalar inverse_squared_threshold) {
  real m[12], camera[2];
  for (index i = 0; i < MODEL_SIZE; ++i) m[i] = lane(model[i]);
  for (index i = 0; i < 2; ++i) camera[i] = lane(focal[i]);
  scalar total = 0;
  index begin = 0;
  for (index k = 0; k < stages; ++k) {
    real gain = lane(0);
    group_for(i, ends[k] - begin) {
      real e = problem_error(m, points + begin, stride, camera, i, 0);
      gain += group_load(shares, begin + i) * msac_gain(e, lane(inverse_squared_threshold));
    }
    total += group_sum(gain);
    if (!(total > floors[k])) return -1;
    begin = ends[k];
  }
  return total;
}
