// SPDX-License-Identifier: BSD-3-Clause
// Gauss-Newton normal equations of the robust gain, summed over all points. With u = max(0, 1 - e /
// threshold^2) a point gains u (MSAC: sharp) or u^3 (Tukey's biweight: smooth), and weighs 1 or
// u^2 inside the threshold.
// out: packed lower triangle N [size (size + 1) / 2], half gradient g [size] of the weighted sum of
// the squared errors, then the gain, the number of inliers and the sum of their squared errors;
// size = 9 elements of F or H, 6 parameters of a pose. weights: of the points, which multiply gain
// and weight, where `weighted` is 1.

// u of a point, 0 outside; *weight gets the weight.
lane_fn real robust_weight(real squared_error, real inverse_squared_threshold, mask smooth,
                           real* weight) {
  real u = msac_gain(squared_error, inverse_squared_threshold);
  mask inside = u > lane(0);
  *weight = select(inside, select(smooth, u * u, lane(1)), lane(0));
  return select(smooth, u * u * u, u);
}

// Adds w a b' to the block of the packed lower triangle whose first element is (row, column), for a
// and b [3]; the lower triangle only on the diagonal.
lane_fn void packed_add(real* N, index row, index column, real w, const real* a, const real* b) {
  for (index i = 0; i < 3; ++i) {
    real wa = w * a[i];
    index start = (row + i) * (row + i + 1) / 2 + column;
    for (index j = 0; j < 3; ++j) {
      if (row != column || j <= i) N[start + j] += wa * b[j];
    }
  }
}

// Zero for the weight 0, also times NaN.
lane_fn real masked(real weight, real value) { return select(weight > lane(0), value, lane(0)); }

group_fn void epipolar_normal_equations(GROUP_PARAM const scalar* model, global_const scalar* x1,
                                        global_const scalar* y1, global_const scalar* x2,
                                        global_const scalar* y2, index n,
                                        scalar inverse_squared_threshold, index smooth,
                                        global_const scalar* weights, index weighted, scalar* out) {
  real F[9], sums[57], B[9];
  for (index k = 0; k < 9; ++k) F[k] = lane(model[k]);
  for (index k = 0; k < 57; ++k) sums[k] = lane(0);
  real t = lane(inverse_squared_threshold);
  mask is_smooth = lane(smooth) > lane(0);
  group_for(i, n) {
    real a, w;
    real c = sampson_linearise(F, group_load(x1, i), group_load(y1, i), group_load(x2, i),
                               group_load(y2, i), B, &a);
    real e = a * c * c;
    real gain = robust_weight(e, t, is_smooth, &w);
    if (weighted) {
      real own = group_load(weights, i);
      w = w * own;
      gain = gain * own;
    }
    for (index k = 0; k < 9; ++k) B[k] = masked(w, B[k]);
    real wa = masked(w, w * a), wc = masked(w, w * a * c);
    index packed = 0;
    for (index k = 0; k < 9; ++k) {
      real wb = wa * B[k];
      for (index l = 0; l <= k; ++l) sums[packed + l] += wb * B[l];
      packed += k + 1;
      sums[45 + k] += wc * B[k];
    }
    sums[54] += gain;
    sums[55] += masked(w, lane(1));
    sums[56] += masked(w, e);
  }
  group_sums(sums, 57, out);
}

