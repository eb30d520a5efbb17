// SPDX-License-Identifier: BSD-3-Clause
#include "features/records.hpp"
#include "runtime/cuda_kernels.h"

namespace {

using namespace bifocal::features;  // the structs of arguments

template <class Real, int Radius>
struct space_source {
  static constexpr int GROUP_SIZE = 256, RADIUS = Radius;
  static bifocal::runtime::Constants constants() { return {{"RADIUS", RADIUS}}; }
#define LANE_GROUP_WIDTH 256
#include "lane/cuda_begin.h"
#include "features/sift/space.list"
#include "lane/cpp_end.h"
};
static_assert(space_source<float, 1>::GROUP_SIZE == space_source<float, 1>::SPACE_THREADS);

CUDA_KERNELS(SPACE_KERNELS)

}  // namespace

// Radii of the default options; other radii are blurred line by line.
CUDA_TABLE(space) {
  CUDA_VARIANT(space, SPACE_KERNELS, space_source<float, 4>)
  CUDA_VARIANT(space, SPACE_BLUR_KERNEL, space_source<float, 5>)
  CUDA_VARIANT(space, SPACE_BLUR_KERNEL, space_source<float, 6>)
  CUDA_VARIANT(space, SPACE_BLUR_KERNEL, space_source<float, 8>)
  CUDA_VARIANT(space, SPACE_BLUR_KERNEL, space_source<float, 10>)
}
