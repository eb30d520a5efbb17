// SPDX-License-Identifier: BSD-3-Clause
// The kernels of chain_device.cpp for CUDA; their arguments are described in chain.kernel.h.
#include "lane/scalar.hpp"
#include "stereo/chain_kernels.hpp"

namespace bifocal::stereo {
namespace {

template <class Real>
struct chain_text {
  static constexpr int GROUP_SIZE = kChainThreads;
#define LANE_GROUP_WIDTH 256
#include "lane/cuda_begin.h"

#include "stereo/disparity.lane.h"

#include "stereo/chain.kernel.h"

#include "lane/cpp_end.h"
};
using L = chain_text<float>;
static_assert(L::group_width == kChainThreads);

using Steps = unsigned short;
using Byte = unsigned char;

__device__ int thread_index() { return static_cast<int>(blockIdx.x * kChainThreads + threadIdx.x); }
__device__ int block_index() { return static_cast<int>(blockIdx.x); }

__global__ void __launch_bounds__(kChainThreads)
    check(Steps* steps, const Steps* right_index, int width, int height, int min_disparity,
          int tolerance) {
  if (thread_index() < width * height)
    L::kernel_check(thread_index(), steps, right_index, width, min_disparity, tolerance);
}

__global__ void __launch_bounds__(kChainThreads)
    occluded(const Steps* right_index, int width, int min_disparity, Byte* marks) {
  L::kernel_occluded(block_index(), right_index, width, min_disparity, marks);
}

__global__ void __launch_bounds__(kChainThreads)
    fill_row(const Steps* steps, int width, Steps* filled, int* row_known) {
  __shared__ std::uint32_t ends[2 * kChainThreads];
  L::kernel_fill_row(block_index(), steps, width, filled, row_known, ends);
}

__global__ void __launch_bounds__(kChainThreads)
    fill_blank(const int* row_known, int width, int height, Steps* filled) {
  L::kernel_fill_blank(block_index(), row_known, width, height, filled);
}

__global__ void __launch_bounds__(kChainThreads)
    mean_round(const Steps* steps, int width, int height, int radius, Steps* filled) {
  if (thread_index() < width * height)
    L::kernel_mean_round(thread_index(), steps, width, height, radius, filled);
}

__global__ void __launch_bounds__(kChainThreads)
    mean_rest(Steps* steps, Steps* other, int width, int height, int radius) {
  __shared__ int flags[2];
  L::kernel_mean_rest(steps, other, width, height, radius, flags);
}

__global__ void __launch_bounds__(kChainThreads)
    edge_aware(const Steps* steps, const Byte* brightness, const Byte* marks, int width, int height,
               Steps* filled) {
  if (thread_index() < width * height)
    L::kernel_edge_aware(thread_index(), steps, brightness, marks, width, height, filled);
}

}  // namespace

const void* cuda_chain_kernel(ChainKernel kernel) {
  switch (kernel) {
    case ChainKernel::check:
      return reinterpret_cast<const void*>(&check);
    case ChainKernel::occluded:
      return reinterpret_cast<const void*>(&occluded);
    case ChainKernel::fill_row:
      return reinterpret_cast<const void*>(&fill_row);
    case ChainKernel::fill_blank:
      return reinterpret_cast<const void*>(&fill_blank);
    case ChainKernel::mean_round:
      return reinterpret_cast<const void*>(&mean_round);
    case ChainKernel::mean_rest:
      return reinterpret_cast<const void*>(&mean_rest);
    case ChainKernel::edge_aware:
      break;
  }
  return reinterpret_cast<const void*>(&edge_aware);
}

}  // namespace bifocal::stereo
