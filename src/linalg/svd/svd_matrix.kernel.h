// SPDX-License-Identifier: BSD-3-Clause
// A matrix of a batch through svd_registers or svd_team, in CUDA and OpenCL C. Arguments: SVD_BATCH
// (svd_batch.kernel.h).

group_fn offset svd_output_at(offset b, index size, int interleaved) {
  return interleaved ? b : b * size;
}

#ifdef SVD_IN_REGISTERS
// `own` as in svd_registers.
group_fn void svd_of_thread(SVD_BATCH, offset b, local_ptr scalar* own, index own_step) {
  index columns = rows < n ? rows : n;
  global_ptr scalar* u = U;
  if (U) u = U + svd_output_at(b, u_rows * columns, out_interleaved);
  index result = svd_registers(A + b * in_matrix, in_element, rows, max_sweeps, own, own_step,
                               S + svd_output_at(b, n, out_interleaved),
                               V + svd_output_at(b, n * n, out_interleaved), u, out_element);
  if (status) status[b] = result;
}
#else
// The matrix of the calling team; `store`: whether there is one. shared: of the group.
group_fn void svd_of_team(GROUP_PARAM SVD_BATCH, offset b, mask store, local_ptr scalar* shared) {
  index columns = rows < n ? rows : n;
  global_ptr scalar* u = U;
  if (U) u = U + svd_output_at(b, u_rows * columns, out_interleaved);
  index result = svd_team(GROUP_ARG A + b * in_matrix, in_element, n, rows, max_sweeps, shared,
                          S + svd_output_at(b, n, out_interleaved),
                          V + svd_output_at(b, n * n, out_interleaved), u, out_element, store);
  if (status && store && (index)group_member() % SVD_TEAM == 0) status[b] = result;
}
#endif
