// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/cuda_kernels.h"

namespace {

template <class Real, int Domains, int Shaped>
struct sift_points_text {
  static constexpr int GROUP_SIZE = 32, DOMAINS = Domains, SHAPED = Shaped;
  static bifocal::runtime::Constants constants() {
    return {{"DOMAINS", DOMAINS}, {"SHAPED", SHAPED}};
  }
#include "lane/cuda_begin.h"
#include "features/sift/sift_points.list"
#include "lane/cpp_end.h"
};
using round_text = sift_points_text<float, 1, 0>;
static_assert(round_text::GROUP_SIZE == round_text::POINT_THREADS);

CUDA_KERNELS(SIFT_POINTS_KERNELS)

}  // namespace

CUDA_TABLE(sift_points) {
  constexpr int kPooled = round_text::SIFT_DOMAINS;
  CUDA_VARIANT(sift_points, SIFT_ROUND_KERNELS, round_text)
  CUDA_VARIANT(sift_points, SIFT_DESCRIBE_KERNEL, sift_points_text<float, kPooled, 0>)
  CUDA_VARIANT(sift_points, SIFT_SHAPED_KERNELS, sift_points_text<float, 1, 1>)
  CUDA_VARIANT(sift_points, SIFT_DESCRIBE_KERNEL, sift_points_text<float, kPooled, 1>)
}
