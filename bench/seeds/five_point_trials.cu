// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/cuda_kernels.h"
#include "seeds/trials.hpp"

namespace {

template <class Real>
struct five_point_source {
  static constexpr int SAMPLE_SIZE = 5, WIDEST_GROUP = bifocal::bench::seeds::kWidestGroup;
  static bifocal::runtime::Constants constants() {
    return {{"REAL_IS_FLOAT", sizeof(Real) == 4},
            {"SAMPLE_SIZE", SAMPLE_SIZE},
            {"WIDEST_GROUP", WIDEST_GROUP}};
  }
#define LANE_STRIDE 1         // lane arrays are private to a thread
#define LANE_GROUP_WIDTH 128  // the warps of a block share the points
#include "lane/cuda_begin.h"
#include "seeds/five_point_trials.list"
#include "lane/cpp_end.h"
};
CUDA_KERNELS(FIVE_POINT_TRIALS_KERNELS)

}  // namespace

CUDA_TABLE(five_point_trials) {
  CUDA_VARIANT(five_point_trials, TRIAL_KERNELS, five_point_source<double>)
  CUDA_VARIANT(five_point_trials, FIVE_POINT_SOLVER_KERNELS, five_point_source<double>)
  CUDA_VARIANT(five_point_trials, FIVE_POINT_INLIER_KERNELS, five_point_source<float>)
  CUDA_VARIANT(five_point_trials, FIVE_POINT_VOTE_KERNELS, five_point_source<float>)
}
