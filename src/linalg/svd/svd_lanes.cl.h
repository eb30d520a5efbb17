// SPDX-License-Identifier: BSD-3-Clause
// OpenCL kernels of the SVD family, a work-item a matrix; built with SVD_LARGEST and
// SVD_LANE_KERNEL, the number of a SvdLaneKernel. See svd_lanes.kernel.h, svd_tall.kernel.h.
#define SVD_BATCH_NAMES                                                                     \
  A, in_element, in_matrix, S, V, U, status, out_element, out_interleaved, n, rows, u_rows, \
      max_sweeps

#if SVD_LANE_KERNEL == 0
kernel void svd_lanes(SVD_BATCH, int first, int count) {
  index i = (index)get_global_id(0);
  if (i < count) lane_svd_of(SVD_BATCH_NAMES, (offset)first + i);
}
#elif SVD_LANE_KERNEL == 1
kernel void smallest_vector_lanes(SVD_BATCH, int first, int count) {
  index i = (index)get_global_id(0);
  if (i < count) lane_smallest_vector_of(SVD_BATCH_NAMES, (offset)first + i);
}
#elif SVD_LANE_KERNEL == 2
kernel void symmetric_lanes(SVD_BATCH, int first, int count) {
  index i = (index)get_global_id(0);
  if (i < count) lane_symmetric_of(SVD_BATCH_NAMES, (offset)first + i);
}
#else
kernel void svd_tall_factor(SVD_TALL_FACTOR) {
  index i = (index)get_global_id(0);
  if (i < count)
    tall_factor_of(A, in_element, in_matrix, m, n, T, R, r_step, scales, first, count, i);
}

kernel void svd_tall_apply(SVD_TALL_APPLY) {
  index i = (index)get_global_id(0), j = i / count;
  if (j < n)
    tall_apply_of(T, m, n, scales, S, U, out_element, out_interleaved, first, count, i - j * count,
                  j);
}
#endif
