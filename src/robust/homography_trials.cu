// SPDX-License-Identifier: BSD-3-Clause
// Kernels of homography_trials.cpp for CUDA; their arguments are described there.
#include "lane/scalar.hpp"
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

__global__ void solve_kernel(const int* samples, const float* points, int stride, float* H,
                             int trials) {
  const int trial = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (trial >= trials) return;
  float x1[4], y1[4], x2[4], y2[4], h[9];
  for (int k = 0; k < 4; ++k) {
    const int p = samples[k * trials + trial];
    x1[k] = points[p];
    y1[k] = points[stride + p];
    x2[k] = points[2 * stride + p];
    y2[k] = points[3 * stride + p];
  }
  L::homography_svd(x1, y1, x2, y2, h);
  for (int k = 0; k < 9; ++k) H[k * trials + trial] = h[k];
}

// A warp a trial.
__global__ void count_kernel(const float* H, int trials, const float* points, int stride,
                             float squared_threshold, int* inliers) {
  const int trial = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / L::group_width);
  if (trial >= trials) return;
  float h[9];
  for (int k = 0; k < 9; ++k) h[k] = H[k * trials + trial];
  const float count = L::transfer_inliers(h, points, points + stride, points + 2 * stride,
                                          points + 3 * stride, stride, squared_threshold);
  if (L::group_leads()) inliers[trial] = static_cast<int>(count);
}

}  // namespace

const void* cuda_solve_trials() { return reinterpret_cast<const void*>(&solve_kernel); }
const void* cuda_count_inliers() { return reinterpret_cast<const void*>(&count_kernel); }

}  // namespace bifocal::robust
