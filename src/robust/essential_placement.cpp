// SPDX-License-Identifier: BSD-3-Clause
// The trials' memory, and the order of the stages in each placement.
#include <algorithm>

#include "robust/essential_trials.hpp"

namespace bifocal::robust {
namespace {

std::size_t size_of(int numbers, int count) {
  return static_cast<std::size_t>(numbers) * static_cast<std::size_t>(count);
}

// The E of samples [begin, end), from page-locked memory: the host goes on meanwhile.
void upload_solutions(Queue& queue, EssentialTrials& trials, int begin, int end) {
  if (begin == end) return;
  const std::size_t of_sample = 9 * kMostSolutions;
  const std::size_t offset = of_sample * static_cast<std::size_t>(begin);
  runtime::upload(queue, *trials.on_device.E.memory(), offset * sizeof(float),
                  trials.E.data() + offset,
                  size_of(9 * kMostSolutions, end - begin) * sizeof(float));
}

// A multiple of any register's width. Launching takes some us, solving so many with AVX-512 40.
constexpr int kSamplesABlock = 32;

}  // namespace

RayPairs::RayPairs(Queue& queue, std::span<const PointPair> rays)
    : f64(padded_columns(rays)),
      f32(f64.begin(), f64.end()),
      stride(static_cast<int>(f64.size() / 4)),
      on_device{Buffer<double>(queue.device(), f64.size()),
                Buffer<float>(queue.device(), f32.size())} {
  on_device.f64.upload(queue, f64);
  on_device.f32.upload(queue, f32);
  queue.wait();
}

EssentialTrials::EssentialTrials(const Device& device, int count)
    : samples(count),
      drawn(device, size_of(5, count)),
      E(device, size_of(9, slots())),
      inliers(device, size_of(1, slots())),
      on_device{Buffer<int>(device, drawn.size()), Buffer<float>(device, E.size()),
                Buffer<int>(device, inliers.size())} {}

void run_trials(Queue& queue, const RayPairs& rays, float threshold, Placement placement,
                EssentialTrials& trials) {
  const int samples = trials.samples;
  switch (placement) {
    case Placement::serial:
      solve_samples(rays, trials, 0, samples);
      return count_inliers(rays, threshold, trials, 0, samples);
    case Placement::serial_solver:
      solve_samples(rays, trials, 0, samples);
      upload_solutions(queue, trials, 0, samples);
      count_inliers(queue, rays, threshold, trials, 0, samples);
      break;
    case Placement::parallel:
      trials.on_device.drawn.upload(queue, trials.drawn.span());
      solve_samples(queue, rays, trials);
      count_inliers(queue, rays, threshold, trials, 0, samples);
      trials.on_device.E.download(queue, trials.E.span());
      break;
    case Placement::overlapped:
      for (int begin = 0; begin < samples; begin += kSamplesABlock) {
        const int end = std::min(samples, begin + kSamplesABlock);
        solve_samples(rays, trials, begin, end);
        upload_solutions(queue, trials, begin, end);
        count_inliers(queue, rays, threshold, trials, begin, end);
      }
      break;
  }
  trials.on_device.inliers.download(queue, trials.inliers.span());
  queue.wait();
}

EssentialHypothesis best_hypothesis(const EssentialTrials& trials) {
  const std::span<const int> inliers = trials.inliers.span();
  const auto best = std::max_element(inliers.begin(), inliers.end());
  EssentialHypothesis out;
  if (best == inliers.end() || *best == 0) return out;
  const float* E = trials.E.data() + 9 * (best - inliers.begin());
  std::copy(E, E + 9, out.E.begin());
  out.inliers = *best;
  return out;
}

}  // namespace bifocal::robust
