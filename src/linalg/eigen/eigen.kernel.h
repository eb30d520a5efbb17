// SPDX-License-Identifier: BSD-3-Clause
// The bodies of the kernels of eigen.kernels. Every thread or group processes one matrix
// after another.

// With LANES_IN_GLOBAL, matrices of any size are supported: `work` is in global
// memory after `kept`.
thread_kernel(eigen_lanes, thread, threads, count, EIGEN_SOLVE) {
  const bits32 member = block_member() % LANE_STRIDE;
  real x[SIZE];
#ifdef LANES_IN_GLOBAL
  const index size = n, numbers = EIGEN_LANE_KEPT(n) + EIGEN_LANE_WORK(n);
#else
  const index size = SIZE, numbers = EIGEN_LANE_KEPT(SIZE);
#endif
  kept += (offset)(thread / LANE_STRIDE) * numbers * LANE_STRIDE + member;
#ifdef LANES_IN_GLOBAL
  lane_array own = kept + EIGEN_LANE_KEPT(n) * LANE_STRIDE;
#else
  lane_array own =
      work + block_member() / LANE_STRIDE * EIGEN_LANE_WORK(SIZE) * LANE_STRIDE + member;
#endif
  for (offset b = thread; b < count; b += threads)
    lane_real_eigenpairs(b KERNEL_ARGUMENTS(EIGEN_BATCH), size, balance, max_sweeps, own, kept, x);
}

// With WORK_IN_GLOBAL, for matrices larger than the local memory, `work` is in global memory
// after `kept`.
thread_kernel(eigen_groups, thread, threads, count, EIGEN_SOLVE) {
#ifdef WORK_IN_GLOBAL
  kept += (offset)(thread / group_width) * (EIGEN_GROUP_KEPT(n) + EIGEN_GROUP_USED(n));
  local_ptr scalar* own = kept + EIGEN_GROUP_KEPT(n);
#else
  kept += (offset)(thread / group_width) * EIGEN_GROUP_KEPT(n);
  local_ptr scalar* own = work + block_member() / group_width * EIGEN_GROUP_WORK(n, group_width);
#endif
  for (offset b = thread / group_width; b < count; b += threads / group_width)
    group_real_eigenpairs(GROUP_ARG b KERNEL_ARGUMENTS(EIGEN_BATCH), n, balance != 0, max_sweeps,
                          own, kept);
}
