// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/cuda_kernels.h"

namespace {

template <class Real>
struct homography_source {
  static constexpr int SAMPLE_SIZE = 4;
  static bifocal::runtime::Constants constants() { return {{"REAL_IS_FLOAT", sizeof(Real) == 4}}; }
#define LANE_STRIDE 1         // lane arrays are private to a thread
#define LANE_GROUP_WIDTH 128  // the warps of a block share the points
#include "lane/cuda_begin.h"
#include "seeds/homography_trials.list"
#include "lane/cpp_end.h"
};
CUDA_KERNELS(HOMOGRAPHY_TRIALS_KERNELS)

}  // namespace

CUDA_TABLE(homography_trials) {
  CUDA_VARIANT(homography_trials, HOMOGRAPHY_TRIALS_KERNELS, homography_source<float>)
}
