// SPDX-License-Identifier: BSD-3-Clause
// The kernels of homography_trials.kernels.
map_kernel(sample_equations, i, SAMPLE_EQUATIONS) {
  real sample[16], rows[72], normal[6];
  for (index r = 0; r < 16; ++r) sample[r] = group_load(samples + r * trials, i);
  mask valid =
      homography_system(sample, sample + 4, sample + 8, sample + 12, rows, normal, normal + 3);
  for (index e = 0; e < 72; ++e)
    group_store(equations + e * trials, i, select(valid, rows[e], lane_nan()), trials);
  for (index k = 0; k < 6; ++k) group_store(normals + k * trials, i, normal[k], trials);
}

map_kernel(singular_homographies, i, SINGULAR_HOMOGRAPHIES) {
  real vector[9], normal[6], model[9], norm2 = lane(0), second = lane(0);
  for (index k = 0; k < 9; ++k) {
    vector[k] = group_load(vectors + (9 * k + 8) * trials, i);
    second = group_load(values + k * trials, i);
    norm2 += second * second;
  }
  second = group_load(values + 7 * trials, i);
  for (index k = 0; k < 6; ++k) normal[k] = group_load(normals + k * trials, i);
  homography_of_vector(vector, second / sqrt(norm2), normal, normal + 3, model);
  for (index k = 0; k < 9; ++k) group_store(H + k * trials, i, model[k], trials);
}

// Counts points whose transfer error is below the threshold: one group per model. A model of NaN
// has no inliers, and points are padded with NaN.
group_kernel(transfer_inliers, g, TRANSFER_INLIERS) {
  real model[9], count = lane(0), limit = lane(squared_threshold);
  for (index k = 0; k < 9; ++k) model[k] = group_same(H[k * trials + g]);
  group_for(i, stride) {
    mask inlier = transfer_within(model, group_load(points, i), group_load(points + stride, i),
                                  group_load(points + 2 * stride, i),
                                  group_load(points + 3 * stride, i), limit);
    count += select(inlier, lane(1), lane(0));
  }
  scalar total = group_sum(count);
  if (group_leads()) inliers[g] = (int)total;
}
