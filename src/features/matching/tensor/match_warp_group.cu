// SPDX-License-Identifier: BSD-3-Clause
// Compiled for compute capability 9.0 alone (sm_90a), whose instructions no other device has.
#include "features/records.hpp"
#include "runtime/cuda_kernels.h"

namespace {

using namespace bifocal::features;  // the structs of arguments

template <class Real, int Columns>
struct match_warp_group_source {
  static constexpr int COLUMNS = Columns;
  static bifocal::runtime::Constants constants() { return {{"COLUMNS", COLUMNS}}; }
  using words4 = uint4;
  using kernel_words4 = words4;
#define LANE_GROUP_WIDTH 512
#include "lane/cuda_begin.h"
#include "features/matching/tensor/match_warp_group.list"
#include "lane/cpp_end.h"
  static_assert(group_width == WARP_GROUP_THREADS);
};

CUDA_KERNELS(MATCH_WARP_GROUP_KERNELS)

}  // namespace

CUDA_TABLE(match_warp_group) {
  CUDA_VARIANT(match_warp_group, MATCH_WARP_GROUP_KERNELS, match_warp_group_source<double, 0>)
  CUDA_VARIANT(match_warp_group, MATCH_WARP_GROUP_KERNELS, match_warp_group_source<double, 1>)
  CUDA_VARIANT(match_warp_group, MATCH_WARP_GROUP_KERNELS, match_warp_group_source<double, 2>)
}
