// SPDX-License-Identifier: BSD-3-Clause
// Reduction to Hessenberg form by Householder reflections (G. Golub, C. Van Loan, Matrix
// Computations, 4th ed., 7.4.3).

// Computes reflector k, I - beta v v' with v[k + 1] = 1, which makes column k of A zero below the
// subdiagonal; the rest of v is stored there. Returns beta, or 0 if the column is already zero
// there. Numbers that underflow when squared count as zero, because A has elements of about 1.
lane_fn real hessenberg_reflector(lane_array A, index n, index k) {
  const index pitch = lane_pitch(n);
  real s = lane(0);
  for (index i = k + 2; i < n; ++i) {
    real a = lane_at(A, i * pitch + k);
    s = s + a * a;
  }
  mask some = s > lane_tiny() * lane_tiny();
  real alpha = lane_at(A, (k + 1) * pitch + k);
  real norm = sqrt(alpha * alpha + s);
  real signed_norm = select(alpha < lane(0), -norm, norm);
  real head = alpha + signed_norm;
  real inverse = select(some, lane(1) / (signed_norm * head), lane(0));
  lane_at(A, (k + 1) * pitch + k) = select(some, -signed_norm, alpha);
  real over_head = inverse * signed_norm;
  for (index i = k + 2; i < n; ++i)
    lane_at(A, i * pitch + k) = lane_at(A, i * pitch + k) * over_head;
  return head * head * inverse;
}

// A <- (I - beta v v') A for columns k + 1 to n - 1, four columns at a time.
lane_fn void hessenberg_left(lane_array A, index n, index k, real beta) {
  const index pitch = lane_pitch(n), first = (k + 1) * pitch;
  index j = k + 1;
  for (; j + 4 <= n; j += 4) {
    real s0 = lane_at(A, first + j), s1 = lane_at(A, first + j + 1);
    real s2 = lane_at(A, first + j + 2), s3 = lane_at(A, first + j + 3);
    for (index i = k + 2; i < n; ++i) {
      const index e = i * pitch + j;
      real v = lane_at(A, i * pitch + k);
      s0 = s0 + v * lane_at(A, e);
      s1 = s1 + v * lane_at(A, e + 1);
      s2 = s2 + v * lane_at(A, e + 2);
      s3 = s3 + v * lane_at(A, e + 3);
    }
    s0 = s0 * beta;
    s1 = s1 * beta;
    s2 = s2 * beta;
    s3 = s3 * beta;
    lane_at(A, first + j) = lane_at(A, first + j) - s0;
    lane_at(A, first + j + 1) = lane_at(A, first + j + 1) - s1;
    lane_at(A, first + j + 2) = lane_at(A, first + j + 2) - s2;
    lane_at(A, first + j + 3) = lane_at(A, first + j + 3) - s3;
    for (index i = k + 2; i < n; ++i) {
      const index e = i * pitch + j;
      real v = lane_at(A, i * pitch + k);
      lane_at(A, e) = lane_at(A, e) - v * s0;
      lane_at(A, e + 1) = lane_at(A, e + 1) - v * s1;
      lane_at(A, e + 2) = lane_at(A, e + 2) - v * s2;
      lane_at(A, e + 3) = lane_at(A, e + 3) - v * s3;
    }
  }
  for (; j < n; ++j) {
    real s = lane_at(A, first + j);
    for (index i = k + 2; i < n; ++i) s = s + lane_at(A, i * pitch + k) * lane_at(A, i * pitch + j);
    s = s * beta;
    lane_at(A, first + j) = lane_at(A, first + j) - s;
    for (index i = k + 2; i < n; ++i) {
      const index e = i * pitch + j;
      lane_at(A, e) = lane_at(A, e) - lane_at(A, i * pitch + k) * s;
    }
  }
}

