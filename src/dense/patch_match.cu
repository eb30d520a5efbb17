// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/cuda_kernels.h"

namespace {

template <class Real>
struct patch_match_source {
  static bifocal::runtime::Constants constants() { return {}; }
#include "lane/cuda_begin.h"
  group_fn real patch_floor(real v) { return floorf(v); }
  group_fn real patch_gather(const float* p, real at) { return p[static_cast<index>(at)]; }
  group_fn real patch_first_byte(const bits32* p, index at) {
    return static_cast<real>(p[at] & 255u);
  }
  group_fn void patch_quad(const bits32* quads, real at, real* a, real* b, real* c, real* d) {
    const bits32 bytes = quads[static_cast<index>(at)];
    *a = static_cast<real>(bytes & 255u);
    *b = static_cast<real>(bytes >> 8 & 255u);
    *c = static_cast<real>(bytes >> 16 & 255u);
    *d = static_cast<real>(bytes >> 24);
  }
#include "dense/patch_match.list"
#include "lane/cpp_end.h"
};

CUDA_KERNELS(PATCH_MATCH_KERNELS)

}  // namespace

CUDA_TABLE(patch_match) {
  CUDA_VARIANT(patch_match, PATCH_MATCH_KERNELS, patch_match_source<float>)
}
