// SPDX-License-Identifier: BSD-3-Clause
// Eigenvalues of a Hessenberg matrix by implicit double-shift QR sweeps with deflation, without
// eigenvectors (J. Francis, The QR transformation, 1961; J. Wilkinson, C. Reinsch, Handbook for
// Automatic Computation II/14). Every lane works on a window [low, high] of its own. The lanes of a
// register process the union of their windows together; a lane outside its window applies the
// identity, so that its result does not depend on its neighbours.
//
// A has elements of about 1: numbers below lane_tiny() count as zero.

// Computes the reflection I - (1, g3, g4)' (g0, g1, g2) that maps x to (g5, 0, 0); the identity if
// x is zero. Takes one square root and one division.
lane_fn void francis_reflector(const real* x, real* g) {
  real norm = sqrt_normal(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  mask some = norm > lane_tiny();
  real sigma = select(x[0] < lane(0), -norm, norm);
  real head = x[0] + sigma;
  real inverse = select(some, reciprocal(sigma * head), lane(0));
  real over_sigma = head * inverse, over_head = sigma * inverse;
  g[0] = head * over_sigma;
  g[1] = x[1] * over_sigma;
  g[2] = x[2] * over_sigma;
  g[3] = x[1] * over_head;
  g[4] = x[2] * over_head;
  g[5] = select(some, -sigma, x[0]);
}

// Finds the window of every lane in `active`: the last diagonal block of at least three rows, after
// subdiagonal elements that are small compared with their neighbours on the diagonal are set to
// zero. Smaller blocks after it are finished and remain in A. high < 0: no block is left.
lane_fn void francis_window(lane_array A, index n, real norm, mask active, lane_int* low,
                            lane_int* high) {
  const index pitch = lane_pitch(n);
  const lane_int three = lane_int_of(3);
  const index end = lanes_max(select_int(active, *high, lane_int_of(0)));
  lane_int start = lane_int_of(0), last_low = lane_int_of(0), last_high = lane_int_of(-1);
  real above = fabs(lane_at(A, 0));
  for (index k = 1; k <= end; ++k) {
    const index e = k * pitch + k;
    const lane_int row = lane_int_of(k);
    real below = fabs(lane_at(A, e)), sub = lane_at(A, e - 1);
    real sum = above + below;
    real small = lane_epsilon() * select(sum == lane(0), norm, sum);
    mask split = active & (row <= *high) & (fabs(sub) <= fmax(small, lane_tiny()));
    if (any(split)) {
      lane_at(A, e - 1) = select(split, lane(0), sub);
      mask large = split & (row - start >= three);
      last_low = select_int(large, start, last_low);
      last_high = select_int(large, row - lane_int_of(1), last_high);
      start = select_int(split, row, start);
    }
    above = below;
  }
  mask large = *high + lane_int_of(1) - start >= three;
  *low = select_int(active, select_int(large, start, last_low), *low);
  *high = select_int(active, select_int(large, *high, last_high), *high);
}

// Loads the last two rows and columns of every lane's window into corner[0 .. 3], and the
// subdiagonal element before them into corner[4].
lane_fn void francis_corner(lane_array A, index n, lane_int high, real* corner) {
  const index pitch = lane_pitch(n), to = lanes_max(high);
  for (index c = 0; c < 5; ++c) corner[c] = lane(0);
  for (index k = lanes_min(high); k <= to; ++k) {
    const index e = k * pitch + k;
    mask here = high == lane_int_of(k);
    corner[0] = select(here, lane_at(A, e - pitch - 1), corner[0]);
    corner[1] = select(here, lane_at(A, e - pitch), corner[1]);
    corner[2] = select(here, lane_at(A, e - 1), corner[2]);
    corner[3] = select(here, lane_at(A, e), corner[3]);
    corner[4] = select(here, lane_at(A, e - pitch - 2), corner[4]);
  }
}

// Computes x, a multiple of the first column of (H - s1)(H - s2) for the window H. If the
// eigenvalues of its last two rows are complex, they are the shifts. If they are real, both shifts
// are the eigenvalue closer to the last element, as in LAPACK's dlahqr. This takes three per cent
// fewer sweeps than two real shifts, and avoids their cycles, which occurred once in 50,000
// matrices. A `stuck` window gets exceptional shifts.
lane_fn void francis_shifts(lane_array A, index n, lane_int low, lane_int high, mask stuck,
                            real* x) {
  const index pitch = lane_pitch(n), to = lanes_max(low);
  real h[5];
  francis_corner(A, n, high, h);
  real p = lane(0.5) * (h[0] - h[3]), product = h[1] * h[2];
  real q = p * p + product;
  real root = sqrt_normal(fabs(q));
  mask both_real = q >= lane(0);
  // The real eigenvalues are h3 + p +- root; the shift is the eigenvalue closer to h3.
  real shift = h[3] + p - select(p < lane(0), -root, root);
  real last = select(both_real, shift, h[3]), before = select(both_real, shift, h[0]);
  product = select(both_real, lane(0), product);
  if (any(stuck)) {
    real s = fabs(h[2]) + fabs(h[4]);
    last = select(stuck, h[3] + lane(0.75) * s, last);
    before = select(stuck, last, before);
    product = select(stuck, lane(-0.4375) * s * s, product);
  }
  x[0] = x[1] = x[2] = lane(0);
  for (index k = lanes_min(low); k <= to; ++k) {
    const index e = k * pitch + k;
    real a00 = lane_at(A, e), a10 = lane_at(A, e + pitch);
    real r = last - a00, s = before - a00;
    real x0 = r * s - product + lane_at(A, e + 1) * a10;
    real x1 = a10 * (lane_at(A, e + pitch + 1) - a00 - r - s);
    real x2 = a10 * lane_at(A, e + pitch + pitch + 1);
    mask here = low == lane_int_of(k);
    x[0] = select(here, x0, x[0]);
    x[1] = select(here, x1, x[1]);
    x[2] = select(here, x2, x[2]);
  }
  real f = reciprocal(fabs(x[0]) + fabs(x[1]) + fabs(x[2]));
  x[0] = x[0] * f;
  x[1] = x[1] * f;
  x[2] = x[2] * f;
}

// Reflects columns k, k + 1, k + 2 of the rows above row k.
lane_fn void francis_rows_above(lane_array A, index n, index k, index top, const real* g) {
  const index pitch = lane_pitch(n);
  for (index i = top; i < k; ++i) {
    const index e = i * pitch + k;
    real a = lane_at(A, e), b = lane_at(A, e + 1), c = lane_at(A, e + 2);
    real t = a * g[0] + b * g[1] + c * g[2];
    lane_at(A, e) = a - t;
    lane_at(A, e + 1) = b - t * g[3];
    lane_at(A, e + 2) = c - t * g[4];
  }
}

// Reflects rows k, k + 1, k + 2 of the columns after column k + 2.
lane_fn void francis_columns_behind(lane_array A, index n, index k, index end, const real* g) {
  const index pitch = lane_pitch(n), r0 = k * pitch, r1 = r0 + pitch, r2 = r1 + pitch;
  for (index j = k + 3; j <= end; ++j) {
    real a = lane_at(A, r0 + j), b = lane_at(A, r1 + j), c = lane_at(A, r2 + j);
    real t = a + g[3] * b + g[4] * c;
    lane_at(A, r0 + j) = a - t * g[0];
    lane_at(A, r1 + j) = b - t * g[1];
    lane_at(A, r2 + j) = c - t * g[2];
  }
}

// Applies one step of a sweep: the reflection of the rows and columns k, k + 1, k + 2, from row
// `top` to column `end`. x: the vector to reflect (zero in lanes outside their sweep); replaced by
// the vector of the next step. `chases`: the lanes whose sweep started at an earlier row. The block
// that determines the next step is computed first.
lane_fn void francis_step(lane_array A, index n, index k, index top, index end, mask chases,
                          real* x) {
  const index pitch = lane_pitch(n), e0 = k * pitch + k, e1 = e0 + pitch, e2 = e1 + pitch;
  real g[6], block[9];
  francis_reflector(x, g);
  if (k > 0) lane_at(A, e0 - 1) = select(chases, g[5], lane_at(A, e0 - 1));
  lane_unroll for (index j = 0; j < 3; ++j) {
    real a = lane_at(A, e0 + j), b = lane_at(A, e1 + j), c = lane_at(A, e2 + j);
    real t = a + g[3] * b + g[4] * c;
    block[j] = a - t * g[0];
    block[3 + j] = b - t * g[1];
    block[6 + j] = c - t * g[2];
  }
  lane_unroll for (index i = 0; i < 9; i += 3) {
    real t = block[i] * g[0] + block[i + 1] * g[1] + block[i + 2] * g[2];
    block[i] = block[i] - t;
    block[i + 1] = block[i + 1] - t * g[3];
    block[i + 2] = block[i + 2] - t * g[4];
  }
  lane_unroll for (index j = 0; j < 3; ++j) {
    lane_at(A, e0 + j) = block[j];
    lane_at(A, e1 + j) = block[3 + j];
    lane_at(A, e2 + j) = block[6 + j];
  }
  lane_at(A, e2) = lane(0);  // kept in x
  x[0] = block[3];
  x[1] = block[6];
  x[2] = lane(0);
  if (k + 3 <= end) {
    const index e3 = e2 + pitch;
    real last = lane_at(A, e3 + 2), t = last * g[2];
    x[2] = -t;
    lane_at(A, e3 + 1) = -t * g[3];
    lane_at(A, e3 + 2) = last - t * g[4];
  }
  francis_columns_behind(A, n, k, end, g);
  francis_rows_above(A, n, k, top, g);
}

// Applies the last step of a sweep, which ends with row end = k + 1: two rows and columns.
lane_fn void francis_last_step(lane_array A, index n, index k, index top, mask chases, real* x) {
  const index pitch = lane_pitch(n), e0 = k * pitch + k, e1 = e0 + pitch;
  real g[6];
  x[2] = lane(0);
  francis_reflector(x, g);
  lane_at(A, e0 - 1) = select(chases, g[5], lane_at(A, e0 - 1));
  for (index j = 0; j < 2; ++j) {
    real a = lane_at(A, e0 + j), b = lane_at(A, e1 + j);
    real t = a + g[3] * b;
    lane_at(A, e0 + j) = a - t * g[0];
    lane_at(A, e1 + j) = b - t * g[1];
  }
  for (index i = top; i <= k + 1; ++i) {
    const index e = i * pitch + k;
    real a = lane_at(A, e), b = lane_at(A, e + 1);
    real t = a * g[0] + b * g[1];
    lane_at(A, e) = a - t;
    lane_at(A, e + 1) = b - t * g[3];
  }
}

// Runs one sweep of every lane in `active` over its window of at least three rows.
lane_fn void francis_sweep(lane_array A, index n, mask active, mask stuck, lane_int low,
                           lane_int high) {
  const index top = lanes_min(select_int(active, low, lane_int_of(n)));
  const index end = lanes_max(select_int(active, high, lane_int_of(0)));
  real start[3], x[3];
  // Lanes without a window use the union of the windows.
  francis_shifts(A, n, select_int(active, low, lane_int_of(top)),
                 select_int(active, high, lane_int_of(end)), stuck, start);
  x[0] = x[1] = x[2] = lane(0);
  for (index k = top; k < end; ++k) {
    mask starts = active & (low == lane_int_of(k));
    mask chases = active & (low < lane_int_of(k)) & (lane_int_of(k) < high);
    x[0] = select(starts, start[0], select(chases, x[0], lane(0)));
    x[1] = select(starts, start[1], select(chases, x[1], lane(0)));
    x[2] = select(starts, start[2], select(chases, x[2], lane(0)));
    if (k + 1 < end) {
      francis_step(A, n, k, top, end, chases, x);
    } else {
      francis_last_step(A, n, k, top, chases, x);
    }
  }
}

// Sweeps until A has diagonal blocks of one row, or of two rows with a nonzero subdiagonal element.
// A is Hessenberg, n x n, with Frobenius norm `norm` and zeros below the subdiagonal. Every 10th
// sweep without progress uses exceptional shifts. Returns 0, or 1 in a lane that needed more than n
// max_sweeps sweeps (LinalgStatus).
lane_fn lane_int francis_iterate(lane_array A, index n, real norm, index max_sweeps) {
  const lane_int one = lane_int_of(1), zero = lane_int_of(0), ten = lane_int_of(10);
  lane_int low = zero, high = lane_int_of(n - 1), since = zero, status = zero;
  mask active = lane(0) == lane(0);
  for (index sweep = 0; any(active); ++sweep) {
    lane_int last_high = high;
    francis_window(A, n, norm, active, &low, &high);
    active = active & (high >= zero);
    if (sweep == n * max_sweeps) {
      status = select_int(active, one, status);
      active = active & (high < zero);
    }
    if (any(active)) {
      since = select_int((since == ten) | (high < last_high), one, since + one);
      francis_sweep(A, n, active, since == ten, low, high);
    }
  }
  return status;
}
