// SPDX-License-Identifier: BSD-3-Clause
// One thread of a GPU loads, solves (linalg/eigen/real_eigenpairs.lane.h) and stores matrix b of a
// batch. Included after linalg.lanes and linalg.groups, for CUDA and OpenCL.

// A and K: the lane arrays of the thread; x: memory for a vector.
group_fn void lane_real_eigenpairs(offset b KERNEL_PARAMETERS(EIGEN_BATCH), index n, index balance,
                                   index max_sweeps, lane_array A_, kept_array K, real* x) {
  global_ptr const scalar* a = A + b * matrix;
  index pitch = lane_pitch(n);
  for (index i = 0; i < n; ++i) {
    for (index j = 0; j < n; ++j) lane_at(A_, i * pitch + j) = a[(i * n + j) * element];
  }
  lane_int state = lane_int_of(0);
  lane_int found = real_eigenvalues(A_, K, n, balance, max_sweeps, &state);
  values += b * values_matrix;
  for (index i = 0; i < n; ++i)
    values[i * out_element] = i < found ? real_eigenvalue(K, n, i) : lane_nan();
  counts[b] = found;
  if (status != 0) status[b] = state;
  if (real_parts != 0) {
    for (index i = 0; i < n; ++i) {
      real_parts[b * values_matrix + i * out_element] =
          state == 0 ? eigenvalue_part(K, n, i, 0) : lane_nan();
    }
  }
  if (imaginary_parts != 0) {
    for (index i = 0; i < n; ++i) {
      imaginary_parts[b * values_matrix + i * out_element] =
          state == 0 ? eigenvalue_part(K, n, i, 1) : lane_nan();
    }
  }
  if (vectors == 0 && residuals == 0) return;
  real worst = lane(0);
  for (index e = 0; e < n; ++e) {
    if (e < found) {
      real_eigenvector(A_, K, n, balance, e, x);
      if (residuals != 0) {
        for (index i = 0; i < n; ++i) {
          for (index j = 0; j < n; ++j) lane_at(A_, i * pitch + j) = a[(i * n + j) * element];
        }
        worst = fmax(worst, eigenpair_residual(A_, K, n, e, x));
      }
    }
    if (vectors != 0) {
      lane_unroll for (index i = 0; i < n; ++i) {
        vectors[b * vectors_matrix + (i * n + e) * out_element] = e < found ? x[i] : lane_nan();
      }
    }
  }
  if (residuals != 0) residuals[b] = state == 0 ? worst : lane_nan();
}
