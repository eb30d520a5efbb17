// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/cuda_kernels.h"

namespace {

template <class Real>
struct match_text {
  static constexpr int GROUP_SIZE = 256;
  static bifocal::runtime::Constants constants() { return {{"GROUP_SIZE", GROUP_SIZE}}; }
#define LANE_GROUP_WIDTH 256
#include "lane/cuda_begin.h"
#include "features/matching/match.list"
#include "lane/cpp_end.h"
};
static_assert(match_text<double>::GROUP_SIZE == match_text<double>::MATCH_THREADS);

CUDA_KERNELS(MATCH_KERNELS)

}  // namespace

CUDA_TABLE(match) { CUDA_VARIANT(match, MATCH_KERNELS, match_text<double>) }
