// SPDX-License-Identifier: BSD-3-Clause
#include "features/records.hpp"
#include "runtime/cuda_kernels.h"

namespace {

using namespace bifocal::features;  // the structs of arguments

template <class Real, int Columns>
struct match_tensor_source {
  static constexpr int COLUMNS = Columns;
  static bifocal::runtime::Constants constants() { return {{"COLUMNS", COLUMNS}}; }
  using words4 = uint4;
  using kernel_words4 = words4;
#define LANE_GROUP_WIDTH 128
#include "lane/cuda_begin.h"
#include "features/matching/tensor/match_tensor.list"
#include "lane/cpp_end.h"
  static_assert(group_width == TENSOR_THREADS);
};

CUDA_KERNELS(MATCH_TENSOR_KERNELS)

}  // namespace

CUDA_TABLE(match_tensor) {
  CUDA_VARIANT(match_tensor, MATCH_TENSOR_KERNELS, match_tensor_source<double, 0>)
  CUDA_VARIANT(match_tensor, MATCH_TENSOR_KERNELS, match_tensor_source<double, 1>)
  CUDA_VARIANT(match_tensor, MATCH_TENSOR_KERNELS, match_tensor_source<double, 2>)
}
