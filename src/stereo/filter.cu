// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/cuda_kernels.h"

namespace {

template <class Real, int Regions, int MedianSide>
struct filter_source {
  static constexpr int GROUP_SIZE = 256, REGIONS = Regions, MEDIAN_SIDE = MedianSide;
  static bifocal::runtime::Constants constants() {
    return {{"REGIONS", REGIONS}, {"MEDIAN_SIDE", MEDIAN_SIDE}};
  }
#define LANE_GROUP_WIDTH 256
#include "lane/cuda_begin.h"
#include "stereo/filter.list"
#include "lane/cpp_end.h"
};
static_assert(filter_source<float, 0, 0>::GROUP_SIZE == filter_source<float, 0, 0>::FILTER_THREADS);

CUDA_KERNELS(FILTER_KERNELS)

}  // namespace

CUDA_TABLE(filter) {
  CUDA_VARIANT(filter, FILTER_KERNELS, filter_source<float, 0, 0>)
  CUDA_VARIANT(filter, FILTER_TILE_KERNEL, filter_source<float, 0, 3>)
  CUDA_VARIANT(filter, FILTER_TILE_KERNEL, filter_source<float, 0, 5>)
  CUDA_VARIANT(filter, FILTER_TILE_KERNEL, filter_source<float, 1, 0>)
  CUDA_VARIANT(filter, FILTER_TILE_KERNEL, filter_source<float, 1, 3>)
  CUDA_VARIANT(filter, FILTER_TILE_KERNEL, filter_source<float, 1, 5>)
}
