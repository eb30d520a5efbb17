// SPDX-License-Identifier: BSD-3-Clause
#include "features/records.hpp"
#include "runtime/cuda_kernels.h"

namespace {

using namespace bifocal::features;  // the structs of arguments

template <class Real>
struct surf_source {
  static constexpr int GROUP_SIZE = 256;
  static bifocal::runtime::Constants constants() { return {}; }
#define LANE_GROUP_WIDTH 256
#include "lane/cuda_begin.h"
#include "features/surf/surf.list"
#include "lane/cpp_end.h"
};
static_assert(surf_source<float>::GROUP_SIZE == surf_source<float>::SURF_THREADS);

CUDA_KERNELS(SURF_KERNELS)

}  // namespace

CUDA_TABLE(surf) { CUDA_VARIANT(surf, SURF_KERNELS, surf_source<float>) }
