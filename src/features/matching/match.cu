// SPDX-License-Identifier: BSD-3-Clause
#include "features/records.hpp"
#include "runtime/cuda_kernels.h"

namespace {

using namespace bifocal::features;  // the structs of arguments

template <class Real, int Guided>
struct match_source {
  static constexpr int GROUP_SIZE = 256, GUIDED = Guided;
  static bifocal::runtime::Constants constants() {
    return {{"GROUP_SIZE", GROUP_SIZE}, {"GUIDED", GUIDED}};
  }
#define LANE_GROUP_WIDTH 256
#include "lane/cuda_begin.h"
#include "features/matching/match.list"
#include "lane/cpp_end.h"
};
static_assert(match_source<double, 0>::GROUP_SIZE == match_source<double, 0>::MATCH_THREADS);

CUDA_KERNELS(MATCH_KERNELS)

}  // namespace

CUDA_TABLE(match) {
  CUDA_VARIANT(match, MATCH_KERNELS, match_source<double, 0>)
  CUDA_VARIANT(match, MATCH_TILES_KERNEL, match_source<double, 1>)
}
