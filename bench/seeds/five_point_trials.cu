// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/cuda_kernels.h"
#include "seeds/trials.hpp"

namespace {

// Width: threads of a group.
template <class Real, int Width>
struct five_point_source {
  static constexpr int SAMPLE_SIZE = 5, WIDEST_GROUP = bifocal::bench::seeds::kWidestGroup;
  static bifocal::runtime::Constants constants() {
    return {{"REAL_IS_FLOAT", sizeof(Real) == 4},
            {"SAMPLE_SIZE", SAMPLE_SIZE},
            {"WIDEST_GROUP", WIDEST_GROUP}};
  }
#define LANE_STRIDE 1  // lane arrays are private to a thread
#define LANE_GROUP_WIDTH Width
#include "lane/cuda_begin.h"
#include "seeds/five_point_trials.list"
#include "lane/cpp_end.h"
};
CUDA_KERNELS(FIVE_POINT_TRIALS_KERNELS)

// The warps of a block share the points.
template <class Real>
using blocks = five_point_source<Real, bifocal::bench::seeds::kGroupSize>;

}  // namespace

CUDA_TABLE(five_point_trials) {
  CUDA_VARIANT(five_point_trials, TRIAL_KERNELS, blocks<double>)
  CUDA_VARIANT(five_point_trials, FIVE_POINT_SOLVER_KERNELS, blocks<double>)
  CUDA_VARIANT(five_point_trials, FIVE_POINT_INLIER_KERNELS, blocks<float>)
  CUDA_VARIANT(five_point_trials, FIVE_POINT_VOTE_KERNELS, blocks<float>)
  using warps = five_point_source<double, 32>;
  CUDA_VARIANT(five_point_trials, FIVE_POINT_GROUP_KERNELS, warps)
}
