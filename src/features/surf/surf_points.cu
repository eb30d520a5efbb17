// SPDX-License-Identifier: BSD-3-Clause
#include "features/records.hpp"
#include "runtime/cuda_kernels.h"

namespace {

using namespace bifocal::features;  // the structs of arguments

template <class Real>
struct surf_points_source {
  static constexpr int GROUP_SIZE = 32;
  static bifocal::runtime::Constants constants() { return {}; }
#include "lane/cuda_begin.h"
#include "features/surf/surf_points.list"
#include "lane/cpp_end.h"
};
static_assert(surf_points_source<float>::GROUP_SIZE ==
              surf_points_source<float>::SURF_POINT_THREADS);

CUDA_KERNELS(SURF_POINTS_KERNELS)

}  // namespace

CUDA_TABLE(surf_points) {
  CUDA_VARIANT(surf_points, SURF_POINTS_KERNELS, surf_points_source<float>)
}
