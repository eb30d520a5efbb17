// SPDX-License-Identifier: BSD-3-Clause
// Kernels of essential_trials.cpp for CUDA; their arguments are described there.
#include "lane/scalar.hpp"
#include "robust/essential_trials.hpp"

namespace bifocal::robust {
namespace {

template <class Real>
struct trial_lanes {
#include "lane/cuda_begin.h"

#include "robust/essential_trials.lanes"

#include "lane/cpp_end.h"
};

// A thread a sample.
__global__ void __launch_bounds__(kSamplesAGroup)
    solve_kernel(const int* drawn, int samples, const double* points, int stride, float* E) {
  const int sample = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (sample >= samples) return;
  double x1[5], y1[5], x2[5], y2[5], solutions[9 * kMostSolutions];
  for (int k = 0; k < 5; ++k) {
    const int p = drawn[k * samples + sample];
    x1[k] = points[p];
    y1[k] = points[stride + p];
    x2[k] = points[2 * stride + p];
    y2[k] = points[3 * stride + p];
  }
  trial_lanes<double>::essential_5pt(x1, y1, x2, y2, solutions);
  float* out = E + 9 * kMostSolutions * sample;
  for (int k = 0; k < 9 * kMostSolutions; ++k) out[k] = static_cast<float>(solutions[k]);
}

// A block a slot: its warps share the points.
__global__ void __launch_bounds__(kThreadsASlot)
    count_kernel(const float* E, int first, const float* points, int stride,
                 float squared_threshold, int* inliers) {
  using L = trial_lanes<float>;
  constexpr int kWarps = kThreadsASlot / L::group_width;
  __shared__ float counts[kWarps][4];
  const int slot = first + static_cast<int>(blockIdx.x),
            warp = static_cast<int>(threadIdx.x) / L::group_width;
  const int registers = stride / L::group_width, share = (registers + kWarps - 1) / kWarps,
            begin = min(warp * share, registers) * L::group_width,
            end = min((warp + 1) * share, registers) * L::group_width;
  float model[9], own[4];
  for (int k = 0; k < 9; ++k) model[k] = E[9 * slot + k];
  const float* x1 = points + begin;
  L::essential_inliers(model, x1, x1 + stride, x1 + 2 * stride, x1 + 3 * stride, end - begin,
                       squared_threshold, own);
  if (L::group_leads()) {
    for (int k = 0; k < 4; ++k) counts[warp][k] = own[k];
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  float most = 0;
  for (int k = 0; k < 4; ++k) {
    float total = 0;
    for (const auto& of_warp : counts) total += of_warp[k];
    most = fmaxf(most, total);
  }
  inliers[slot] = static_cast<int>(most);
}

}  // namespace

const void* cuda_solve_essentials() { return reinterpret_cast<const void*>(&solve_kernel); }
const void* cuda_count_essentials() { return reinterpret_cast<const void*>(&count_kernel); }

}  // namespace bifocal::robust
