// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/cuda_kernels.h"

namespace {

template <class Real>
struct grey_source {
  static constexpr int GROUP_SIZE = 256;
  static bifocal::runtime::Constants constants() { return {{"GROUP_SIZE", GROUP_SIZE}}; }
#include "lane/cuda_begin.h"
#include "features/grey/grey.list"
#include "lane/cpp_end.h"
};

CUDA_KERNELS(GREY_KERNELS)

}  // namespace

CUDA_TABLE(grey) { CUDA_VARIANT(grey, GREY_KERNELS, grey_source<float>) }
