// SPDX-License-Identifier: BSD-3-Clause
// The kernels of engine_device.cpp for CUDA; their arguments are described in engine.kernel.h.
#include "lane/scalar.hpp"
#include "robust/engine_kernels.hpp"

namespace bifocal::robust {
namespace {

template <class Real, int Problem>
struct pair_text {
  static constexpr int PROBLEM = Problem;
#define LANE_GROUP_WIDTH 128
#include "lane/cuda_begin.h"

#include "robust/engine_kernels.groups"

#include "lane/cpp_end.h"
};
template <class Real, int Problem>
struct model_text {
  static constexpr int PROBLEM = Problem;
#include "lane/cuda_begin.h"

#include "robust/engine_kernels.groups"

#include "lane/cpp_end.h"
};
static_assert(pair_text<double, 0>::group_width == kPairThreads);
static_assert(model_text<float, 0>::group_width == kScoreThreads);

using Wide = std::ptrdiff_t;
using Bits = std::uint32_t;

template <int P>
__global__ void __launch_bounds__(kPairThreads)
    prepare(const Wide* pairs, const double* given, const double* cameras, int given_priors,
            const double* weights, Wide weights_from, const double* qualities, Wide qualities_from,
            double threshold, int seed0, int seed1, int first_round, int* kept, int* order,
            double* points, float* fast_points, double* priors, float* fast_shares, int* ranking,
            Bits* tables, double* info, double* state, int* work, unsigned char* inliers) {
  using L = pair_text<double, P>;
  __shared__ double shared[L::PREPARE_SHARED];
  L::kernel_prepare(static_cast<int>(blockIdx.x), pairs, given, cameras, given_priors, weights,
                    weights_from, qualities, qualities_from, threshold, static_cast<Bits>(seed0),
                    static_cast<Bits>(seed1), first_round, kept, order, points, fast_points, priors,
                    fast_shares, ranking, tables, info, state, work, inliers, shared);
}

template <int P>
using solve_number = std::conditional_t<solves_in_float(P), float, double>;

template <int P>
__global__ void __launch_bounds__(kSolveThreadsOfBlock)
    solve(const int* active, int from, int round, int places, const Wide* pairs, const int* work,
          const solve_number<P>* points, const double* info, const double* priors,
          const int* ranking, int seed0, int seed1, float* models, int* counts) {
  const int place = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (place >= places) return;
  model_text<solve_number<P>, P>::kernel_solve(
      active[from + place / round], place % round, place, pairs, work, points, info, priors,
      ranking, static_cast<Bits>(seed0), static_cast<Bits>(seed1), models, counts);
}

// As many blocks at once as a multiprocessor takes: 64 registers a thread.
template <int P>
__global__ void __launch_bounds__(kScoreThreads, 32)
    score(const int* active, int from, int round, const Wide* pairs, const int* work,
          const float* points, const double* info, const float* fast_shares, const double* state,
          const float* models, const int* counts, float* gains, int* slots) {
  const int place = static_cast<int>(blockIdx.x);
  model_text<float, P>::kernel_score(active[from + place / round], place % round, place, pairs,
                                     work, points, info, fast_shares, state, models, counts, gains,
                                     slots);
}

template <int P>
__global__ void __launch_bounds__(kPairThreads)
    decide(const int* active, int from, int round, const Wide* pairs, int* work,
           const double* points, const double* info, const double* priors, int min_trials,
           int max_trials, double log_failure, const float* gains, const float* models,
           const int* slots, double* state, double* weights) {
  using L = pair_text<double, P>;
  __shared__ double shared[L::SHARED_SIZE];
  const Wide place = static_cast<Wide>(blockIdx.x) * round;
  L::kernel_decide(active[from + blockIdx.x], place, pairs, work, points, info, priors, min_trials,
                   max_trials, log_failure, gains, models, slots, state, weights, shared);
}

template <int P>
__global__ void __launch_bounds__(kPairThreads)
    planes(const Wide* pairs, const int* work, const double* points, const double* info,
           const double* priors, int seed0, int seed1, double log_failure, double* state,
           double* weights) {
  using L = pair_text<double, P>;
  __shared__ double shared[L::SHARED_SIZE];
  L::kernel_planes(static_cast<int>(blockIdx.x), pairs, work, points, info, priors,
                   static_cast<Bits>(seed0), static_cast<Bits>(seed1), log_failure, state, weights,
                   shared);
}

template <int P>
__global__ void __launch_bounds__(kPairThreads)
    finish(const Wide* pairs, const double* given, int* work, const int* order, double* points,
           const float* fast_points, const double* info, const double* priors, const double* state,
           double* errors, double* results, Bits* tables, unsigned char* inliers) {
  using L = pair_text<double, P>;
  __shared__ double shared[L::SHARED_SIZE];
  L::kernel_finish(static_cast<int>(blockIdx.x), pairs, given, work, order, points, fast_points,
                   info, priors, state, errors, results, tables, inliers, shared);
}

template <int P>
const void* kernel_of(EngineKernel kernel) {
  switch (kernel) {
    case EngineKernel::prepare:
      return reinterpret_cast<const void*>(&prepare<P>);
    case EngineKernel::solve:
      return reinterpret_cast<const void*>(&solve<P>);
    case EngineKernel::score:
      return reinterpret_cast<const void*>(&score<P>);
    case EngineKernel::decide:
      return reinterpret_cast<const void*>(&decide<P>);
    case EngineKernel::planes:
      return P == 1 ? reinterpret_cast<const void*>(&planes<1>) : nullptr;
    case EngineKernel::finish:
      break;
  }
  return reinterpret_cast<const void*>(&finish<P>);
}

}  // namespace

const void* cuda_engine_kernel(int problem, EngineKernel kernel) {
  if (problem == 0) return kernel_of<0>(kernel);
  return problem == 1 ? kernel_of<1>(kernel) : kernel_of<2>(kernel);
}

}  // namespace bifocal::robust
