// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/cuda_kernels.h"

namespace {

template <class Real>
struct kept_source {
  static constexpr int GROUP_SIZE = 256;
  static bifocal::runtime::Constants constants() { return {{"GROUP_SIZE", GROUP_SIZE}}; }
#include "lane/cuda_begin.h"
#include "collection/collect/kept.list"
#include "lane/cpp_end.h"
};

CUDA_KERNELS(KEPT_KERNELS)

}  // namespace

CUDA_TABLE(kept) { CUDA_VARIANT(kept, KEPT_KERNELS, kept_source<float>) }
