// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/cuda_kernels.h"

namespace {

template <class Real>
struct tracks_text {
  static bifocal::runtime::Constants constants() { return {{"REAL_IS_FLOAT", 0}}; }
#include "lane/cuda_begin.h"
#include "adjust/tracks/tracks.list"
#include "lane/cpp_end.h"
};

CUDA_KERNELS(TRACKS_KERNELS)

}  // namespace

CUDA_TABLE(tracks) { CUDA_VARIANT(tracks, TRACKS_KERNELS, tracks_text<double>) }
