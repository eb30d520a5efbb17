// SPDX-License-Identifier: BSD-3-Clause
// Functions that the SVD kernels of GPUs share: one-sided Jacobi (M. Hestenes, Inversion of
// matrices by biorthogonalization, 1958) with fast scaled rotations (W. Gentleman, 1973; LAPACK's
// xGESVJ). A column is stored up to a scale factor, so that a rotation takes two multiply-adds per
// pair of elements.

// svd_ceiling: the power of two to which numbers are scaled before they are squared. svd_floor: a
// squared length below it then counts as zero.
group_fn real svd_ceiling(void) { return lane(sizeof(scalar) == 4 ? 0x1p20 : 0x1p200); }
group_fn real svd_floor(void) { return lane(sizeof(scalar) == 4 ? 0x1p-40 : 0x1p180); }
// Limits of a slight rotation: its tangent, and the squared cosine between its columns. Slight
// rotations change no other pair beyond the precision, so that after a sweep of only slight
// rotations the columns are orthogonal. (Columns of similar length need a large rotation at any
// cosine, hence the first limit.) Angles are accurate to 2^-20. In double the cosine must therefore
// be below 2^-32, so that the remainder after the rotation is negligible.
group_fn real svd_slight_tangent(void) { return lane(sizeof(scalar) == 4 ? 3e-4 : 3e-8); }
group_fn real svd_slight_cosine2(void) { return lane(sizeof(scalar) == 4 ? 1e-8 : 0x1p-64); }

// Returns a squared length for the rotations. A length of zero is replaced by a length so large
// that no angle to it matters; its square is still finite, because an estimated root of infinity
// is NaN.
group_fn real svd_length2(real length2) {
  return select(length2 > svd_floor(), length2, lane(sizeof(scalar) == 4 ? 0x1p120 : 0x1p500));
}

// Returns the squared cosine of columns of n numbers that are orthogonal to within rounding.
group_fn real svd_tolerance2(index n) { return lane(n) * (lane_epsilon() * lane_epsilon()); }

// A matrix of a batch: element e is at A[e step].
typedef struct {
  global_const real* A;
  offset step;
  index rows, n;
} svd_input;
// The results of a matrix: element e of each is at S, V, U[e step]. U may be null.
typedef struct {
  global_ptr real* S;
  global_ptr real* V;
  global_ptr real* U;
  offset step;
} svd_output;

// Two columns that are stored up to scale factors as p, q: the columns are scale_p p, scale_q q.
typedef struct {
  real norm_p, norm_q;  // their squared lengths
  real scale_p, scale_q;
} svd_columns;

// Computes the rotation p' = p - *tp q, q' = q + *tq p that makes two columns orthogonal, if it is
// `wanted` and their squared cosine exceeds tolerance2. dot = p q of the stored columns. Returns
// whether they were far from orthogonal. Estimates of reciprocal and root suffice: they change the
// angle, and the scale is computed from the angle used.
group_fn mask svd_rotation(svd_columns* c, real dot, mask wanted, real tolerance2, real* tp,
                           real* tq) {
  real scale = c->scale_p * c->scale_q;
  real product = dot * scale, square = product * product, lengths = c->norm_p * c->norm_q;
  mask rotate = wanted & (square > tolerance2 * lengths);
  real difference = c->norm_q - c->norm_p, twice = lane(2) * product;
  real root = fast_sqrt(difference * difference + twice * twice);
  real t = twice * fast_reciprocal(difference + copysign(root, difference));
  mask far =
      rotate & ((square > svd_slight_cosine2() * lengths) | (fabs(t) > svd_slight_tangent()));
  t = select(rotate, t, lane(0));
  real per_scale = t * fast_reciprocal(scale);
  *tp = per_scale * (c->scale_q * c->scale_q);
  *tq = per_scale * (c->scale_p * c->scale_p);
  real secant2 = lane(1) + *tp * *tq;
  real cosine = rsqrt(secant2);
  c->norm_p -= t * product;
  c->norm_q += t * product;
  c->scale_p *= cosine;
  c->scale_q *= cosine;
  return far;
}

// Completes the columns of U (m x k) from `first` on to an orthonormal set with the columns before
// them: unit vectors, orthogonalised twice. Slow; used for singular values of zero only.
group_fn void svd_complete(global_ptr real* U, offset step, index m, index k, index first) {
  for (index j = first; j < k; ++j) {
    index best = 0;
    real most = lane(-1);
    for (index i = 0; i < m; ++i) {
      real rest = lane(1);
      for (index c = 0; c < j; ++c) rest -= U[(i * k + c) * step] * U[(i * k + c) * step];
      best = rest > most ? i : best;
      most = fmax(most, rest);
    }
    for (index i = 0; i < m; ++i) U[(i * k + j) * step] = lane(i == best ? 1 : 0);
    for (index pass = 0; pass < 2; ++pass) {
      for (index c = 0; c < j; ++c) {
        real dot = lane(0);
        for (index i = 0; i < m; ++i) dot += U[(i * k + j) * step] * U[(i * k + c) * step];
        for (index i = 0; i < m; ++i) U[(i * k + j) * step] -= dot * U[(i * k + c) * step];
      }
      real length2 = lane(0);
      for (index i = 0; i < m; ++i) length2 += U[(i * k + j) * step] * U[(i * k + j) * step];
      real inverse = reciprocal(sqrt(length2));
      for (index i = 0; i < m; ++i) U[(i * k + j) * step] *= inverse;
    }
  }
}
