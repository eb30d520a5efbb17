// SPDX-License-Identifier: BSD-3-Clause
// Functions that the Jacobi methods share: the order of pairs, the scaling of matrices, the
// rotation of a pair, and operations on columns.

// A sweep has rounds 0 .. n - 1. Round r rotates the pairs p < q with p + q = r (mod n). No column
// occurs twice in a round, so that its rotations are independent. Columns converge as fast in this
// order as in the cyclic order of pairs (F. Luk, H. Park, A proof of convergence for two parallel
// Jacobi SVD algorithms, 1989). Index k of the pairs of a round runs from 0 to round_pairs - 1.
lane_fn index round_pairs(index n, index round) {
  return (round + 1) / 2 + (n + round - 1) / 2 - round;
}
lane_fn index round_first(index round, index k) {
  index low = (round + 1) / 2;  // pairs with p + q = round; for the rest the sum is round + n
  return k < low ? k : round + 1 + k - low;
}
lane_fn index round_second(index n, index round, index k) {
  index low = (round + 1) / 2;
  return k < low ? round - k : n - 1 - k + low;
}

// Matrices are scaled by jacobi_scale(largest |element|) 2^48 before any element is squared;
// squares below the floor count as zero. In this range neither squares nor the sines of rotations
// overflow or lose digits, for elements down to 2^-78 of the largest.
lane_fn real jacobi_floor() { return lane(0x1p-60f); }
lane_fn real jacobi_scale(real largest) { return reciprocal_power(lane(0.25f) * largest); }
lane_fn real jacobi_scaled(real a, real scale) { return a * scale * lane(0x1p48f); }
lane_fn real jacobi_unscaled(real a, real scale) { return a * lane(0x1p-48f) / scale; }

// Computes the rotation that diagonalises [pp pq; pq qq], with the larger value first, in the lanes
// of `rotate`: c, s with p' = c p + s q, q' = c q - s p. In all lanes outside `rotate` it is the
// identity: c = 1, s = 0. *shift: the increase of the larger diagonal value, and the decrease of
// the smaller one. D = pp - qq and H = |pq|, scaled so that one of them is about 1. Takes two
// reciprocal square roots and no division.
lane_fn void rotation_make(mask rotate, real D, real H, real pq, real* c, real* s, real* shift) {
  // cos 2a : sin 2a = D : 2 H
  real inverse = rsqrt(D * D + lane(4) * (H * H));
  real cosine2 = lane(0.5f) + lane(0.5f) * (fabs(D) * inverse);
  real secant = rsqrt(cosine2);
  real cosine = cosine2 * secant, sine = H * inverse * secant;
  mask ordered = D >= lane(0);
  *c = select(rotate, select(ordered, cosine, sine), lane(1));
  *s = select(rotate, copysign(select(ordered, sine, cosine), pq), lane(0));
  *shift = select(rotate, sine * secant * fabs(pq), lane(0));
}

// Returns whether |pq| > sqrt(tolerance2) sqrt(|pp qq|). scale: reciprocal_power of the larger
// of pp, qq.
lane_fn mask rotation_due(real pp, real qq, real pq, real scale, real tolerance2) {
  real large = lane(0x1p60f);  // prevents underflow of squares of small numbers
  real H = pq * (scale * large);
  return H * H > tolerance2 * large * fabs((pp * scale) * (qq * (scale * large)));
}

// Rotates two columns of m numbers.
lane_fn void columns_rotate(real* p, real* q, index m, real c, real s) {
  lane_unroll for (index i = 0; i < m; ++i) {
    real x = p[i], y = q[i];
    p[i] = c * x + s * y;
    q[i] = c * y - s * x;
  }
}

// Exchanges two columns of m numbers in the lanes of `which`.
lane_fn void columns_exchange(mask which, real* p, real* q, index m) {
  lane_unroll for (index i = 0; i < m; ++i) {
    real x = p[i], y = q[i];
    p[i] = select(which, y, x);
    q[i] = select(which, x, y);
  }
}

lane_fn real columns_dot(const real* p, const real* q, index m) {
  real sum = p[0] * q[0];
  lane_unroll for (index i = 1; i < m; ++i) sum += p[i] * q[i];
  return sum;
}
