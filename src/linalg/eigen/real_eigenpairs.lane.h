// SPDX-License-Identifier: BSD-3-Clause
// Real eigenvalues and eigenvectors of one n x n unsymmetric matrix, n >= 1.
//
//   count = real_eigenvalues(A, K, n, balance, max_sweeps, &status);   // overwrites A
//   for e in [0, count): value = real_eigenvalue(K, n, e); real_eigenvector(A, K, n, e, x);
//   all eigenvalues: eigenvalue_part(K, n, i, 0 | 1), i in [0, n)
//
// A: lane_array of n * lane_pitch(n) elements, row i at i * lane_pitch(n). K: kept_array of
// real_eigenpairs_kept(n) elements. Between the calls it holds the Hessenberg form, the
// reflectors and the lists below. Lanes with e >= count, or with a nonzero status, get an
// arbitrary finite vector.

// Lists after the matrix in K: 0 factors of the reflectors, 1 balancing, 2 real eigenvalues, 3 real
// eigenvalues moved apart, 4 real and 5 imaginary parts of all eigenvalues, 6 the norm of the
// matrix and the two powers of two that it was divided by.
lane_fn index eigen_list(index n, index list) { return n * lane_pitch(n) + list * n; }
lane_fn index real_eigenpairs_kept(index n) { return eigen_list(n, 6) + 3; }

// Converts an eigenvalue of the scaled matrix to an eigenvalue of the given matrix.
lane_fn real eigen_unscaled(kept_array K, index n, real value) {
  const index p = eigen_list(n, 6);
  return value * kept_at(K, p + 2) * kept_at(K, p + 1) + lane(0);
}

// Writes the eigenvalues of the diagonal blocks of A to lists 2, 4, 5; returns the number of
// real eigenvalues.
lane_fn lane_int eigen_blocks(lane_array A, kept_array K, index n) {
  const index pitch = lane_pitch(n);
  const index values = eigen_list(n, 2), re = eigen_list(n, 4), im = eigen_list(n, 5);
  lane_int count = lane_int_of(0);
  mask second = lane(0) == lane(1);  // second row of a block of two
  real second_re = lane(0), second_im = lane(0);
  for (index i = 0; i < n; ++i) kept_at(K, values + i) = lane(0);
  for (index i = 0; i < n; ++i) {
    const index e = i * pitch + i;
    real value = select(second, second_re, lane_at(A, e));
    real imaginary = select(second, second_im, lane(0));
    if (i + 1 < n) {
      real sub = lane_at(A, e + pitch);
      mask pair = !(second | (sub == lane(0)));
      if (any(pair)) {
        real last = lane_at(A, e + pitch + 1), product = sub * lane_at(A, e + 1);
        real p = lane(0.5) * (lane_at(A, e) - last), q = p * p + product;
        real root = sqrt(fabs(q));
        mask both_real = q >= lane(0);
        real z = p + select(p < lane(0), -root, root);
        real other = select(z == lane(0), last + z, last - product / z);
        value = select(pair, select(both_real, last + z, last + p), value);
        imaginary = select(pair, select(both_real, lane(0), root), imaginary);
        second_re = select(both_real, other, last + p);
        second_im = select(both_real, lane(0), -root);
      }
      second = pair;
    }
    kept_at(K, re + i) = value;
    kept_at(K, im + i) = imaginary;
    mask is_real = imaginary == lane(0);
    kept_put(K, count + lane_int_of(values), is_real, value);
    count = select_int(is_real, count + lane_int_of(1), count);
  }
  return count;
}

