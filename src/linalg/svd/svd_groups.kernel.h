// SPDX-License-Identifier: BSD-3-Clause
// These are the kernels of svd_groups.kernels.

group_fn offset svd_output_at(offset b, index size, int interleaved) {
  return interleaved ? b : b * size;
}

map_kernel(svd_threads, i, SVD_THREADS) {
  const offset b = (offset)first + i;
  const index columns = rows < SVD_SIZE ? rows : SVD_SIZE;
  global_ptr scalar* u = U;
  if (U) u = U + svd_output_at(b, u_rows * columns, out_interleaved);
  const index result =
      svd_registers(A + b * in_matrix, in_element, rows, max_sweeps, own + block_member(),
                    block_size(), S + svd_output_at(b, SVD_SIZE, out_interleaved),
                    V + svd_output_at(b, SVD_SIZE * SVD_SIZE, out_interleaved), u, out_element);
  if (status) status[b] = result;
}

// Teams without a matrix of their own work on the last one, and write nothing.
thread_kernel(svd_teams, thread, threads, count, SVD_TEAMS) {
  const index i = (index)thread / SVD_TEAM, columns = rows < n ? rows : n;
  const mask store = i < count;
  const offset b = (offset)first + (store ? i : count - 1);
  local_ptr scalar* of_warp = (local_ptr scalar*)shared +
                              block_member() / 32 * (32 / SVD_TEAM) * SVD_TEAM_NUMBERS(SVD_PLACES);
  global_ptr scalar* u = U;
  if (U) u = U + svd_output_at(b, u_rows * columns, out_interleaved);
  const index result =
      svd_team(GROUP_ARG A + b * in_matrix, in_element, n, rows, max_sweeps, of_warp,
               S + svd_output_at(b, n, out_interleaved),
               V + svd_output_at(b, n * n, out_interleaved), u, out_element, store);
  if (status && store && (index)group_member() % SVD_TEAM == 0) status[b] = result;
}
