// SPDX-License-Identifier: BSD-3-Clause
// Eigenvalues of a Hessenberg matrix by implicit double-shift QR sweeps with deflation (J. Francis,
// The QR transformation, 1961; J. Wilkinson, C. Reinsch, Handbook for Automatic Computation II/14),
// values only. Every lane works on a window [low, high] of its own; the lanes of a register walk
// through the union of their windows together, with reflections that are the identity where a lane
// has none, so that a lane never feels its neighbours.
//
// A has elements of about 1: numbers below lane_tiny() count as zero.

// The reflection I - (1, g3, g4)' (g0, g1, g2) that takes x to (g5, 0, 0); the identity when x is
// zero. One square root and one division.
lane_fn void francis_reflector(const real* x, real* g) {
  real norm = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  mask some = norm > lane_tiny();
  real sigma = select(x[0] < lane(0), -norm, norm);
  real head = x[0] + sigma;
  real inverse = select(some, lane(1) / (sigma * head), lane(0));
  real over_sigma = head * inverse, over_head = sigma * inverse;
  g[0] = head * over_sigma;
  g[1] = x[1] * over_sigma;
  g[2] = x[2] * over_sigma;
  g[3] = x[1] * over_head;
  g[4] = x[2] * over_head;
  g[5] = select(some, -sigma, x[0]);
}

// The next window of every lane in `active`: takes the eigenvalues off the end of the old one that
// have separated (they stay in A, in diagonal blocks of one or two rows) until a window of three
// rows or more is left, or none (high < 0). A subdiagonal element is zero when it is small beside
// its neighbours on the diagonal. `sweeps` starts at 0 again where something came off.
lane_fn void francis_window(lane_array A, index n, real norm, mask active, lane_int* low,
                            lane_int* high, lane_int* sweeps) {
  const index pitch = lane_pitch(n);
  mask open = active;
  while (any(open)) {  // at most n times: all but the last take something off
    *low = select_int(open, lane_int_of(0), *low);
    mask search = open;
    index k = lanes_max(select_int(open, *high, lane_int_of(0)));
    real below = fabs(lane_at(A, k * pitch + k));
    while (k > 0 && any(search)) {
      const index e = k * pitch + k - 1;
      real above = fabs(lane_at(A, e - pitch));
      real sum = above + below;
      real small = lane_epsilon() * select(sum == lane(0), norm, sum);
      mask split = search & (lane_int_of(k) <= *high) &
                   (fabs(lane_at(A, e)) <= fmax(small, lane_tiny()));
      if (any(split)) {
        lane_at(A, e) = select(split, lane(0), lane_at(A, e));
        *low = select_int(split, lane_int_of(k), *low);
        search = search & !split;
      }
      below = above;
      k = k - 1;
    }
    mask done = open & (*high <= *low + lane_int_of(1));
    *high = select_int(done, *low - lane_int_of(1), *high);
    *sweeps = select_int(done, lane_int_of(0), *sweeps);
    open = done & (*high >= lane_int_of(0));
  }
}

// x: a multiple of the first column of (H - s1)(H - s2), H the window and s1, s2 the eigenvalues of
// its last two rows; in the sweeps 10 and 20 of a window exceptional shifts instead. Windows have
// at least three rows.
lane_fn void francis_shifts(lane_array A, index n, lane_int low, lane_int high, lane_int sweeps,
                            real* x) {
  const lane_int row = lane_int_of(lane_pitch(n)), one = lane_int_of(1);
  const lane_int end = high * row + high, start = low * row + low;
  real last = lane_get(A, end), before = lane_get(A, end - row - one);
  real sub = lane_get(A, end - one);
  real product = sub * lane_get(A, end - row);
  mask stuck = (sweeps == lane_int_of(10)) | (sweeps == lane_int_of(20));
  if (any(stuck)) {
    real s = fabs(sub) + fabs(lane_get(A, end - row - one - one));
    before = select(stuck, last + lane(0.75) * s, before);
    last = select(stuck, before, last);
    product = select(stuck, lane(-0.4375) * s * s, product);
  }
  real a00 = lane_get(A, start), a01 = lane_get(A, start + one);
  real a10 = lane_get(A, start + row), a11 = lane_get(A, start + row + one);
  real a21 = lane_get(A, start + row + row + one);
  real r = last - a00, s = before - a00;
  x[0] = r * s - product + a01 * a10;
  x[1] = a10 * (a11 - a00 - r - s);
  x[2] = a10 * a21;
  real f = lane(1) / (fabs(x[0]) + fabs(x[1]) + fabs(x[2]));
  x[0] = x[0] * f;
  x[1] = x[1] * f;
  x[2] = x[2] * f;
}

