// SPDX-License-Identifier: BSD-3-Clause
// The eigenvector of a Hessenberg matrix for one eigenvalue, by one solve of inverse iteration
// with the eigenvalue itself as the shift (J. Wilkinson; the tests are from LAPACK's dlaein and
// dhsein). Only one solve is made: a second solve spoils the residuals of nearly defective
// eigenvalues by four digits.

// A <- U of P (H - value I) = L U, by elimination with exchanges of neighbouring rows. The diagonal
// of A holds the reciprocals of the pivots; elements below it are unchanged. Pivots smaller than
// `least` are replaced by it. H is at K.
lane_fn void shifted_lu(lane_array A, kept_array K, index n, real value, real least) {
  const index pitch = lane_pitch(n);
  for (index j = 0; j < n; ++j) lane_at(A, j) = kept_at(K, j);
  real pivot = lane_at(A, 0) - value;
  for (index k = 0; k < n - 1; ++k) {
    const index r0 = k * pitch, r1 = r0 + pitch;
    real below = kept_at(K, r1 + k);
    mask exchange = fabs(below) > fabs(pivot);
    real top = select(exchange, below, pivot), other = select(exchange, pivot, below);
    top = select(fabs(top) < least, least, top);
    real inverse = reciprocal(top);
    real factor = other * inverse;
    lane_at(A, r0 + k) = inverse;
    real a = lane_at(A, r0 + k + 1), b = kept_at(K, r1 + k + 1) - value;
    real up = select(exchange, b, a);
    pivot = select(exchange, a, b) - factor * up;
    lane_at(A, r0 + k + 1) = up;
    for (index j = k + 2; j < n; ++j) {
      a = lane_at(A, r0 + j);
      b = kept_at(K, r1 + j);
      up = select(exchange, b, a);
      lane_at(A, r0 + j) = up;
      lane_at(A, r1 + j) = select(exchange, a, b) - factor * up;
    }
  }
  pivot = select(fabs(pivot) < least, least, pivot);
  lane_at(A, (n - 1) * pitch + n - 1) = reciprocal(pivot);
}

// x <- f U^-1 D x in the lanes of `wanted`, for x > 0 and U from shifted_lu. The signs D are
// chosen during the solve so that x grows, as in condition estimators. f is a power of `shrink`
// that keeps x from overflowing. Returns a lower bound of the growth: the sum of |x| without f,
// divided by the initial sum.
lane_fn real shrinking_solve(lane_array A, index n, mask wanted, real shrink, real* x) {
  const index pitch = lane_pitch(n);
  const real most = lane(1) / shrink;
  real factor = lane(1), before = lane(0), after = lane(0);
  lane_unroll for (index i = 0; i < n; ++i) before = before + fabs(x[i]);
  lane_unroll for (index i = n - 1; i >= 0; --i) {
    real s = lane(0);
    lane_unroll for (index j = n - 1; j > i; --j) s = s - lane_at(A, i * pitch + j) * x[j];
    s = s + select(s < lane(0), -x[i], x[i]);
    x[i] = select(wanted, s * lane_at(A, i * pitch + i), x[i]);
    mask large = wanted & (fabs(x[i]) > most);
    if (any(large)) {
      real f = select(large, shrink, lane(1));
      factor = factor * f;
      lane_unroll for (index j = 0; j < n; ++j) x[j] = x[j] * f;
    }
  }
  lane_unroll for (index i = 0; i < n; ++i) after = after + fabs(x[i]);
  return after / (before * fmax(factor, shrink));
}

// Computes x [n], an eigenvector of H (at K) for the eigenvalue `value`. `least`: epsilon times the
// norm of H. Overwrites A.
lane_fn void inverse_iteration(lane_array A, kept_array K, index n, real value, real least,
                               real* x) {
  shifted_lu(A, K, n, value, least);
  const real shrink = lane_tiny();
  // U^-1 grows by about 1 / least if the shift is an eigenvalue. If x grows less, the start vector
  // had little of the eigenvector in it, and start vectors that differ in one element are tried.
  // (dlaein accepts growth of 0.1 / sqrt(n), which may leave large residuals for large matrices.)
  const real root = sqrt(lane(n));
  const real enough = lane(0.02) / (root * least);
  lane_unroll for (index i = 0; i < n; ++i) x[i] = lane(1);
  mask wanted = lane(0) == lane(0);
  real growth = shrinking_solve(A, n, wanted, shrink, x);
  wanted = growth < enough;
  for (index attempt = 0; attempt < 5 && attempt < n && any(wanted); ++attempt) {
    lane_unroll for (index i = 0; i < n; ++i) {
      real start = i == n - 1 - attempt ? root : lane(1) / (root + lane(1));
      x[i] = select(wanted, start, x[i]);
    }
    growth = shrinking_solve(A, n, wanted, shrink, x);
    wanted = wanted & (growth < enough);
  }
}
