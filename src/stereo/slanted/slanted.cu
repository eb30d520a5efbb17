// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/cuda_kernels.h"

namespace {

template <class Real>
struct slanted_text {
  static bifocal::runtime::Constants constants() { return {}; }
#include "lane/cuda_begin.h"
  group_fn real slanted_floor(real v) { return floorf(v); }
  group_fn real slanted_gather(const float* p, real at) { return p[static_cast<index>(at)]; }
#include "stereo/slanted/slanted.list"
#include "lane/cpp_end.h"
};

CUDA_KERNELS(SLANTED_KERNELS)

}  // namespace

CUDA_TABLE(slanted) { CUDA_VARIANT(slanted, SLANTED_KERNELS, slanted_text<float>) }
