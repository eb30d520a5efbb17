// SPDX-License-Identifier: BSD-3-Clause
// The number of iterations needed when samples of the best matches are drawn first. The support of
// the model among the best half, quarter, ... of the matches determines how often samples drawn
// from these are free of outliers.

group_fn index level_size(index n, index level) { return (n + (1 << level) - 1) >> level; }

// log of the probability that a sample contains an outlier.
group_fn scalar failure_log(scalar rate) {
  scalar clean = 1;
  for (index i = 0; i < SAMPLE_SIZE; ++i) clean *= rate;
  if (!(clean > (scalar)1e-15)) return 0;
  if (clean > (scalar)(1 - 1e-15)) clean = (scalar)(1 - 1e-15);
  return scalar_log(1 - clean);
}

// Computes rates [QUALITY_LEVELS], the fraction of correct matches at each level. It is 0 if the
// model has no more inliers there than chance gives (see score_beats_chance). boost: estimated
// correct matches per inlier.
group_fn void quality_rates(GROUP_PARAM const struct pair_view* pair, const scalar* model,
                            const scalar* side, scalar boost, global_ptr double* rates) {
  struct lane_model m;
  real counts[2 * QUALITY_LEVELS], t = group_same(pair->threshold);
  scalar sums[2 * QUALITY_LEVELS];
  lane_model_set(pair, model, side, &m);
  for (index k = 0; k < 2 * QUALITY_LEVELS; ++k) counts[k] = lane(0);
  group_for(i, pair->n) {
    mask inside = admitted_error(&m, pair, i) * t < lane(1);
    real rank = group_load(pair->ranks, i), own = point_weight(pair, i);
    for (index k = 0; k < QUALITY_LEVELS; ++k) {
      mask within = rank < lane(level_size(pair->n, k));
      counts[k] += select(within & inside, own, lane(0));
      counts[QUALITY_LEVELS + k] += select(within, own, lane(0));
    }
  }
  group_sums(counts, 2 * QUALITY_LEVELS, sums);
  if (!group_leads()) return;
  for (index k = 0; k < QUALITY_LEVELS; ++k) {
    const scalar all = sums[QUALITY_LEVELS + k], by_chance = all * pair->chance;
    const scalar rate = sums[k] * boost / all;
    const index proven = sums[k] > (scalar)FREE_MATCHES + 4 + by_chance + 4 * sqrt(by_chance);
    rates[k] = !proven ? 0 : rate < 1 ? rate : 1;
  }
}

// Returns the number of samples until one is free of outliers, when every second one is drawn from
// the best matches (prior_draw). rate: fraction of correct matches among all.
group_fn scalar quality_iterations_needed(const struct pair_view* pair, global_const double* rates,
                                          scalar rate, scalar log_failure, scalar most) {
  const scalar of_all = failure_log(rate);
  scalar sum = 0, behind = 0;  // pairs of samples so far: log of failure, number
  for (index k = QUALITY_LEVELS - 1; k >= 0; --k) {
    const index size = level_size(pair->n, k);
    if (size < SAMPLE_SIZE) continue;
    // The growing samples are drawn within this level up to `end`.
    scalar end = (scalar)(size - SAMPLE_SIZE + 1);
    const scalar grown =
        (scalar)((double)GROWTH_ITERATIONS * (samples_of(size) / samples_of(pair->n)));
    if (grown > end) end = grown;
    const scalar each = of_all + failure_log((scalar)rates[k]), steps = end - behind;
    if (sum + steps * each <= log_failure) {
      const scalar needed = 2 * (behind + (log_failure - sum) / each);
      return needed < most ? needed : most;
    }
    sum += steps * each;
    behind = end;
  }
  if (!(of_all < 0)) return most;
  const scalar needed = 2 * behind + (log_failure - sum) / of_all;
  return needed < most ? needed : most;
}
