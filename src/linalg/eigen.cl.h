// SPDX-License-Identifier: BSD-3-Clause
// Entry points of the real eigenpairs in OpenCL C. -D GROUP_SIZE: members of a work-group; of
// eigen_lanes -D SIZE=n too. See linalg/eigen_kernels.hpp.

#if defined(SIZE) || defined(LANES_IN_GLOBAL)
// A matrix a work-item. kept: real_eigenpairs_kept(n) GROUP_SIZE numbers for each work-group; work:
// n lane_pitch(n) GROUP_SIZE, with LANES_IN_GLOBAL behind those of kept.
#ifdef LANES_IN_GLOBAL
kernel void eigen_lanes(EIGEN_BATCH, global_ptr scalar* kept, int n, int balance, int max_sweeps,
                        int count) {
  real x[127];
  const offset room = real_eigenpairs_kept(n) + n * lane_pitch(n);
#else
kernel void eigen_lanes(EIGEN_BATCH, global_ptr scalar* kept, int n_, int balance, int max_sweeps,
                        int count, local scalar* work) {
  real x[SIZE];
  const index n = SIZE;
  const offset room = real_eigenpairs_kept(n);
#endif
  index member = (index)get_local_id(0);
  kept += (offset)get_group_id(0) * room * GROUP_SIZE + member;
#ifdef LANES_IN_GLOBAL
  lane_array A_ = kept + real_eigenpairs_kept(n) * GROUP_SIZE;
#else
  lane_array A_ = work + member;
#endif
  for (offset b = (offset)get_global_id(0); b < count; b += (offset)get_global_size(0)) {
    lane_real_eigenpairs(A, element, matrix, values, vectors, counts, status, residuals, real_parts,
                         imaginary_parts, out_element, values_matrix, vectors_matrix, n, b, balance,
                         max_sweeps, A_, kept, x);
  }
}
#else
// A matrix a work-group. kept: 2 n^2 numbers for each work-group, with -D WORK_IN_GLOBAL=1 the
// EIGEN_LOCAL(n, 0) of work behind them: for matrices larger than the local memory.
kernel void eigen_groups(EIGEN_BATCH, global_ptr scalar* kept, int n, int balance, int max_sweeps,
                         int count
#ifndef WORK_IN_GLOBAL
                         ,
                         local scalar* work
#endif
) {
  local scalar group_scratch[GROUP_SIZE];
#ifdef WORK_IN_GLOBAL
  kept += (offset)get_group_id(0) * (2 * n * n + EIGEN_LOCAL(n, 0));
  local_ptr scalar* work = kept + 2 * n * n;
#else
  kept += (offset)get_group_id(0) * 2 * n * n;
#endif
  for (offset b = (offset)get_group_id(0); b < count; b += (offset)get_num_groups(0)) {
    group_real_eigenpairs(GROUP_ARG A, element, matrix, values, vectors, counts, status, residuals,
                          real_parts, imaginary_parts, out_element, values_matrix, vectors_matrix,
                          n, b, balance != 0, max_sweeps, work, kept);
  }
}
#endif
