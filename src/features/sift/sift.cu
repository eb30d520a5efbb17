// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/cuda_kernels.h"

namespace {

template <class Real, int Radius>
struct sift_text {
  static constexpr int GROUP_SIZE = 256, RADIUS = Radius;
  static bifocal::runtime::Constants constants() { return {{"RADIUS", RADIUS}}; }
#define LANE_GROUP_WIDTH 256
#include "lane/cuda_begin.h"
#include "features/sift/sift.list"
#include "lane/cpp_end.h"
};
static_assert(sift_text<float, 1>::GROUP_SIZE == sift_text<float, 1>::SIFT_THREADS);

CUDA_KERNELS(SIFT_KERNELS)

}  // namespace

// The radii of the default options; others are blurred line by line.
CUDA_TABLE(sift) {
  CUDA_VARIANT(sift, SIFT_KERNELS, sift_text<float, 4>)
  CUDA_VARIANT(sift, SIFT_BLUR_KERNEL, sift_text<float, 5>)
  CUDA_VARIANT(sift, SIFT_BLUR_KERNEL, sift_text<float, 6>)
  CUDA_VARIANT(sift, SIFT_BLUR_KERNEL, sift_text<float, 8>)
  CUDA_VARIANT(sift, SIFT_BLUR_KERNEL, sift_text<float, 10>)
}
