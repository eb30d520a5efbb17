// SPDX-License-Identifier: BSD-3-Clause
// The bodies of the kernels of svd_groups.kernels.

group_fn offset svd_output_at(offset b, index size, int interleaved) {
  return interleaved ? b : b * size;
}
// Returns the addresses of the results of matrix b of a batch (svd_batch.kernels).
group_fn svd_output svd_output_of(offset b, const svd_input* in, global_ptr scalar* S,
                                  global_ptr scalar* V, global_ptr scalar* U, index u_rows,
                                  offset element, int interleaved) {
  const index n = in->n, columns = in->rows < n ? in->rows : n;
  svd_output out;
  out.S = S + svd_output_at(b, n, interleaved);
  out.V = V + svd_output_at(b, n * n, interleaved);
  out.U = U;
  if (U) out.U = U + svd_output_at(b, u_rows * columns, interleaved);
  out.step = element;
  return out;
}

map_kernel(svd_threads, i, SVD_THREADS) {
  const offset b = (offset)first + i;
  const svd_input in = {A + b * in_matrix, in_element, rows, SVD_SIZE};
  const svd_output out = svd_output_of(b, &in, S, V, U, u_rows, out_element, out_interleaved);
  const svd_own memory = {own + block_member(), block_size()};
  const index result = svd_registers(&in, &out, max_sweeps, &memory);
  if (status) status[b] = result;
}

// Teams without a matrix process the last matrix and write no results.
thread_kernel(svd_teams, thread, threads, count, SVD_TEAMS) {
  const index i = (index)thread / SVD_TEAM;
  const mask store = i < count;
  const offset b = (offset)first + (store ? i : count - 1);
  local_ptr scalar* of_warp = (local_ptr scalar*)shared +
                              block_member() / 32 * (32 / SVD_TEAM) * SVD_TEAM_NUMBERS(SVD_PLACES);
  const svd_input in = {A + b * in_matrix, in_element, rows, n};
  const svd_output out = svd_output_of(b, &in, S, V, U, u_rows, out_element, out_interleaved);
  const index result = svd_team(GROUP_ARG & in, &out, max_sweeps, of_warp, store);
  if (status && store && (index)group_member() % SVD_TEAM == 0) status[b] = result;
}
