// SPDX-License-Identifier: BSD-3-Clause
// The kernels of filter_device.cpp for CUDA; their arguments are described in filter.kernel.h.
#include "lane/scalar.hpp"
#include "stereo/filter_kernels.hpp"

namespace bifocal::stereo {
namespace {

template <class Real>
struct filter_text {
  static constexpr int GROUP_SIZE = kFilterThreads;
#define LANE_GROUP_WIDTH 256
#include "lane/cuda_begin.h"
  // Words of filter.kernel.h.
  group_fn bits32 pair_min(bits32 a, bits32 b) { return __vminu2(a, b); }
  group_fn bits32 pair_max(bits32 a, bits32 b) { return __vmaxu2(a, b); }
  group_fn index bits_leading_zeros(bits32 v) { return __clz(static_cast<int>(v)); }
  group_fn void local_set_bits(bits32* p, bits32 v) { atomicOr(p, v); }
  group_fn void local_add(bits32* p, bits32 v) { atomicAdd(p, v); }
  group_fn void global_add(bits32* p, bits32 v) { atomicAdd(p, v); }
  group_fn bits32 tile_lower(volatile bits32* p, bits32 v) {
    return atomicMin(const_cast<bits32*>(p), v);
  }
  group_fn bits32 picture_lower(volatile bits32* p, bits32 v) {
    return atomicMin(const_cast<bits32*>(p), v);
  }
  // Others may lower what is read.
  group_fn bits32 tile_read(volatile bits32* p) {
    return __nv_atomic_load_n(const_cast<bits32*>(p), __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
  }
  group_fn bits32 picture_read(volatile bits32* p) {
    return __nv_atomic_load_n(const_cast<bits32*>(p), __NV_ATOMIC_RELAXED,
                              __NV_THREAD_SCOPE_DEVICE);
  }
  group_fn float float_nan() { return __int_as_float(0x7fc00000); }

#include "stereo/disparity.lane.h"
#define FOREST_MEMORY
#define FOREST(name) tile_##name
#include "stereo/forest.kernel.h"
#undef FOREST
#define FOREST(name) picture_##name
#include "stereo/forest.kernel.h"
#include "stereo/filter.kernel.h"

#include "lane/cpp_end.h"
};
using L = filter_text<float>;
static_assert(L::group_width == kFilterThreads && L::TILE_PIXELS == 2 * kFilterThreads);

using U16 = unsigned short;
using U32 = unsigned int;
using Byte = unsigned char;

__device__ int thread_index() {
  return static_cast<int>(blockIdx.x * kFilterThreads + threadIdx.x);
}

__global__ void __launch_bounds__(kFilterThreads)
    tile(const U16* steps, const U16* right_index, int width, int height, int min_disparity,
         int tolerance, int side, int with_regions, int range, U16* filtered, U32* labels,
         U32* sizes) {
  __shared__ U16 halo[L::HALO_PIXELS], values[L::TILE_PIXELS];
  __shared__ U32 trees[L::TILE_PIXELS], pixels[L::TILE_PIXELS], joined[L::TILE_HEIGHT];
  const typename L::tile_memory m = {halo, values, trees, pixels, joined};
  L::kernel_tile(static_cast<int>(blockIdx.x), steps, right_index, width, height, min_disparity,
                 tolerance, side, with_regions, range, filtered, labels, sizes, m);
}

__global__ void __launch_bounds__(kFilterThreads)
    borders(const U16* steps, int width, int height, int range, U32* labels) {
  if (thread_index() < L::border_pairs(width, height))
    L::kernel_borders(thread_index(), steps, width, height, range, labels);
}

__global__ void __launch_bounds__(kFilterThreads) sizes(int pixels, U32* labels, U32* counts) {
  if (thread_index() < pixels) L::kernel_sizes(thread_index(), labels, counts);
}

__global__ void __launch_bounds__(kFilterThreads)
    apply(int pixels, U16* steps, const U32* labels, const U32* counts, int least,
          int min_disparity, const Byte* sure, float* raw, Byte* confidence) {
  if (thread_index() < pixels)
    L::kernel_apply(thread_index(), steps, labels, counts, least, min_disparity, sure, raw,
                    confidence);
}

__global__ void __launch_bounds__(kFilterThreads)
    pixels(int count, const U16* steps, int min_disparity, float* map) {
  if (thread_index() < count) L::kernel_pixels(thread_index(), steps, min_disparity, map);
}

}  // namespace

const void* cuda_filter_kernel(FilterKernel kernel) {
  switch (kernel) {
    case FilterKernel::tile:
      return reinterpret_cast<const void*>(&tile);
    case FilterKernel::borders:
      return reinterpret_cast<const void*>(&borders);
    case FilterKernel::sizes:
      return reinterpret_cast<const void*>(&sizes);
    case FilterKernel::apply:
      return reinterpret_cast<const void*>(&apply);
    case FilterKernel::pixels:
      break;
  }
  return reinterpret_cast<const void*>(&pixels);
}

}  // namespace bifocal::stereo
