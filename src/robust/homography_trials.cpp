// SPDX-License-Identifier: BSD-3-Clause
#include "robust/homography_trials.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "robust/homography_trials.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "lane/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bifocal {
namespace HWY_NAMESPACE {
namespace {

template <class Real>
struct trial_lanes {
#include "lane/cpp_begin.h"

#include "robust/homography_trials.lanes"

#include "lane/cpp_end.h"
};
using TrialLanes = trial_lanes<simd<float>>;

template <class T>
T value(const void* argument) {
  return *static_cast<const T*>(argument);
}

}  // namespace

// samples [4][trials], points [4][stride], stride, H [9][trials], trials
void solve_trials_cpu(const void* const* arguments, int begin, int end) {
  using L = TrialLanes;
  constexpr int width = L::group_width;
  const int* samples = value<const int*>(arguments[0]);
  const float* points = value<const float*>(arguments[1]);
  const int stride = value<int>(arguments[2]), trials = value<int>(arguments[4]);
  float* H = value<float*>(arguments[3]);
  float gathered[16 * width], solved[9 * width];
  for (int first = begin; first < end; first += width) {
    const int used = end - first < width ? end - first : width;
    for (int k = 0; k < 4; ++k) {
      for (int l = 0; l < width; ++l) {  // lanes beyond the last trial repeat it
        const int trial = first + (l < used ? l : used - 1), p = samples[k * trials + trial];
        for (int c = 0; c < 4; ++c) gathered[(4 * c + k) * width + l] = points[c * stride + p];
      }
    }
    L::real in[16], h[9];
    for (int k = 0; k < 16; ++k) in[k] = L::group_load(gathered, k * width);
    L::homography_svd(in, in + 4, in + 8, in + 12, h);
    for (int k = 0; k < 9; ++k) {
      L::lane_ops::store(h[k], solved + k * width);
      for (int l = 0; l < used; ++l) H[k * trials + first + l] = solved[k * width + l];
    }
  }
}

// H [9][trials], trials, points [4][stride], stride, squared threshold, inliers [trials]
void count_inliers_cpu(const void* const* arguments, int begin, int end) {
  using L = TrialLanes;
  const float* H = value<const float*>(arguments[0]);
  const int trials = value<int>(arguments[1]), stride = value<int>(arguments[3]);
  const float* points = value<const float*>(arguments[2]);
  const float squared_threshold = value<float>(arguments[4]);
  int* inliers = value<int*>(arguments[5]);
  for (int trial = begin; trial < end; ++trial) {
    float h[9];
    for (int k = 0; k < 9; ++k) h[k] = H[k * trials + trial];
    inliers[trial] =
        static_cast<int>(L::transfer_inliers(h, points, points + stride, points + 2 * stride,
                                             points + 3 * stride, stride, squared_threshold));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace bifocal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <limits>

#include "runtime/kernel.hpp"

namespace bifocal {
HWY_EXPORT(solve_trials_cpu);
HWY_EXPORT(count_inliers_cpu);

namespace robust {
namespace {

constexpr int kGroupSize = 64;  // work-items of an OpenCL group

using runtime::Kernel;
using runtime::Launch;

Kernel trial_kernel(const char* entry, const void* cuda, runtime::CpuFunction cpu) {
  return {.entry = entry,
          .text = "homography_trials",
          .constants = {{"REAL_IS_FLOAT", 1}, {"GROUP_SIZE", kGroupSize}},
          .cuda = cuda,
          .cpu = cpu,
          .cpu_block = 64};
}

int groups_for(int members, int group_size) { return (members + group_size - 1) / group_size; }

}  // namespace

#if !BIFOCAL_HAS_CUDA
const void* cuda_solve_trials() { return nullptr; }
const void* cuda_count_inliers() { return nullptr; }
#endif

HomographyTrials::HomographyTrials(const Device& device, int trials)
    : count(trials),
      samples(device, 4 * static_cast<std::size_t>(trials)),
      H(device, 9 * static_cast<std::size_t>(trials)),
      inliers(device, static_cast<std::size_t>(trials)) {}

std::vector<double> padded_columns(std::span<const PointPair> points) {
  const std::size_t width = kWidestGroup, n = (points.size() + width - 1) / width * width;
  std::vector<double> columns(4 * n, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const PointPair& p = points[i];
    columns[i] = p.x1, columns[n + i] = p.y1;
    columns[2 * n + i] = p.x2, columns[3 * n + i] = p.y2;
  }
  return columns;
}

DevicePoints upload_points(Queue& queue, std::span<const PointPair> points) {
  const std::vector<double> exact = padded_columns(points);
  const std::vector<float> columns(exact.begin(), exact.end());
  DevicePoints out{Buffer<float>(queue.device(), columns.size()),
                   static_cast<int>(columns.size() / 4)};
  out.columns.upload(queue, columns);
  queue.wait();
  return out;
}

void solve_trials(Queue& queue, const DevicePoints& points, HomographyTrials& trials) {
  static const Kernel kernel =
      trial_kernel("solve_trials", cuda_solve_trials(), HWY_DYNAMIC_DISPATCH(solve_trials_cpu));
  const runtime::Argument arguments[] = {trials.samples, points.columns, points.stride, trials.H,
                                         trials.count};
  const bool is_cuda = queue.device().info().kind == DeviceKind::cuda;
  const Launch launch = {
      .count = trials.count,
      .groups = groups_for(trials.count, is_cuda ? kTrialsASolveBlock : kGroupSize),
      .group_size = is_cuda ? kSolveThreads : kGroupSize};
  runtime::launch(queue, kernel, launch, arguments);
}

void count_inliers(Queue& queue, const DevicePoints& points, float threshold,
                   HomographyTrials& trials) {
  static const Kernel kernel =
      trial_kernel("count_inliers", cuda_count_inliers(), HWY_DYNAMIC_DISPATCH(count_inliers_cpu));
  const bool is_cuda = queue.device().info().kind == DeviceKind::cuda;
  const Launch launch = {.count = trials.count,
                         .groups = trials.count,
                         .group_size = is_cuda ? kCountThreads : kGroupSize};
  const runtime::Argument arguments[] = {trials.H,      trials.count,          points.columns,
                                         points.stride, threshold * threshold, trials.inliers};
  runtime::launch(queue, kernel, launch, arguments);
}

}  // namespace robust
}  // namespace bifocal
#endif
