// SPDX-License-Identifier: BSD-3-Clause
// The arguments of the SVD family's kernels, in CUDA and OpenCL C.

// Element e of matrix b of A at A[e in_element + b in_matrix]; of an output of `size` numbers a
// matrix at [e out_element + b] where out_interleaved, else at [e + b size]. U may be nullptr; it
// has u_rows rows, of which the first `rows` are written. status may be nullptr.
#define SVD_BATCH                                                                             \
  global_const scalar *A, offset in_element, offset in_matrix, global_ptr scalar *S,          \
      global_ptr scalar *V, global_ptr scalar *U, global_ptr int *status, offset out_element, \
      int out_interleaved, int n, int rows, int u_rows, int max_sweeps