group_fn void transfer_normal_equations(GROUP_PARAM const scalar* model, global_const scalar* x1,
                                        global_const scalar* y1, global_const scalar* x2,
                                        global_const scalar* y2, index n,
                                        scalar inverse_squared_threshold, index smooth,
                                        global_const scalar* weights, index weighted, scalar* out) {
  real H[9], sums[57];
  for (index k = 0; k < 9; ++k) H[k] = lane(model[k]);
  for (index k = 0; k < 57; ++k) sums[k] = lane(0);
  real t = lane(inverse_squared_threshold);
  mask is_smooth = lane(smooth) > lane(0);
  group_for(i, n) {
    real l[2], a[3], p[3], q[3], r[3], aq[3], ar[3], w;
    real e = transfer_linearise(H, group_load(x1, i), group_load(y1, i), group_load(x2, i),
                                group_load(y2, i), l, a, p, q, r);
    real gain = robust_weight(e, t, is_smooth, &w);
    if (weighted) {
      real own = group_load(weights, i);
      w = w * own;
      gain = gain * own;
    }
    for (index k = 0; k < 3; ++k) {
      p[k] = masked(w, p[k]);
      q[k] = masked(w, q[k]);
      r[k] = masked(w, r[k]);
      a[k] = masked(w, w * a[k]);
    }
    l[0] = masked(w, w * l[0]);
    l[1] = masked(w, w * l[1]);
    for (index k = 0; k < 3; ++k) {
      aq[k] = a[0] * q[k] + a[1] * r[k];
      ar[k] = a[1] * q[k] + a[2] * r[k];
      sums[45 + k] -= l[0] * p[k];
      sums[48 + k] -= l[1] * p[k];
      sums[51 + k] += l[0] * q[k] + l[1] * r[k];
    }
    // B' A B with the rows (-p, 0, q) and (0, -p, r) of B.
    packed_add(sums, 0, 0, a[0], p, p);
    packed_add(sums, 3, 0, a[1], p, p);
    packed_add(sums, 3, 3, a[2], p, p);
    packed_add(sums, 6, 0, lane(-1), aq, p);
    packed_add(sums, 6, 3, lane(-1), ar, p);
    packed_add(sums, 6, 6, lane(1), q, aq);
    packed_add(sums, 6, 6, lane(1), r, ar);
    sums[54] += gain;
    sums[55] += masked(w, lane(1));
    sums[56] += masked(w, e);
  }
  group_sums(sums, 57, out);
}

group_fn void reprojection_normal_equations(GROUP_PARAM const scalar* model, global_const scalar* x,
                                            global_const scalar* y, global_const scalar* X,
                                            global_const scalar* Y, global_const scalar* Z,
                                            const scalar* focal, index n,
                                            scalar inverse_squared_threshold, index smooth,
                                            global_const scalar* weights, index weighted,
                                            scalar* out) {
  real P[12], sums[30], J[12];
  for (index k = 0; k < 12; ++k) P[k] = lane(model[k]);
  for (index k = 0; k < 30; ++k) sums[k] = lane(0);
  real t = lane(inverse_squared_threshold), fx = lane(focal[0]), fy = lane(focal[1]);
  mask is_smooth = lane(smooth) > lane(0);
  group_for(i, n) {
    real point[3] = {group_load(X, i), group_load(Y, i), group_load(Z, i)};
    real cam[3], r[2], w;
    real z = reprojection_residual(P, group_load(x, i), group_load(y, i), point, fx, fy, cam, r);
    real e = select(z > lane(0), r[0] * r[0] + r[1] * r[1], lane_nan());
    real gain = robust_weight(e, t, is_smooth, &w);
    if (weighted) {
      real own = group_load(weights, i);
      w = w * own;
      gain = gain * own;
    }
    reprojection_jacobian(cam, fx, fy, J);
    for (index k = 0; k < 12; ++k) J[k] = masked(w, J[k]);
    real r0 = masked(w, w * r[0]), r1 = masked(w, w * r[1]);
    index packed = 0;
    for (index k = 0; k < 6; ++k) {
      real w0 = w * J[k], w1 = w * J[6 + k];
      for (index l = 0; l <= k; ++l) sums[packed + l] += w0 * J[l] + w1 * J[6 + l];
      packed += k + 1;
      sums[21 + k] += r0 * J[k] + r1 * J[6 + k];
    }
    sums[27] += gain;
    sums[28] += masked(w, lane(1));
    sums[29] += masked(w, e);
  }
  group_sums(sums, 30, out);
}
