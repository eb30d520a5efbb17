// SPDX-License-Identifier: BSD-3-Clause
// OpenCL kernels of svd for NVIDIA's GPUs, whose work-items can read each other's registers. Built
// with GROUP_SIZE and either SVD_SIZE, or SVD_PLACES, SVD_ROWS, SVD_BLOCKS and SVD_PAIRS and a
// group of one warp.
#define SVD_BATCH_NAMES                                                                     \
  A, in_element, in_matrix, S, V, U, status, out_element, out_interleaved, n, rows, u_rows, \
      max_sweeps

#ifdef SVD_SIZE
kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void svd_registers_kernel(
    SVD_BATCH, int first, int count, local scalar* own) {
  index i = (index)get_global_id(0);
  if (i < count)
    svd_of_thread(SVD_BATCH_NAMES, (offset)first + i, own + (index)get_local_id(0), GROUP_SIZE);
}
#else
// shared: of pairs, so that it lies where a pair may be read at once.
kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void svd_columns_kernel(
    SVD_BATCH, int first, int count, local local_pair* shared) {
  index i = (index)get_global_id(0) / SVD_TEAM;
  svd_of_team(SVD_BATCH_NAMES, (offset)first + (i < count ? i : count - 1), i < count,
              (local scalar*)shared);
}
#endif
