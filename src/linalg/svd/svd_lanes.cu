// SPDX-License-Identifier: BSD-3-Clause
// The CUDA kernels of the SVD family with a thread a matrix.
#include <cstddef>

#include "lane/scalar.hpp"
#include "linalg/svd/svd_kernels.hpp"

namespace bifocal::linalg {
namespace {

template <class Real, int Largest>
struct svd_lanes_text {
#include "lane/cuda_begin.h"
  static constexpr int SVD_LARGEST = Largest;
#include "linalg/svd/svd_lanes.lanes"
#include "lane/cpp_end.h"
};

#define SVD_BATCH_NAMES                                                                     \
  A, in_element, in_matrix, S, V, U, status, out_element, out_interleaved, n, rows, u_rows, \
      max_sweeps
#define SVD_BATCH_OF(T)                                                                           \
  const T *A, std::ptrdiff_t in_element, std::ptrdiff_t in_matrix, T *S, T *V, T *U, int *status, \
      std::ptrdiff_t out_element, int out_interleaved, int n, int rows, int u_rows, int max_sweeps

__device__ int thread_number() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

template <class T, int Largest>
__global__ void __launch_bounds__(kSvdLaneThreads)
    smallest_vector_lanes(SVD_BATCH_OF(T), int first, int count) {
  const int i = thread_number();
  if (i < count)
    svd_lanes_text<T, Largest>::lane_smallest_vector_of(SVD_BATCH_NAMES, std::ptrdiff_t{first} + i);
}

template <class T, int Largest>
__global__ void __launch_bounds__(kSvdLaneThreads)
    symmetric_lanes(SVD_BATCH_OF(T), int first, int count) {
  const int i = thread_number();
  if (i < count)
    svd_lanes_text<T, Largest>::lane_symmetric_of(SVD_BATCH_NAMES, std::ptrdiff_t{first} + i);
}

template <class T>
__global__ void __launch_bounds__(kSvdLaneThreads)
    svd_tall_factor(const T* A, std::ptrdiff_t in_element, std::ptrdiff_t in_matrix, int m, int n,
                    T* work, T* R, std::ptrdiff_t r_step, T* scales, int first, int count) {
  const int i = thread_number();
  if (i < count)
    svd_lanes_text<T, kSvdLaneSizes[0]>::tall_factor_of(A, in_element, in_matrix, m, n, work, R,
                                                        r_step, scales, first, count, i);
}

template <class T>
__global__ void __launch_bounds__(kSvdLaneThreads)
    svd_tall_apply(const T* work, int m, int n, const T* scales, T* S, T* U,
                   std::ptrdiff_t out_element, int out_interleaved, int first, int count) {
  const int i = thread_number(), j = i / count;
  if (j < n)
    svd_lanes_text<T, kSvdLaneSizes[0]>::tall_apply_of(
        work, m, n, scales, S, U, out_element, out_interleaved, first, count, i - j * count, j);
}

template <class T, int Largest>
const void* function_of(SvdLaneKernel kernel) {
  if (kernel == SvdLaneKernel::smallest_vector)
    return reinterpret_cast<const void*>(&smallest_vector_lanes<T, Largest>);
  return reinterpret_cast<const void*>(&symmetric_lanes<T, Largest>);
}

}  // namespace

template <class T>
const void* svd_lane_cuda_function(int n, SvdLaneKernel kernel) {
  switch (kernel) {
    case SvdLaneKernel::svd:
      return nullptr;
    case SvdLaneKernel::tall_factor:
      return reinterpret_cast<const void*>(&svd_tall_factor<T>);
    case SvdLaneKernel::tall_apply:
      return reinterpret_cast<const void*>(&svd_tall_apply<T>);
    default:
      break;
  }
  return n <= kSvdLaneSizes[0] ? function_of<T, kSvdLaneSizes[0]>(kernel)
                               : function_of<T, kSvdLaneSizes[1]>(kernel);
}
template const void* svd_lane_cuda_function<float>(int, SvdLaneKernel);
template const void* svd_lane_cuda_function<double>(int, SvdLaneKernel);

}  // namespace bifocal::linalg
