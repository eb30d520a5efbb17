// SPDX-License-Identifier: BSD-3-Clause
// Functions of scalars for sources that use angles, in C++, CUDA and OpenCL C. Included after
// lane/cpp_begin.h, lane/cuda_begin.h or lane/opencl_begin.h.
//   scalar_tan(v)
//   scalar_hypot(a, b)   square root of a^2 + b^2 without overflow
#ifdef __OPENCL_VERSION__
#define scalar_tan(v) tan(v)
#define scalar_hypot(a, b) hypot(a, b)
#else
lane_fn scalar scalar_tan(scalar v) { return std::tan(v); }
lane_fn scalar scalar_hypot(scalar a, scalar b) { return std::hypot(a, b); }
#endif
