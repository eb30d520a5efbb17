// SPDX-License-Identifier: BSD-3-Clause
#include "features/records.hpp"
#include "runtime/cuda_kernels.h"
#include "verify/records.hpp"

namespace {

// Namespaces of the argument structs.
using namespace bifocal::features;
using namespace bifocal::scene;
using namespace bifocal::verify;

template <class Real>
struct gather_source {
  static constexpr int GROUP_SIZE = 128;
  static bifocal::runtime::Constants constants() { return {}; }
#define LANE_GROUP_WIDTH 128
#include "lane/cuda_begin.h"
#include "verify/gather.list"
#include "lane/cpp_end.h"
};
static_assert(gather_source<double>::GROUP_SIZE == gather_source<double>::GATHER_THREADS);

CUDA_KERNELS(GATHER_KERNELS)

}  // namespace

CUDA_TABLE(gather) { CUDA_VARIANT(gather, GATHER_KERNELS, gather_source<double>) }
