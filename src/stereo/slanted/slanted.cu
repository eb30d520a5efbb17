// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/cuda_kernels.h"

namespace {

template <class Real>
struct slanted_source {
  static bifocal::runtime::Constants constants() { return {}; }
#include "lane/cuda_begin.h"
  group_fn real slanted_floor(real v) { return floorf(v); }
  group_fn real slanted_gather(const float* p, real at) { return p[static_cast<index>(at)]; }
  group_fn void slanted_quad(const bits32* quads, real at, real* a, real* b, real* c, real* d) {
    const bits32 bytes = quads[static_cast<index>(at)];
    *a = static_cast<real>(bytes & 255u);
    *b = static_cast<real>(bytes >> 8 & 255u);
    *c = static_cast<real>(bytes >> 16 & 255u);
    *d = static_cast<real>(bytes >> 24);
  }
#include "stereo/slanted/slanted.list"
#include "lane/cpp_end.h"
};

CUDA_KERNELS(SLANTED_KERNELS)

}  // namespace

CUDA_TABLE(slanted) { CUDA_VARIANT(slanted, SLANTED_KERNELS, slanted_source<float>) }
