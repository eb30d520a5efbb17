// SPDX-License-Identifier: BSD-3-Clause
#include "robust/essential_trials.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "robust/essential_trials.cpp"
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

#include "robust/essential_trials.lanes"

#include "lane/cpp_end.h"
};

template <class T>
T value(const void* argument) {
  return *static_cast<const T*>(argument);
}

}  // namespace

// drawn [5][samples], samples, points [4][stride], stride, E [samples][10][9]
void solve_essentials_cpu(const void* const* arguments, int begin, int end) {
  using L = trial_lanes<simd<double>>;
  constexpr int width = L::group_width, numbers = 9 * robust::kMostSolutions;
  const int* drawn = value<const int*>(arguments[0]);
  const double* points = value<const double*>(arguments[2]);
  const int samples = value<int>(arguments[1]), stride = value<int>(arguments[3]);
  float* E = value<float*>(arguments[4]);
  double gathered[20 * width], solved[width];
  for (int first = begin; first < end; first += width) {
    const int used = end - first < width ? end - first : width;
    for (int k = 0; k < 5; ++k) {
      for (int l = 0; l < width; ++l) {  // lanes beyond the last sample repeat it
        const int p = drawn[k * samples + first + (l < used ? l : used - 1)];
        for (int c = 0; c < 4; ++c) gathered[(5 * c + k) * width + l] = points[c * stride + p];
      }
    }
    L::real in[20], solutions[numbers];
    for (int k = 0; k < 20; ++k) in[k] = L::group_load(gathered, k * width);
    L::essential_5pt(in, in + 5, in + 10, in + 15, solutions);
    for (int k = 0; k < numbers; ++k) {
      L::lane_ops::store(solutions[k], solved);
      for (int l = 0; l < used; ++l) E[(first + l) * numbers + k] = static_cast<float>(solved[l]);
    }
  }
}

// E [slots][9], the first slot, points [4][stride], stride, squared threshold, inliers [slots]
void count_essentials_cpu(const void* const* arguments, int begin, int end) {
  using L = trial_lanes<simd<float>>;
  const float* E = value<const float*>(arguments[0]);
  const int first = value<int>(arguments[1]), stride = value<int>(arguments[3]);
  const float* points = value<const float*>(arguments[2]);
  const float squared_threshold = value<float>(arguments[4]);
  int* inliers = value<int*>(arguments[5]);
  for (int slot = first + begin; slot < first + end; ++slot) {
    float counts[4], most = 0;
    L::essential_inliers(E + 9 * slot, points, points + stride, points + 2 * stride,
                         points + 3 * stride, stride, squared_threshold, counts);
    for (const float count : counts) most = count > most ? count : most;
    inliers[slot] = static_cast<int>(most);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace bifocal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "runtime/kernel.hpp"

namespace bifocal {
HWY_EXPORT(solve_essentials_cpu);
HWY_EXPORT(count_essentials_cpu);

namespace robust {
namespace {

constexpr int kGroupSize = 64;  // work-items that share a slot on OpenCL

using runtime::Argument;
using runtime::Kernel;
using runtime::Launch;

const Kernel& solve_kernel() {
  static const Kernel kernel = {.entry = "solve_samples",
                                .text = "essential_trials",
                                .constants = {{"REAL_IS_FLOAT", 0}, {"GROUP_SIZE", kSamplesAGroup}},
                                .cuda = cuda_solve_essentials(),
                                .cpu = HWY_DYNAMIC_DISPATCH(solve_essentials_cpu),
                                .cpu_block = 16};
  return kernel;
}

const Kernel& count_kernel() {
  static const Kernel kernel = {.entry = "count_inliers",
                                .text = "essential_trials",
                                .constants = {{"REAL_IS_FLOAT", 1}, {"GROUP_SIZE", kGroupSize}},
                                .cuda = cuda_count_essentials(),
                                .cpu = HWY_DYNAMIC_DISPATCH(count_essentials_cpu),
                                .cpu_block = 16};
  return kernel;
}

// A kernel's function for the CPU, on the calling thread whatever the device is.
void run_here(const Kernel& kernel, std::span<const Argument> arguments, int begin, int end) {
  std::array<const void*, 8> values{};
  std::transform(arguments.begin(), arguments.end(), values.begin(),
                 [](const Argument& a) { return a.value(); });
  kernel.cpu(values.data(), begin, end);
}

}  // namespace

#if !BIFOCAL_HAS_CUDA
const void* cuda_solve_essentials() { return nullptr; }
const void* cuda_count_essentials() { return nullptr; }
#endif

void solve_samples(const RayPairs& rays, EssentialTrials& trials, int begin, int end) {
  const Argument arguments[] = {Memory<int>(trials.drawn.data()), trials.samples,
                                Memory<const double>(rays.f64.data()), rays.stride,
                                Memory<float>(trials.E.data())};
  run_here(solve_kernel(), arguments, begin, end);
}

void count_inliers(const RayPairs& rays, float threshold, EssentialTrials& trials, int begin,
                   int end) {
  const Argument arguments[] = {Memory<float>(trials.E.data()),
                                0,
                                Memory<const float>(rays.f32.data()),
                                rays.stride,
                                threshold * threshold,
                                Memory<int>(trials.inliers.data())};
  run_here(count_kernel(), arguments, kMostSolutions * begin, kMostSolutions * end);
}

void solve_samples(Queue& queue, const RayPairs& rays, EssentialTrials& trials) {
  const DeviceInfo& device = queue.device().info();
  if (!device.has_double)
    throw Error(ErrorCode::device, fmt::format("solve_samples: {} ({}) does not compute in double",
                                               device.id, device.name));
  const Argument arguments[] = {trials.on_device.drawn, trials.samples, rays.on_device.f64,
                                rays.stride, trials.on_device.E};
  const Launch launch = {.count = trials.samples,
                         .groups = (trials.samples + kSamplesAGroup - 1) / kSamplesAGroup,
                         .group_size = kSamplesAGroup};
  runtime::launch(queue, solve_kernel(), launch, arguments);
}

void count_inliers(Queue& queue, const RayPairs& rays, float threshold, EssentialTrials& trials,
                   int begin, int end) {
  const bool is_cuda = queue.device().info().kind == DeviceKind::cuda;
  const int slots = kMostSolutions * (end - begin);
  const Argument arguments[] = {trials.on_device.E,    kMostSolutions * begin,
                                rays.on_device.f32,    rays.stride,
                                threshold * threshold, trials.on_device.inliers};
  const Launch launch = {
      .count = slots, .groups = slots, .group_size = is_cuda ? kThreadsASlot : kGroupSize};
  runtime::launch(queue, count_kernel(), launch, arguments);
}

}  // namespace robust
}  // namespace bifocal
#endif
