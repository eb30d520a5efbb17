// SPDX-License-Identifier: BSD-3-Clause
// Robust losses rho(s) of AdjustLoss, s the squared error in units of the scale.
//
// J'J is weighted by rho'. The second-order correction by Triggs et al. along the residual is not
// made, since rho'' is never positive here: it makes steps of a far start too long.

// out: rho and its derivative.
lane_fn void loss_terms(index loss, real s, real* out) {
  out[0] = s, out[1] = lane(1);
  if (loss == LOSS_HUBER) {
    mask is_far = s > lane(1);
    real root = sqrt(fmax(s, lane(1))), inverse = lane(1) / root;
    out[0] = select(is_far, lane(2) * root - lane(1), s);
    out[1] = inverse;
  }
  if (loss == LOSS_SOFT_L1) {
    real inverse = lane(1) / sqrt(lane(1) + s);
    // 2 (sqrt(1 + s) - 1) without cancellation.
    out[0] = lane(2) * s / (lane(1) + sqrt(lane(1) + s));
    out[1] = inverse;
  }
  if (loss == LOSS_CAUCHY) {
    real inverse = lane(1) / (lane(1) + s);
    out[0] = lane_log1p(s);
    out[1] = inverse;
  }
}
