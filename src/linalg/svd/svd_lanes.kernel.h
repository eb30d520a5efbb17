// SPDX-License-Identifier: BSD-3-Clause
// The SVD family on a GPU with one matrix per thread in private arrays, by the lane code of the
// CPU. SVD_LARGEST: largest number of columns.
#define SVD_OWN (SVD_LARGEST * SVD_LARGEST)

// Returns the factor that scales a matrix (element e at A[e step]) to the range of the Jacobi
// methods, NaN if the matrix is not finite. With lower_only, only elements with j <= i are read.
lane_fn real lane_svd_scale(global_const real* A, offset step, index m, index n, index lower_only) {
  real largest = lane(0), not_finite = lane(0);
  for (index i = 0; i < m; ++i) {
    for (index j = 0; j < (lower_only ? i + 1 : n); ++j) {
      real v = A[(i * n + j) * step];
      largest = fmax(largest, fabs(v));
      not_finite += v - v;
    }
  }
  mask finite = not_finite == lane(0);
  return jacobi_scale(select(finite, largest, lane(1))) + not_finite;
}
// Returns a scaled element, 0 if the scale is NaN.
lane_fn real lane_svd_scaled(real v, real scale) {
  return select(scale == scale, jacobi_scaled(v, scale), lane(0));
}
// Writes X [cols][rows], element e at to[e step]; NaN if the scale is NaN.
lane_fn void lane_svd_write(const real* X, index rows, index cols, real scale, global_ptr real* to,
                            offset step) {
  real poison = scale - scale;
  for (index i = 0; i < rows; ++i) {
    for (index j = 0; j < cols; ++j) to[(i * cols + j) * step] = X[j * rows + i] + poison;
  }
}
lane_fn offset lane_svd_at(offset b, index size, index interleaved) {
  return interleaved ? b : b * size;
}
lane_fn void lane_svd_status(global_ptr int* status, offset b, real scale, mask unfinished) {
  if (status) status[b] = scale == scale ? (unfinished ? 1 : 0) : 2;
}
lane_fn void lane_svd_values(const real* S, index n, real scale, global_ptr real* to, offset step) {
  for (index i = 0; i < n; ++i) to[i * step] = jacobi_unscaled(S[i], scale);
}

// The matrix has at most n rows.
map_kernel(svd_lanes, item, SVD_BATCH_ALONE) {
  const offset b = (offset)first + item;
  real T[SVD_OWN], W[SVD_OWN], X[SVD_OWN], B[SVD_OWN], Y[SVD_OWN], Z[SVD_OWN], s[SVD_LARGEST];
  index with_u = U ? 1 : 0;
  A = A + b * in_matrix;
  real scale = lane_svd_scale(A, in_element, rows, n, 0);
  for (index i = 0; i < rows; ++i) {
    for (index j = 0; j < n; ++j)
      T[rows < n ? i * n + j : j * n + i] = lane_svd_scaled(A[(i * n + j) * in_element], scale);
  }
  const svd_workspace own = {B, W, X};
  const svd_factors out = {s, Y, Z};
  mask unfinished = rows < n ? svd_wide(T, rows, n, &own, &out, with_u, max_sweeps)
                             : svd_square(T, n, W, s, Y, Z, with_u, max_sweeps);
  lane_svd_values(s, n, scale, S + lane_svd_at(b, n, out_interleaved), out_element);
  lane_svd_write(Y, n, n, scale, V + lane_svd_at(b, n * n, out_interleaved), out_element);
  if (U)
    lane_svd_write(Z, rows, rows, scale, U + lane_svd_at(b, u_rows * rows, out_interleaved),
                   out_element);
  lane_svd_status(status, b, scale, unfinished);
}

// The matrix has at most n rows.
map_kernel(smallest_vector_lanes, item, SVD_BATCH_ALONE) {
  const offset b = (offset)first + item;
  real T[SVD_OWN], W[SVD_OWN], Y[SVD_OWN], s[SVD_LARGEST], x[SVD_LARGEST];
  A = A + b * in_matrix;
  real scale = lane_svd_scale(A, in_element, rows, n, 0);
  for (index i = 0; i < rows; ++i) {
    for (index j = 0; j < n; ++j)
      T[rows < n ? i * n + j : j * n + i] = lane_svd_scaled(A[(i * n + j) * in_element], scale);
  }
  mask unfinished = lane(1) < lane(0);
  if (rows < n) {
    null_vector(T, rows, n, x);
  } else {
    qr_factor(T, n, n, s, x);
    for (index j = 0; j < n; ++j) {
      T[j * n + j] = s[j];
      for (index i = j + 1; i < n; ++i) T[j * n + i] = lane(0);
    }
    if (any(!smallest_vector(T, n, x, 10))) {
      unfinished = svd_square(T, n, W, s, Y, W, 0, max_sweeps);
      for (index i = 0; i < n; ++i) x[i] = Y[(n - 1) * n + i];
    }
  }
  lane_svd_write(x, n, 1, scale, V + lane_svd_at(b, n, out_interleaved), out_element);
  lane_svd_status(status, b, scale, unfinished);
}

map_kernel(symmetric_lanes, item, SVD_BATCH_ALONE) {
  const offset b = (offset)first + item;
  real T[SVD_OWN], Y[SVD_OWN], s[SVD_LARGEST];
  A = A + b * in_matrix;
  real scale = lane_svd_scale(A, in_element, n, n, 1);
  for (index i = 0; i < n; ++i) {
    for (index j = 0; j <= i; ++j)
      T[i * n + j] = T[j * n + i] = lane_svd_scaled(A[(i * n + j) * in_element], scale);
  }
  mask unfinished = symmetric_jacobi(T, n, s, Y, V ? 1 : 0, max_sweeps);
  lane_svd_values(s, n, scale, S + lane_svd_at(b, n, out_interleaved), out_element);
  if (V) lane_svd_write(Y, n, n, scale, V + lane_svd_at(b, n * n, out_interleaved), out_element);
  lane_svd_status(status, b, scale, unfinished);
}

// Element (i, j) of a symmetric matrix, read from its lower triangle.
#define SVD_SYMMETRIC(i, j) A[((i) > (j) ? (i)*n + (j) : (j)*n + (i)) * in_element]

map_kernel(svd_symmetric_shift, item, SVD_SYMMETRIC_SHIFT) {
  A = A + item * in_matrix;
  real scale = lane_svd_scale(A, in_element, n, n, 1), bound = lane(0);
  for (index i = 0; i < n; ++i) {
    real sum = lane(0);
    for (index j = 0; j < n; ++j) sum += fabs(lane_svd_scaled(SVD_SYMMETRIC(i, j), scale));
    bound = fmax(bound, sum);
  }
  real poison = scale - scale;
  for (index i = 0; i < n; ++i) {
    for (index j = 0; j < n; ++j)
      shifted[(offset)(i * n + j) * count + item] =
          lane_svd_scaled(SVD_SYMMETRIC(i, j), scale) + (i == j ? bound : lane(0)) + poison;
  }
  scales[item] = scale;
  shifts[item] = bound;
}

map_kernel(svd_symmetric_values, item, SVD_SYMMETRIC_VALUES) {
  const index j = item / count, b = item - j * count;
  global_ptr scalar* s = S + lane_svd_at(b, n, out_interleaved) + j * out_element;
  *s = jacobi_unscaled(*s - shifts[b], scales[b]);
}

map_kernel(svd_last_column, item, SVD_LAST_COLUMN) {
  const index i = item / count, b = first + item - i * count;
  x[lane_svd_at(b, n, out_interleaved) + i * out_element] = V[(i * n + n - 1) * step + b];
}
