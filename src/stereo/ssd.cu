// SPDX-License-Identifier: BSD-3-Clause
// The kernels of ssd_device.cpp for CUDA; their arguments are described in ssd.kernel.h.
#include "lane/scalar.hpp"
#include "stereo/ssd_kernels.hpp"

namespace bifocal::stereo {
namespace {

template <class Real, int kWindow>
struct ssd_text {
  static constexpr int GROUP_SIZE = kSsdFinishThreads, WINDOW = kWindow;
#define LANE_GROUP_WIDTH 256
#include "lane/cuda_begin.h"

#include "stereo/disparity.lane.h"

#include "stereo/chain.kernel.h"

  static __device__ void local_lowest(bits32* p, bits32 v) { atomicMin(p, v); }
  static __device__ void global_lowest(bits32* p, bits32 v) { atomicMin(p, v); }
  static __device__ constexpr int group_in_step() { return 32; }
  static __device__ bits32 group_lowest_(bits32 v) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return __reduce_min_sync(0xffffffffu, v);
#else
    for (int o = 16; o > 0; o /= 2) v = min(v, __shfl_xor_sync(0xffffffffu, v, o));
    return v;
#endif
  }
#define ssd_unroll _Pragma("unroll")
#include "stereo/ssd.kernel.h"

#include "lane/cpp_end.h"
};
template <int kWindow>
using Text = ssd_text<float, kWindow>;
static_assert(Text<3>::group_width == kSsdFinishThreads);

using Steps = unsigned short;
using Byte = unsigned char;
using Bits = std::uint32_t;

// 128 registers: four groups of 128 threads share the 65536 of a multiprocessor.
template <int W>
__global__ void __launch_bounds__(128, 4)
    winners(const Byte* __restrict__ left, const Byte* __restrict__ right, int width, int height,
            int min_disparity, int first, int end, int lane0, int chunk_first, int chunk_end,
            int chunk, int tiles, int rows, Bits* left_cost, Steps* steps, Bits* right_keys) {
  using L = Text<W>;
  __shared__ typename L::ssd_shared shared;
  const typename L::ssd_search q = {width,       height,    min_disparity,
                                    first,       end,       lane0,
                                    chunk_first, chunk_end, static_cast<int>(blockDim.x),
                                    chunk};
  const int group = static_cast<int>(blockIdx.x), y0 = group / tiles * rows;
  L::kernel_ssd_winners(&q, group % tiles * L::OUTPUTS, y0, min(y0 + rows, height), left, right,
                        left_cost, steps, right_keys, &shared);
}

template <int W>
__global__ void __launch_bounds__(kSsdFinishThreads)
    finish(int width, int min_disparity, int lane0, int chunk, int tolerance, int fills_row,
           Bits* right_keys, Bits* right_cost, Steps* right_index, Steps* steps, Steps* filled,
           int* row_known) {
  using L = Text<W>;
  __shared__ Bits ends[2 * kSsdFinishThreads];
  const typename L::ssd_search q = {width, 0, min_disparity, 0, 0, lane0, 0, 0, 0, chunk};
  L::kernel_ssd_finish(&q, static_cast<int>(blockIdx.x), tolerance, fills_row, right_keys,
                       right_cost, right_index, steps, filled, row_known, ends);
}

template <int W>
const void* kernel_of(SsdKernel kernel) {
  static_assert(Text<W>::OUTPUTS == SsdTile(W).outputs && Text<W>::LANES_MOST == SsdTile(W).lanes);
  return kernel == SsdKernel::winners ? reinterpret_cast<const void*>(&winners<W>)
                                      : reinterpret_cast<const void*>(&finish<W>);
}

}  // namespace

const void* cuda_ssd_kernel(SsdKernel kernel, int window) {
  switch (window) {
    case 3:
      return kernel_of<3>(kernel);
    case 5:
      return kernel_of<5>(kernel);
    case 7:
      return kernel_of<7>(kernel);
    case 9:
      return kernel_of<9>(kernel);
    case 11:
      return kernel_of<11>(kernel);
    case 13:
      return kernel_of<13>(kernel);
    case 15:
      return kernel_of<15>(kernel);
    case 17:
      return kernel_of<17>(kernel);
    case 19:
      return kernel_of<19>(kernel);
    case 21:
      return kernel_of<21>(kernel);
    case 23:
      return kernel_of<23>(kernel);
    case 25:
      return kernel_of<25>(kernel);
    case 27:
      return kernel_of<27>(kernel);
    case 29:
      return kernel_of<29>(kernel);
    default:
      return kernel_of<31>(kernel);
  }
}

}  // namespace bifocal::stereo
