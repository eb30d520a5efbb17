// SPDX-License-Identifier: BSD-3-Clause
#include "features/records.hpp"
#include "runtime/cuda_kernels.h"

namespace {

using namespace bifocal::features;  // the structs of arguments

template <class Real, int Domains, int Shaped>
struct describe_source {
  static constexpr int GROUP_SIZE = 32, DOMAINS = Domains, SHAPED = Shaped;
  static bifocal::runtime::Constants constants() {
    return {{"DOMAINS", DOMAINS}, {"SHAPED", SHAPED}};
  }
#include "lane/cuda_begin.h"
#include "features/sift/describe.list"
#include "lane/cpp_end.h"
};
static_assert(describe_source<float, 1, 0>::GROUP_SIZE ==
              describe_source<float, 1, 0>::POINT_THREADS);

CUDA_KERNELS(DESCRIBE_KERNELS)

}  // namespace

CUDA_TABLE(describe) {
  constexpr int kPooled = describe_source<float, 1, 0>::SIFT_DOMAINS;
  CUDA_VARIANT(describe, DESCRIBE_KERNELS, describe_source<float, 1, 0>)
  CUDA_VARIANT(describe, DESCRIBE_KERNELS, describe_source<float, kPooled, 0>)
  CUDA_VARIANT(describe, DESCRIBE_KERNELS, describe_source<float, 1, 1>)
  CUDA_VARIANT(describe, DESCRIBE_KERNELS, describe_source<float, kPooled, 1>)
}
