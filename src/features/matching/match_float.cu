// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/cuda_kernels.h"

namespace {

template <class Real>
struct match_float_source {
  static constexpr int GROUP_SIZE = 256;
  static bifocal::runtime::Constants constants() { return {{"GROUP_SIZE", GROUP_SIZE}}; }
#define LANE_GROUP_WIDTH 256
#include "lane/cuda_begin.h"
#include "features/matching/match_float.list"
#include "lane/cpp_end.h"
};

CUDA_KERNELS(MATCH_FLOAT_KERNELS)

}  // namespace

CUDA_TABLE(match_float) {
  CUDA_VARIANT(match_float, MATCH_FLOAT_KERNELS, match_float_source<float>)
}
