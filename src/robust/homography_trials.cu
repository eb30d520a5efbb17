// SPDX-License-Identifier: BSD-3-Clause
// Kernels of homography_trials.cpp for CUDA; their arguments are described there.
#include "lane/scalar.hpp"
#include "linalg/svd/svd_cuda.h"
#include "robust/homography_trials.hpp"

namespace bifocal::robust {
namespace {

template <class Real>
struct trial_lanes {
#include "lane/cuda_begin.h"

#include "robust/homography_trials.lanes"

#include "lane/cpp_end.h"
};
using L = trial_lanes<float>;
constexpr int kMostSweeps = 20;

// A team of eight threads a trial, kTrialsASolveBlock of them a block: few trials leave most of a
// GPU idle, so what counts is how soon one is done. 2000 trials on an NVIDIA H200: 0.05 ms by a
// thread each, 0.02 ms by teams.
using Svd = svd_teams_text<float, 10, 8, 1, 4>;
constexpr int kTeam = Svd::SVD_ROWS * Svd::SVD_BLOCKS;
static_assert(kTeam * kTrialsASolveBlock == kSolveThreads);

__global__ void __launch_bounds__(kSolveThreads)
    solve_kernel(const int* samples, const float* points, int stride, float* H, int trials) {
  __shared__ float systems[kTrialsASolveBlock][8 * 9], values[kTrialsASolveBlock][9],
      vectors[kTrialsASolveBlock][9 * 9];
  __shared__ double2
      work[kTrialsASolveBlock * 6 * Svd::SVD_PLACES * sizeof(float) / sizeof(double2)];
  const int in_block = static_cast<int>(threadIdx.x) / kTeam,
            member = static_cast<int>(threadIdx.x) % kTeam,
            trial = static_cast<int>(blockIdx.x) * kTrialsASolveBlock + in_block,
            known = trial < trials ? trial : trials - 1;
  float x1[4], y1[4], x2[4], y2[4], normal1[3], normal2[3];
  for (int k = 0; k < 4; ++k) {
    const int p = samples[k * trials + known];
    x1[k] = points[p];
    y1[k] = points[stride + p];
    x2[k] = points[2 * stride + p];
    y2[k] = points[3 * stride + p];
  }
  float rows[72];
  const bool valid = L::homography_system(x1, y1, x2, y2, rows, normal1, normal2);
  for (int e = 0; e < 72; ++e) {
    if (e % kTeam == member) systems[in_block][e] = valid ? rows[e] : L::lane_nan();
  }
  Svd::group_barrier();
  Svd::svd_team(systems[in_block], 1, 9, 8, kMostSweeps, reinterpret_cast<float*>(work),
                values[in_block], vectors[in_block], nullptr, 1, true);
  Svd::group_barrier();
  if (member != 0 || trial >= trials) return;
  float h[9], solved[9], norm2 = 0;
  for (int k = 0; k < 9; ++k) {
    h[k] = vectors[in_block][9 * k + 8];
    norm2 += values[in_block][k] * values[in_block][k];
  }
  L::homography_of_vector(h, values[in_block][7] * rsqrtf(norm2), normal1, normal2, solved);
  for (int k = 0; k < 9; ++k) H[k * trials + trial] = solved[k];
}

// A block a trial: its warps share the points.
__global__ void __launch_bounds__(kCountThreads)
    count_kernel(const float* H, int trials, const float* points, int stride,
                 float squared_threshold, int* inliers) {
  constexpr int kWarps = kCountThreads / L::group_width;
  __shared__ float counts[kWarps];
  const int trial = static_cast<int>(blockIdx.x),
            warp = static_cast<int>(threadIdx.x) / L::group_width;
  const int registers = stride / L::group_width, share = (registers + kWarps - 1) / kWarps,
            begin = min(warp * share, registers) * L::group_width,
            end = min((warp + 1) * share, registers) * L::group_width;
  float h[9];
  for (int k = 0; k < 9; ++k) h[k] = H[k * trials + trial];
  const float* x1 = points + begin;
  const float count = L::transfer_inliers(h, x1, x1 + stride, x1 + 2 * stride, x1 + 3 * stride,
                                          end - begin, squared_threshold);
  if (L::group_leads()) counts[warp] = count;
  __syncthreads();
  if (threadIdx.x != 0) return;
  float total = 0;
  for (const float c : counts) total += c;
  inliers[trial] = static_cast<int>(total);
}

}  // namespace

const void* cuda_solve_trials() { return reinterpret_cast<const void*>(&solve_kernel); }
const void* cuda_count_inliers() { return reinterpret_cast<const void*>(&count_kernel); }

}  // namespace bifocal::robust
