// SPDX-License-Identifier: BSD-3-Clause
#include "features/records.hpp"
#include "runtime/cuda_kernels.h"

namespace {

using namespace bifocal::features;  // the structs of arguments

template <class Real>
struct order_source {
  static constexpr int GROUP_SIZE = 256;
  static bifocal::runtime::Constants constants() { return {}; }
#define LANE_GROUP_WIDTH 256
#include "lane/cuda_begin.h"
#include "features/order.list"
#include "lane/cpp_end.h"
};
static_assert(order_source<float>::GROUP_SIZE == order_source<float>::ORDER_THREADS);

CUDA_KERNELS(ORDER_KERNELS)

}  // namespace

CUDA_TABLE(order) { CUDA_VARIANT(order, ORDER_KERNELS, order_source<float>) }
