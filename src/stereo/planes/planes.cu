// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/cuda_kernels.h"

namespace {

template <class Real>
struct planes_source {
  static constexpr int GROUP_SIZE = 128;
  static bifocal::runtime::Constants constants() { return {}; }
#define LANE_GROUP_WIDTH 128
#include "lane/cuda_begin.h"
#include "stereo/planes/planes.list"
#include "lane/cpp_end.h"
};
static_assert(planes_source<float>::GROUP_SIZE == planes_source<float>::PLANES_THREADS);

CUDA_KERNELS(PLANES_KERNELS)

}  // namespace

CUDA_TABLE(planes) { CUDA_VARIANT(planes, PLANES_KERNELS, planes_source<float>) }