// Computes all eigenvalues and returns the number of real ones. *status: LinalgStatus; if it is not
// 0, the number is 0.
lane_fn lane_int real_eigenvalues(lane_array A, kept_array K, index n, index balance,
                                  index max_sweeps, lane_int* status) {
  const index p = eigen_list(n, 6);
  real powers[2];
  lane_int unsound = matrix_normalise(A, n, powers);
  if (balance) matrix_balance(A, K, eigen_list(n, 1), n);
  real norm = hessenberg_reduce(A, K, eigen_list(n, 0), n);
  kept_at(K, p) = select(norm == lane(0), lane(1), norm);
  kept_at(K, p + 1) = powers[0];
  kept_at(K, p + 2) = powers[1];
  lane_int exhausted = francis_iterate(A, n, norm, max_sweeps);
  lane_int count = eigen_blocks(A, K, n);
  *status = select_int(unsound == lane_int_of(0), exhausted, unsound);
  return select_int(*status == lane_int_of(0), count, lane_int_of(0));
}

// Returns the e-th real eigenvalue, in the order of the diagonal.
lane_fn real real_eigenvalue(kept_array K, index n, index e) {
  return eigen_unscaled(K, n, kept_at(K, eigen_list(n, 2) + e));
}

// Returns the real part (part 0) or imaginary part (part 1) of eigenvalue i, out
// of all eigenvalues.
lane_fn real eigenvalue_part(kept_array K, index n, index i, index part) {
  return eigen_unscaled(K, n, kept_at(K, eigen_list(n, 4 + part) + i));
}

// Returns the e-th real eigenvalue for inverse iteration. If it is nearly equal to an earlier
// eigenvalue, it is moved away by multiples of `width`, so that its vector may differ. Must be
// called for every e in order.
lane_fn real eigenvalue_apart(kept_array K, index n, index e, real width) {
  const index apart = eigen_list(n, 3);
  real value = kept_at(K, eigen_list(n, 2) + e);
  mask moved = lane(0) == lane(0);
  for (index pass = 0; pass <= e && any(moved); ++pass) {
    moved = lane(0) == lane(1);
    for (index i = 0; i < e; ++i) {
      mask near = fabs(value - kept_at(K, apart + i)) < width;
      value = select(near, value + width, value);
      moved = moved | near;
    }
  }
  kept_at(K, apart + e) = value;
  return value;
}

// Computes x [n], the unit eigenvector of the e-th real eigenvalue. Must be called for every e in
// order. Overwrites A.
lane_fn void real_eigenvector(lane_array A, kept_array K, index n, index balance, index e,
                              real* x) {
  const real least = kept_at(K, eigen_list(n, 6)) * lane_epsilon();
  inverse_iteration(A, K, n, eigenvalue_apart(K, n, e, least), least, x);
  hessenberg_transform_back(K, eigen_list(n, 0), n, x);
  real largest = lane(0), sum = lane(0);
  lane_unroll for (index i = 0; i < n; ++i) {
    if (balance) x[i] = x[i] * kept_at(K, eigen_list(n, 1) + i);
    largest = fmax(largest, fabs(x[i]));
  }
  real f = lane(1) / largest;  // prevents underflow of the squares
  lane_unroll for (index i = 0; i < n; ++i) {
    x[i] = x[i] * f;
    sum = sum + x[i] * x[i];
  }
  f = lane(1) / sqrt(sum);
  lane_unroll for (index i = 0; i < n; ++i) x[i] = x[i] * f + lane(0);
}

// Returns |A x - value x| / |A| of one pair; 0 for a zero matrix. A is the given matrix; the powers
// in K prevent over- and underflow of its squares.
lane_fn real eigenpair_residual(lane_array A, kept_array K, index n, index e, const real* x) {
  const index pitch = lane_pitch(n), p = eigen_list(n, 6);
  real value = kept_at(K, eigen_list(n, 2) + e);
  real f = lane(1) / kept_at(K, p + 1), g = lane(1) / kept_at(K, p + 2);
  real sum = lane(0), norm = lane(0);
  for (index i = 0; i < n; ++i) {
    real r = -value * x[i];
    for (index j = 0; j < n; ++j) {
      real a = lane_at(A, i * pitch + j) * f * g;
      r = r + a * x[j];
      norm = norm + a * a;
    }
    sum = sum + r * r;
  }
  return select(norm > lane(0), sqrt(sum / norm), lane(0));
}
