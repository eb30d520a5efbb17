// SPDX-License-Identifier: BSD-3-Clause
// Priors (priors.hpp), in plain numbers.

// W: whitening of a prior; r = W (X - position).
group_fn void prior_load(global_const scalar* positions, global_const scalar* whitenings,
                         index prior, global_const scalar* X, scalar* W, scalar* r) {
  scalar shift[3];
  lane_unroll for (index k = 0; k < 3; ++k) shift[k] = X[k] - positions[3 * prior + k];
  lane_unroll for (index k = 0; k < 9; ++k) W[k] = whitenings[9 * prior + k];
  lane_unroll for (index k = 0; k < 3; ++k) {
    r[k] = W[3 * k] * shift[0] + W[3 * k + 1] * shift[1] + W[3 * k + 2] * shift[2];
  }
}
// out: cost and weight of J'J, both times `weight`.
group_fn void prior_loss(const scalar* r, index loss, scalar loss_scale, scalar weight,
                         scalar* out) {
  real rho[2];
  const scalar scale2 = loss_scale * loss_scale;
  loss_terms(loss, lane((r[0] * r[0] + r[1] * r[1] + r[2] * r[2]) / scale2), rho);
  out[0] = (scalar)0.5 * weight * scale2 * rho[0];
  out[1] = weight * rho[1];
}

map_kernel(linearise_priors, item, ADJUST_LINEARISE_PRIORS) {
  const index point = prior_lanes[item];
  scalar W[9], r[3], terms[2], C[6], g[3], cost = 0, most = 0;
  lane_unroll for (index k = 0; k < 6; ++k) C[k] = 0;
  lane_unroll for (index k = 0; k < 3; ++k) g[k] = 0;
  for (index p = first[item]; p < first[item + 1]; ++p) {
    prior_load(positions, whitenings, p, points + point * POINT_SIZE, W, r);
    prior_loss(r, loss, loss_scale, weight, terms);
    cost += terms[0];
    for (index k = 0, i = 0; i < 3; ++i) {
      g[i] += terms[1] * (W[i] * r[0] + W[3 + i] * r[1] + W[6 + i] * r[2]);
      for (index j = i; j < 3; ++j, ++k) {
        C[k] += terms[1] * (W[i] * W[j] + W[3 + i] * W[3 + j] + W[6 + i] * W[6 + j]);
      }
    }
  }
  lane_unroll for (index k = 0; k < 6; ++k) normal[k * lanes + point] += C[k];
  lane_unroll for (index k = 0; k < 3; ++k) {
    const scalar sum = normal[(6 + k) * lanes + point] + is_free[point] * g[k];
    const scalar size = sum < 0 ? -sum : sum;
    normal[(6 + k) * lanes + point] = sum;
    most = size > most ? size : most;
  }
  costs[point] += cost;
  steepest[point] = most;
}

map_kernel(try_priors, item, ADJUST_TRY_PRIORS) {
  const index point = prior_lanes[item];
  scalar W[9], r[3], terms[2], cost = 0;
  for (index p = first[item]; p < first[item + 1]; ++p) {
    prior_load(positions, whitenings, p, points + point * POINT_SIZE, W, r);
    prior_loss(r, loss, loss_scale, weight, terms);
    cost += terms[0];
  }
  costs[point] += cost;
}

map_kernel(sum_dots, item, ADJUST_SUM_DOTS) {
  (void)item;
  sum[0] = sum_of_runs(dots, runs);
}

map_kernel(prior_product, item, ADJUST_PRIOR_PRODUCT) {
  scalar sum = 0;
  if (item < poses) {
    const index first = item / 3 * 3;
    lane_unroll for (index k = 0; k < 3; ++k) sum += prior_rows[3 * item + k] * vector[first + k];
  } else {
    sum = prior_rows[3 * item] * vector[item];
  }
  if (has_level != 0) sum -= level[item] * level_product[0];
  product[item] += sum;
}
