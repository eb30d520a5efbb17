// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/cuda_kernels.h"

namespace {

template <class Real, class Pixel, int Channels>
struct remap_source {
  static constexpr int PIXEL_BITS = 8 * sizeof(Pixel), CHANNELS = Channels;
  using pixel = Pixel;
  static bifocal::runtime::Constants constants() {
    return {{"PIXEL_BITS", PIXEL_BITS}, {"CHANNELS", CHANNELS}};
  }
#include "lane/cuda_begin.h"
#include "rectify/remap.list"
#include "lane/cpp_end.h"
};

CUDA_KERNELS(REMAP_KERNELS)

template <class Pixel>
void add_channels(bifocal::runtime::CudaTable& table) {
  CUDA_VARIANT(remap, REMAP_KERNELS, remap_source<float, Pixel, 1>)
  CUDA_VARIANT(remap, REMAP_KERNELS, remap_source<float, Pixel, 2>)
  CUDA_VARIANT(remap, REMAP_KERNELS, remap_source<float, Pixel, 3>)
  CUDA_VARIANT(remap, REMAP_KERNELS, remap_source<float, Pixel, 4>)
}

}  // namespace

CUDA_TABLE(remap) {
  add_channels<std::uint8_t>(table);
  add_channels<std::uint16_t>(table);
}
