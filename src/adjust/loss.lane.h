// SPDX-License-Identifier: BSD-3-Clause
// Robust losses rho(s) of AdjustLoss, s the squared error in units of the scale, and the weights of
// the Gauss-Newton approximation.

// out: rho and its first two derivatives.
lane_fn void loss_terms(index loss, real s, real* out) {
  out[0] = s, out[1] = lane(1), out[2] = lane(0);
  if (loss == LOSS_HUBER) {
    mask is_far = s > lane(1);
    real root = sqrt(fmax(s, lane(1))), inverse = lane(1) / root;
    out[0] = select(is_far, lane(2) * root - lane(1), s);
    out[1] = inverse;
    out[2] = select(is_far, lane(-0.5) * inverse * inverse * inverse, lane(0));
  }
  if (loss == LOSS_SOFT_L1) {
    real inverse = lane(1) / sqrt(lane(1) + s);
    // 2 (sqrt(1 + s) - 1) without cancellation.
    out[0] = lane(2) * s / (lane(1) + sqrt(lane(1) + s));
    out[1] = inverse;
    out[2] = lane(-0.5) * inverse * inverse * inverse;
  }
  if (loss == LOSS_CAUCHY) {
    real inverse = lane(1) / (lane(1) + s);
    out[0] = lane_log1p(s);
    out[1] = inverse;
    out[2] = -inverse * inverse;
  }
}

// Weighs the derivatives J [2][columns] of an observation with error r, at s. The weighted J'J is
// the Gauss-Newton part of the second derivative of the cost, with the correction by Triggs et al.
// along r. It is kept positive.
lane_fn void loss_weigh(real slope, real curvature, real s, const real* r, index columns, real* J) {
  real across = sqrt(slope);
  real along = sqrt(fmax(slope + lane(2) * curvature * s, lane(LEAST_CURVATURE) * slope));
  real length2 = r[0] * r[0] + r[1] * r[1];
  real change = (along - across) / fmax(length2, lane(1e-300));
  for (index k = 0; k < columns; ++k) {
    real x = J[k], y = J[columns + k], part = change * (r[0] * x + r[1] * y);
    J[k] = across * x + part * r[0];
    J[columns + k] = across * y + part * r[1];
  }
}
