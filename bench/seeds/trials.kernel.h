// SPDX-License-Identifier: BSD-3-Clause
// The kernels of trials.kernels, and readers for the layout described there.

// Draws SAMPLE_SIZE different points of trial first + i: equal on every device.
map_kernel(draw_trials, i, DRAW_TRIALS) {
  index sample[SAMPLE_SIZE];
  sample_draw((bits32)seed, 0u, (bits32)(first + i), point_count, SAMPLE_SIZE, 0, 0, sample);
  for (index k = 0; k < SAMPLE_SIZE; ++k) {
    drawn[k * trials + i] = sample[k];
    for (index c = 0; c < 4; ++c)
      samples[(SAMPLE_SIZE * c + k) * trials + i] = points[c * stride + sample[k]];
  }
}

// `chosen` gets index and number of inliers of the model with most inliers, the first of equals.
group_kernel(choose_trial, g, CHOOSE_TRIAL) {
  (void)g;  // one group
  index most = -1, at = 0;
  group_for(i, model_count) {
    index more = inliers[i] > most;
    at = more ? i : at;
    most = more ? inliers[i] : most;
  }
  const index highest = group_max_int(most);
  const index best = -group_max_int(most == highest ? -at : -model_count);
  if (!group_leads()) return;
  chosen[0] = best;
  chosen[1] = highest;
  for (index k = 0; k < 9; ++k) model[k] = models[(best / trials * 9 + k) * trials + best % trials];
}
