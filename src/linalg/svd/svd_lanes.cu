// SPDX-License-Identifier: BSD-3-Clause
// The CUDA kernels of the SVD family with one matrix per thread, in private arrays.
#include "runtime/cuda_kernels.h"

namespace {

template <class Real, int Largest>
struct svd_lanes_source {
  static constexpr int SVD_LARGEST = Largest;
  static bifocal::runtime::Constants constants() {
    return {{"REAL_IS_FLOAT", sizeof(Real) == 4}, {"SVD_LARGEST", Largest}};
  }
#include "lane/cuda_begin.h"
#include "linalg/svd/svd_lanes.list"
#include "lane/cpp_end.h"
};

CUDA_KERNELS(SVD_LANES_KERNELS)

template <class Real>
void add_svd_lanes(bifocal::runtime::CudaTable& table) {
  using small = svd_lanes_source<Real, 9>;
  CUDA_VARIANT(svd_lanes, SVD_SMALL_KERNELS, small)
#ifndef BIFOCAL_FEW_CUDA_VARIANTS
  using large = svd_lanes_source<Real, 32>;
  CUDA_VARIANT(svd_lanes, SVD_TALL_KERNELS, small)
  CUDA_VARIANT(svd_lanes, SVD_SMALL_KERNELS, large)
#endif
}

}  // namespace

CUDA_TABLE(svd_lanes) {
  add_svd_lanes<float>(table);
  add_svd_lanes<double>(table);
}
