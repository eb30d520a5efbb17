// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/cuda_kernels.h"

namespace {

template <class Real>
struct feature_set_source {
  static constexpr int GROUP_SIZE = 256;
  static bifocal::runtime::Constants constants() { return {{"GROUP_SIZE", GROUP_SIZE}}; }
#include "lane/cuda_begin.h"
#include "features/matching/feature_set.list"
#include "lane/cpp_end.h"
};

CUDA_KERNELS(FEATURE_SET_KERNELS)

}  // namespace

CUDA_TABLE(feature_set) {
  CUDA_VARIANT(feature_set, FEATURE_SET_KERNELS, feature_set_source<float>)
}
