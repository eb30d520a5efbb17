// SPDX-License-Identifier: BSD-3-Clause
#include "features/records.hpp"
#include "runtime/cuda_kernels.h"

namespace {

using namespace bifocal::features;  // the structs of arguments

template <class Real, int Shaped>
struct orient_source {
  static constexpr int GROUP_SIZE = 32, SHAPED = Shaped;
  static bifocal::runtime::Constants constants() { return {{"SHAPED", SHAPED}}; }
#include "lane/cuda_begin.h"
#include "features/sift/orient.list"
#include "lane/cpp_end.h"
};
static_assert(orient_source<float, 0>::GROUP_SIZE == orient_source<float, 0>::POINT_THREADS);

CUDA_KERNELS(ORIENT_KERNELS)

}  // namespace

CUDA_TABLE(orient) {
  CUDA_VARIANT(orient, ORIENT_KERNELS, orient_source<float, 0>)
  CUDA_VARIANT(orient, ORIENT_KERNELS, orient_source<float, 1>)
}
