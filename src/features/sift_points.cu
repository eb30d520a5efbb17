// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/cuda_kernels.h"

namespace {

template <class Real>
struct sift_points_text {
  static constexpr int GROUP_SIZE = 32;
  static bifocal::runtime::Constants constants() { return {}; }
#include "lane/cuda_begin.h"
#include "features/sift_points.list"
#include "lane/cpp_end.h"
};
static_assert(sift_points_text<float>::GROUP_SIZE == sift_points_text<float>::POINT_THREADS);

CUDA_KERNELS(SIFT_POINTS_KERNELS)

}  // namespace

CUDA_TABLE(sift_points) { CUDA_VARIANT(sift_points, SIFT_POINTS_KERNELS, sift_points_text<float>) }
