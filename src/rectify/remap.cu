// SPDX-License-Identifier: BSD-3-Clause
// Kernel of remap.cpp for CUDA; its arguments are described there. A thread a pixel.
#include "lane/scalar.hpp"
#include "rectify/remap.hpp"

namespace bifocal::rectification {
namespace {

template <class Real, class Pixel, int kChannels>
struct remap_text {
  using pixel = Pixel;
  static constexpr int CHANNELS = kChannels;
#include "lane/cuda_begin.h"

#include "rectify/remap.lane.h"

#include "lane/cpp_end.h"
};

template <class Pixel, int kChannels>
__global__ void __launch_bounds__(kRemapThreads)
    remap_kernel(const Pixel* __restrict__ input, int input_width, int input_height,
                 const int* __restrict__ x, const int* __restrict__ y, int width, int height,
                 Pixel* __restrict__ output, unsigned char* __restrict__ valid, int marks) {
  const std::int64_t i = std::int64_t{blockIdx.x} * kRemapThreads + threadIdx.x;
  if (i >= std::int64_t{width} * height) return;
  const int sx = x[i];
  remap_text<float, Pixel, kChannels>::remap_pixel(
      input, static_cast<std::ptrdiff_t>(input_width) * kChannels, input_width, input_height, sx,
      y[i], output + i * kChannels);
  if (marks) valid[i] = sx < 0 ? 0 : 255;
}

template <class Pixel>
const void* of_channels(int channels) {
  switch (channels) {
    case 1:
      return reinterpret_cast<const void*>(&remap_kernel<Pixel, 1>);
    case 2:
      return reinterpret_cast<const void*>(&remap_kernel<Pixel, 2>);
    case 3:
      return reinterpret_cast<const void*>(&remap_kernel<Pixel, 3>);
    default:
      return reinterpret_cast<const void*>(&remap_kernel<Pixel, 4>);
  }
}

}  // namespace

const void* cuda_remap(int bits, int channels) {
  return bits == 8 ? of_channels<unsigned char>(channels) : of_channels<unsigned short>(channels);
}

}  // namespace bifocal::rectification