// Columns k, k + 1, k + 2 of the rows above row k.
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

// Rows k, k + 1, k + 2 of the columns behind column k + 2.
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

// One step of a sweep: the reflection of the rows and columns k, k + 1, k + 2, from rows `top` to
// columns `end`. x: what it reflects (zero in lanes that have no part in it), then what the next
// step does. `chases`: the lanes whose sweep started further up. The block that decides the next
// step comes first.
lane_fn void francis_step(lane_array A, index n, index k, index top, index end, mask chases,
                          real* x) {
  const index pitch = lane_pitch(n), e0 = k * pitch + k, e1 = e0 + pitch, e2 = e1 + pitch;
  real g[6], block[9];
  francis_reflector(x, g);
  if (k > 0) lane_at(A, e0 - 1) = select(chases, g[5], lane_at(A, e0 - 1));
  lane_unroll
  for (index j = 0; j < 3; ++j) {
    real a = lane_at(A, e0 + j), b = lane_at(A, e1 + j), c = lane_at(A, e2 + j);
    real t = a + g[3] * b + g[4] * c;
    block[j] = a - t * g[0];
    block[3 + j] = b - t * g[1];
    block[6 + j] = c - t * g[2];
  }
  lane_unroll
  for (index i = 0; i < 9; i += 3) {
    real t = block[i] * g[0] + block[i + 1] * g[1] + block[i + 2] * g[2];
    block[i] = block[i] - t;
    block[i + 1] = block[i + 1] - t * g[3];
    block[i + 2] = block[i + 2] - t * g[4];
  }
  lane_unroll
  for (index j = 0; j < 3; ++j) {
    lane_at(A, e0 + j) = block[j];
    lane_at(A, e1 + j) = block[3 + j];
    lane_at(A, e2 + j) = block[6 + j];
  }
  lane_at(A, e2) = lane(0);  // goes on in x
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

// The last step of a sweep that ends with row end = k + 1: two rows and columns.
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

// One sweep of every lane in `active` over its window, which has at least three rows.
lane_fn void francis_sweep(lane_array A, index n, mask active, lane_int low, lane_int high,
                           lane_int sweeps) {
  // Lanes that have finished stand at a window inside the matrix and do not widen the union.
  low = select_int(active, low, lane_int_of(0));
  high = select_int(active, high, lane_int_of(2));
  real start[3], x[3];
  francis_shifts(A, n, low, high, sweeps, start);
  const index top = lanes_min(select_int(active, low, lane_int_of(n)));
  const index end = lanes_max(select_int(active, high, lane_int_of(0)));
  x[0] = x[1] = x[2] = lane(0);
  for (index k = top; k < end; ++k) {
    mask starts = active & (low == lane_int_of(k));
    mask chases = active & (low < lane_int_of(k)) & (lane_int_of(k) < high);
    for (index c = 0; c < 3; ++c) x[c] = select(starts, start[c], select(chases, x[c], lane(0)));
    if (k + 1 < end) {
      francis_step(A, n, k, top, end, chases, x);
    } else {
      francis_last_step(A, n, k, top, chases, x);
    }
  }
}

// Sweeps until A (Hessenberg, n x n, of Frobenius norm `norm`, zeros below the subdiagonal) has
// diagonal blocks of one row, or of two with a nonzero subdiagonal element. Returns 0, or 1 in a
// lane where a window needed more than max_sweeps sweeps (LinalgStatus).
lane_fn lane_int francis_iterate(lane_array A, index n, real norm, index max_sweeps) {
  lane_int low = lane_int_of(0), high = lane_int_of(n - 1), sweeps = lane_int_of(0);
  lane_int status = lane_int_of(0);
  mask active = lane(0) == lane(0);
  while (any(active)) {  // at most n max_sweeps times
    francis_window(A, n, norm, active, &low, &high, &sweeps);
    active = active & (high >= lane_int_of(0));
    mask exhausted = active & (sweeps >= lane_int_of(max_sweeps));
    status = select_int(exhausted, lane_int_of(1), status);
    active = active & !exhausted;
    if (any(active)) {
      sweeps = select_int(active, sweeps + lane_int_of(1), sweeps);
      francis_sweep(A, n, active, low, high, sweeps);
    }
  }
  return status;
}
