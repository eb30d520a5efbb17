// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/cuda_kernels.h"

namespace {

template <class Real, int Domains>
struct sift_points_text {
  static constexpr int GROUP_SIZE = 32, DOMAINS = Domains;
  static bifocal::runtime::Constants constants() { return {{"DOMAINS", DOMAINS}}; }
#include "lane/cuda_begin.h"
#include "features/sift_points.list"
#include "lane/cpp_end.h"
};
static_assert(sift_points_text<float, 1>::GROUP_SIZE == sift_points_text<float, 1>::POINT_THREADS);

CUDA_KERNELS(SIFT_POINTS_KERNELS)

}  // namespace

CUDA_TABLE(sift_points) {
  CUDA_VARIANT(sift_points, SIFT_POINTS_KERNELS, sift_points_text<float, 1>)
  using pooled = sift_points_text<float, sift_points_text<float, 1>::SIFT_DOMAINS>;
  CUDA_VARIANT(sift_points, SIFT_DESCRIBE_KERNEL, pooled)
}
