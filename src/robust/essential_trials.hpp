// SPDX-License-Identifier: BSD-3-Clause
// The classic way to an essential matrix on a device, as stages: the up to ten E of every sample of
// five correspondences (essential_5pt.lane.h, in double), and for every E how many of all points
// agree with it (essential_inliers.group.h, in float). The estimator (estimate_essential) scores
// few E on all points; this is the system it descends from, made to compare on which side of the
// bus its stages are best placed.
#pragma once

#include <bifocal/device.hpp>
#include <bifocal/geometry.hpp>

#include <span>
#include <vector>

#include "robust/homography_trials.hpp"

namespace bifocal::robust {

// Correspondences as rays (normalised image points), in the memory of the host and of a device:
// columns x1 y1 x2 y2, `stride` numbers each, a multiple of kWidestGroup; NaN beyond the last one.
struct RayPairs {
  RayPairs(Queue& queue, std::span<const PointPair> rays);

  std::vector<double> f64;
  std::vector<float> f32;
  int stride;
  struct {
    Buffer<double> f64;
    Buffer<float> f32;
  } on_device;
};

inline constexpr int kMostSolutions = 10;  // of a sample

// Trials of `samples` samples, on both sides; a stage works on one side's memory. Slot
// kMostSolutions i + s belongs to solution s of sample i.
struct EssentialTrials {
  EssentialTrials(const Device& device, int samples);
  [[nodiscard]] int slots() const { return kMostSolutions * samples; }

  int samples;
  HostBuffer<int> drawn;    // 5 x samples: point k of sample i is number drawn[k samples + i]
  HostBuffer<float> E;      // slots x 9; NaN where there is no solution
  HostBuffer<int> inliers;  // slots: Sampson error below the threshold, in front of both cameras
                            // under the pose of E that has the most of them
  struct {
    Buffer<int> drawn;
    Buffer<float> E;
    Buffer<int> inliers;
  } on_device;
};

// The stages for samples [begin, end) on the calling thread, with its registers.
void solve_samples(const RayPairs& rays, EssentialTrials& trials, int begin, int end);
void count_inliers(const RayPairs& rays, float threshold, EssentialTrials& trials, int begin,
                   int end);
// The same on the device, all samples; the count also for some. Asynchronous. The solver throws
// Error(device) where there are no doubles.
void solve_samples(Queue& queue, const RayPairs& rays, EssentialTrials& trials);
void count_inliers(Queue& queue, const RayPairs& rays, float threshold, EssentialTrials& trials,
                   int begin, int end);

enum class Placement {
  serial,         // both stages on one core
  serial_solver,  // the solver on one core, the count on the device
  parallel,       // both on the device
  overlapped,     // as serial_solver, in blocks of samples: the core solves one while the device
                  // counts for those before (the CPU as a device works at once: no overlap there)
};
// From trials.drawn to trials.E and trials.inliers, all on the host. The threshold is in the unit
// of the rays: pixels over the focal length.
void run_trials(Queue& queue, const RayPairs& rays, float threshold, Placement placement,
                EssentialTrials& trials);

struct EssentialHypothesis {
  Mat3 E{};
  int inliers = 0;
};
// The E with the most inliers, the first of equals; none at all: E = 0.
[[nodiscard]] EssentialHypothesis best_hypothesis(const EssentialTrials& trials);

// The functions of essential_trials.cu; nullptr in a build without CUDA. Samples differ in how long
// their roots take, and few of them leave most of a GPU idle: groups that solve are small.
inline constexpr int kSamplesAGroup = 8, kThreadsASlot = 128;
[[nodiscard]] const void* cuda_solve_essentials();
[[nodiscard]] const void* cuda_count_essentials();

}  // namespace bifocal::robust