// A <- A (I - beta v v') for all rows, four rows at a time.
lane_fn void hessenberg_right(lane_array A, index n, index k, real beta) {
  const index pitch = lane_pitch(n), c = k + 1;
  index i = 0;
  for (; i + 4 <= n; i += 4) {
    const index r0 = i * pitch, r1 = r0 + pitch, r2 = r1 + pitch, r3 = r2 + pitch;
    real s0 = lane_at(A, r0 + c), s1 = lane_at(A, r1 + c);
    real s2 = lane_at(A, r2 + c), s3 = lane_at(A, r3 + c);
    for (index j = k + 2; j < n; ++j) {
      real v = lane_at(A, j * pitch + k);
      s0 = s0 + v * lane_at(A, r0 + j);
      s1 = s1 + v * lane_at(A, r1 + j);
      s2 = s2 + v * lane_at(A, r2 + j);
      s3 = s3 + v * lane_at(A, r3 + j);
    }
    s0 = s0 * beta;
    s1 = s1 * beta;
    s2 = s2 * beta;
    s3 = s3 * beta;
    lane_at(A, r0 + c) = lane_at(A, r0 + c) - s0;
    lane_at(A, r1 + c) = lane_at(A, r1 + c) - s1;
    lane_at(A, r2 + c) = lane_at(A, r2 + c) - s2;
    lane_at(A, r3 + c) = lane_at(A, r3 + c) - s3;
    for (index j = k + 2; j < n; ++j) {
      real v = lane_at(A, j * pitch + k);
      lane_at(A, r0 + j) = lane_at(A, r0 + j) - v * s0;
      lane_at(A, r1 + j) = lane_at(A, r1 + j) - v * s1;
      lane_at(A, r2 + j) = lane_at(A, r2 + j) - v * s2;
      lane_at(A, r3 + j) = lane_at(A, r3 + j) - v * s3;
    }
  }
  for (; i < n; ++i) {
    const index r = i * pitch;
    real s = lane_at(A, r + c);
    for (index j = k + 2; j < n; ++j) s = s + lane_at(A, j * pitch + k) * lane_at(A, r + j);
    s = s * beta;
    lane_at(A, r + c) = lane_at(A, r + c) - s;
    for (index j = k + 2; j < n; ++j)
      lane_at(A, r + j) = lane_at(A, r + j) - lane_at(A, j * pitch + k) * s;
  }
}

// A <- H = Q' A Q, Hessenberg with zeros below the subdiagonal. K receives a copy of H with the
// reflectors: vector v of reflector k is in column k below the subdiagonal, its factor beta at K[b
// + k]. Returns the Frobenius norm of H.
lane_fn real hessenberg_reduce(lane_array A, kept_array K, index b, index n) {
  const index pitch = lane_pitch(n);
  for (index k = 0; k < n - 2; ++k) {
    real beta = hessenberg_reflector(A, n, k);
    kept_at(K, b + k) = beta;
    hessenberg_left(A, n, k, beta);
    hessenberg_right(A, n, k, beta);
  }
  real s = lane(0);
  for (index i = 0; i < n; ++i) {
    for (index j = 0; j < i - 1; ++j) {
      kept_at(K, i * pitch + j) = lane_at(A, i * pitch + j);
      lane_at(A, i * pitch + j) = lane(0);
    }
    for (index j = i > 0 ? i - 1 : 0; j < n; ++j) {
      real a = lane_at(A, i * pitch + j);
      kept_at(K, i * pitch + j) = a;
      s = s + a * a;
    }
  }
  return sqrt(s);
}

// x <- Q x; the reflectors are applied in reverse order.
lane_fn void hessenberg_transform_back(kept_array K, index b, index n, real* x) {
  const index pitch = lane_pitch(n);
  lane_unroll for (index k = n - 3; k >= 0; --k) {
    real s = x[k + 1];
    lane_unroll for (index i = k + 2; i < n; ++i) s = s + kept_at(K, i * pitch + k) * x[i];
    s = s * kept_at(K, b + k);
    x[k + 1] = x[k + 1] - s;
    lane_unroll for (index i = k + 2; i < n; ++i) x[i] = x[i] - s * kept_at(K, i * pitch + k);
  }
}
