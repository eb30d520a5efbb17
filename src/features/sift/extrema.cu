// SPDX-License-Identifier: BSD-3-Clause
#include "features/records.hpp"
#include "runtime/cuda_kernels.h"

namespace {

using namespace bifocal::features;  // the structs of arguments

template <class Real>
struct extrema_source {
  static constexpr int GROUP_SIZE = 256;
  static bifocal::runtime::Constants constants() { return {}; }
#define LANE_GROUP_WIDTH 256
#include "lane/cuda_begin.h"
#include "features/sift/extrema.list"
#include "lane/cpp_end.h"
};
static_assert(extrema_source<float>::GROUP_SIZE == extrema_source<float>::EXTREMA_THREADS);

CUDA_KERNELS(EXTREMA_KERNELS)

}  // namespace

CUDA_TABLE(extrema) { CUDA_VARIANT(extrema, EXTREMA_KERNELS, extrema_source<float>) }
