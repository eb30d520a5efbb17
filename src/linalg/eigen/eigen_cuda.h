// SPDX-License-Identifier: BSD-3-Clause
// The CUDA kernels of real_eigenpairs; instantiated by eigen_f32.cu and eigen_f64.cu.
#include "runtime/cuda_kernels.h"

namespace {

// Width: threads per matrix. Size: matrix size if Width is 1.
template <class Real, int Width, int Size>
struct eigen_source {
  static constexpr int SIZE = Size;
  static bifocal::runtime::Constants constants() {
    return {{"REAL_IS_FLOAT", sizeof(Real) == 4}, {"WIDTH", Width}, {"SIZE", Size}};
  }
#define LANE_GROUP_WIDTH (Width == 1 ? 32 : Width)
#include "lane/cuda_begin.h"
#include "linalg/eigen/eigen.list"
#include "lane/cpp_end.h"
};

CUDA_KERNELS(EIGEN_KERNELS)

template <class Source>
void add_lanes(bifocal::runtime::CudaTable& table) {
  CUDA_VARIANT(eigen, EIGEN_LANE_KERNELS, Source)
}
template <class Real, int... Sizes>
void add_all_lanes(bifocal::runtime::CudaTable& table) {
  (add_lanes<eigen_source<Real, 1, Sizes>>(table), ...);
}
template <class Real>
void add_eigen(bifocal::runtime::CudaTable& table) {
#ifdef BIFOCAL_FEW_CUDA_VARIANTS
  add_all_lanes<Real, 4>(table);
#else
  add_all_lanes<Real, EIGEN_LANE_SIZES>(table);
  CUDA_VARIANT(eigen, EIGEN_GROUP_KERNELS, eigen_source<Real, 8, 1>)
  CUDA_VARIANT(eigen, EIGEN_GROUP_KERNELS, eigen_source<Real, 16, 1>)
#endif
  CUDA_VARIANT(eigen, EIGEN_GROUP_KERNELS, eigen_source<Real, 32, 1>)
}

}  // namespace
