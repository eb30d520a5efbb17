// SPDX-License-Identifier: BSD-3-Clause
// Householder QR (see householder_qr.lane.h) of matrices m x n, m > n, that are too tall for the
// private memory of a thread, in CUDA and OpenCL C: one matrix per thread. T: (m + 1) n numbers of
// the matrix, element e at T[e step]. It holds the columns first, and at the end the reflectors and
// then their factors.

// Reads A (element e at A[e in_element]) and writes the reflectors to T and R of the scaled matrix
// (n x n, element e at R[e r_step]). Returns the scale. If A is not finite, R is NaN.
lane_fn real tall_factor(global_const real* A, offset in_element, index m, index n,
                         global_ptr real* T, offset step, global_ptr real* R, offset r_step) {
  real largest = lane(0), wrong = lane(0);
  for (index e = 0; e < m * n; ++e) {
    real v = A[e * in_element];
    largest = fmax(largest, fabs(v));
    wrong += v - v;  // NaN if v is NaN or infinite
  }
  mask finite = wrong == lane(0);
  real scale = jacobi_scale(select(finite, largest, lane(1)));
  for (index i = 0; i < m; ++i) {
    for (index j = 0; j < n; ++j)
      T[(j * m + i) * step] =
          select(finite, jacobi_scaled(A[(i * n + j) * in_element], scale), lane(0));
  }
  for (index k = 0; k < n; ++k) {
    global_ptr real* v = T + (offset)(k * m + k) * step;
    real head = v[0], tail2 = lane(0);
    for (index i = 1; i < m - k; ++i) tail2 += v[i * step] * v[i * step];
    real norm = sqrt(head * head + tail2);
    real first = head + copysign(norm, head);
    mask useful = tail2 > jacobi_floor();
    real beta = select(useful, lane(1) / (norm * fabs(first)), lane(0));
    v[0] = select(useful, first, lane(0));
    T[(m * n + k) * step] = beta;
    for (index j = 0; j < k; ++j) R[(k * n + j) * r_step] = wrong;
    R[(k * n + k) * r_step] = select(useful, copysign(norm, lane(0) - head), head) + wrong;
    for (index j = k + 1; j < n; ++j) {
      global_ptr real* b = T + (offset)(j * m + k) * step;
      real s = lane(0);
      for (index i = 0; i < m - k; ++i) s += v[i * step] * b[i * step];
      s *= beta;
      for (index i = 0; i < m - k; ++i) b[i * step] -= s * v[i * step];
      R[(k * n + j) * r_step] = b[0] + wrong;
    }
  }
  return scale;
}

// Multiplies column j of U (m x n, element e at U[e u_step]) by Q; its first n rows are given.
lane_fn void tall_apply(global_const real* T, offset step, index m, index n, index j,
                        global_ptr real* U, offset u_step) {
  real fill = U[j * u_step] - U[j * u_step];  // NaN if the matrix is not finite
  for (index i = n; i < m; ++i) U[(i * n + j) * u_step] = fill;
  for (index k = n - 1; k >= 0; --k) {
    global_const real* v = T + (offset)(k * m + k) * step;
    global_ptr real* b = U + (offset)(k * n + j) * u_step;
    real s = lane(0);
    for (index i = 0; i < m - k; ++i) s += v[i * step] * b[i * n * u_step];
    s *= T[(m * n + k) * step];
    for (index i = 0; i < m - k; ++i) b[i * n * u_step] -= s * v[i * step];
  }
}

map_kernel(svd_tall_factor, i, SVD_TALL_FACTOR) {
  const offset b = (offset)first + i;
  scales[b] = tall_factor(A + b * in_matrix, in_element, rows, n, work + i, count, R + b, r_step);
}

map_kernel(svd_tall_apply, item, SVD_TALL_APPLY) {
  const index j = item / count, i = item - j * count;
  const offset b = (offset)first + i;
  global_ptr scalar* s = S + (out_interleaved ? b : b * n) + j * out_element;
  *s = jacobi_unscaled(*s, scales[b]);
  if (U)
    tall_apply(work + i, count, rows, n, j, U + (out_interleaved ? b : b * rows * n), out_element);
}
