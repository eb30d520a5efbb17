// SPDX-License-Identifier: BSD-3-Clause
// The kernels of engine_device.cpp for CUDA and one problem: the body of a compiled unit for each
// (CMakeLists.txt), which defines PROBLEM, its name, and PROBLEM_TEXT, the list of its lane and
// group files. Arguments are described in engine.kernel.h.
#include "lane/scalar.hpp"
#include "robust/engine_kernels.hpp"

namespace bifocal::robust {
namespace {

template <class Real>
struct pair_text {
#define LANE_GROUP_WIDTH 128
#include "lane/cuda_begin.h"

#include "math/math.lanes"

#include "linalg/linalg.lanes"

#include "solvers/solvers.lanes"

#include PROBLEM_TEXT

#include "robust/search/kernels.groups"

#include "lane/cpp_end.h"
};
template <class Real>
struct model_text {
#include "lane/cuda_begin.h"

#include "math/math.lanes"

#include "linalg/linalg.lanes"

#include "solvers/solvers.lanes"

#include PROBLEM_TEXT

#include "robust/search/kernels.groups"

#include "lane/cpp_end.h"
};
static_assert(pair_text<double>::group_width == kPairThreads);
static_assert(model_text<float>::group_width == kScoreThreads);

using Wide = std::ptrdiff_t;
using Bits = std::uint32_t;

__global__ void __launch_bounds__(kPairThreads)
    prepare(const Wide* pairs, const double* given, const double* cameras, int given_priors,
            const double* weights, Wide weights_from, const double* qualities, Wide qualities_from,
            double threshold, int seed0, int seed1, int first_round, int* kept, int* order,
            double* points, float* fast_points, double* priors, float* fast_weights, int* ranking,
            Bits* tables, double* info, double* state, int* work, unsigned char* inliers) {
  using L = pair_text<double>;
  __shared__ double shared[L::PREPARE_SHARED];
  L::kernel_prepare(static_cast<int>(blockIdx.x), pairs, given, cameras, given_priors, weights,
                    weights_from, qualities, qualities_from, threshold, static_cast<Bits>(seed0),
                    static_cast<Bits>(seed1), first_round, kept, order, points, fast_points, priors,
                    fast_weights, ranking, tables, info, state, work, inliers, shared);
}

using solve_number = std::conditional_t<model_text<float>::SOLVES_IN_FLOAT == 1, float, double>;

__global__ void __launch_bounds__(kSolveThreadsOfBlock)
    solve(const int* active, int from, int round, int places, const Wide* pairs, const int* work,
          const solve_number* points, const double* info, const double* priors, const int* ranking,
          int seed0, int seed1, float* models, int* counts) {
  const int place = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (place >= places) return;
  model_text<solve_number>::kernel_solve(
      active[from + place / round], place % round, place, pairs, work, points, info, priors,
      ranking, static_cast<Bits>(seed0), static_cast<Bits>(seed1), models, counts);
}

// As many blocks at once as a multiprocessor takes: 64 registers a thread.
__global__ void __launch_bounds__(kScoreThreads, 32)
    score(const int* active, int from, int round, const Wide* pairs, const int* work,
          const float* points, const double* info, const float* fast_weights, const double* state,
          const float* models, const int* counts, float* scores, int* slots) {
  const int place = static_cast<int>(blockIdx.x);
  model_text<float>::kernel_score(active[from + place / round], place % round, place, pairs, work,
                                  points, info, fast_weights, state, models, counts, scores, slots);
}

__global__ void __launch_bounds__(kPairThreads)
    decide(const int* active, int from, int round, const Wide* pairs, int* work,
           const double* points, const double* info, const double* priors, int min_iterations,
           int max_iterations, double log_failure, const float* scores, const float* models,
           const int* slots, double* state, double* weights) {
  using L = pair_text<double>;
  __shared__ double shared[L::SHARED_SIZE];
  const Wide place = static_cast<Wide>(blockIdx.x) * round;
  L::kernel_decide(active[from + blockIdx.x], place, pairs, work, points, info, priors,
                   min_iterations, max_iterations, log_failure, scores, models, slots, state,
                   weights, shared);
}

__global__ void __launch_bounds__(kPairThreads)
    planes(const Wide* pairs, const int* work, const double* points, const double* info,
           const double* priors, int seed0, int seed1, double log_failure, double* state,
           double* weights) {
  using L = pair_text<double>;
  __shared__ double shared[L::SHARED_SIZE];
  L::kernel_planes(static_cast<int>(blockIdx.x), pairs, work, points, info, priors,
                   static_cast<Bits>(seed0), static_cast<Bits>(seed1), log_failure, state, weights,
                   shared);
}

__global__ void __launch_bounds__(kPairThreads)
    finish(const Wide* pairs, const double* given, const double* cameras, int* work,
           const int* order, double* points, const float* fast_points, const double* info,
           const double* priors, const double* state, double* errors, double* results, Bits* tables,
           unsigned char* inliers) {
  using L = pair_text<double>;
  __shared__ double shared[L::SHARED_SIZE];
  L::kernel_finish(static_cast<int>(blockIdx.x), pairs, given, cameras, work, order, points,
                   fast_points, info, priors, state, errors, results, tables, inliers, shared);
}

}  // namespace

#define CUDA_KERNEL_OF_(name) name##_cuda_kernel
#define CUDA_KERNEL_OF(name) CUDA_KERNEL_OF_(name)
const void* CUDA_KERNEL_OF(PROBLEM)(EngineKernel kernel);
const void* CUDA_KERNEL_OF(PROBLEM)(EngineKernel kernel) {
  const void* const kernels[kEngineKernels] = {
      reinterpret_cast<const void*>(&prepare), reinterpret_cast<const void*>(&solve),
      reinterpret_cast<const void*>(&score),   reinterpret_cast<const void*>(&decide),
      reinterpret_cast<const void*>(&planes),  reinterpret_cast<const void*>(&finish)};
  return kernels[static_cast<int>(kernel)];
}

}  // namespace bifocal::robust
