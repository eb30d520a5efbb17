// SPDX-License-Identifier: BSD-3-Clause
// The classic way to a homography on a device: many samples of four correspondences, for each the
// singular vector of its equations, and how many of all points agree with it; nothing leaves the
// device on the way. The estimator (estimate_homography) solves samples in closed form and scores
// the promising ones only; this is the system it descends from, and the building block for points
// that are on a device already. In float; coordinates relative to about the image's centre.
#pragma once

#include <bifocal/device.hpp>
#include <bifocal/geometry.hpp>

#include <span>
#include <vector>

namespace bifocal::robust {

// Correspondences in the memory of a device: columns x1 y1 x2 y2, `stride` numbers each, a multiple
// of kWidestGroup; NaN beyond the last one.
struct DevicePoints {
  Buffer<float> columns;
  int stride = 0;
};
inline constexpr int kWidestGroup = 64;
// x1 y1 x2 y2 of the points, each padded with NaN to a multiple of kWidestGroup.
[[nodiscard]] std::vector<double> padded_columns(std::span<const PointPair> points);
[[nodiscard]] DevicePoints upload_points(Queue& queue, std::span<const PointPair> points);

// Trials in the memory of a device, allocated once for `count` of them.
struct HomographyTrials {
  HomographyTrials(const Device& device, int count);
  int count;
  Buffer<int> samples;  // 4 x count: point k of trial i is number samples[k count + i]
  Buffer<float> H;      // 9 x count: x2 ~ H x1; NaN for a degenerate sample
  Buffer<int> inliers;  // count: transfer error (transfer_squared) below the threshold, in px
};

// H of every sample (homography_svd.lane.h).
void solve_trials(Queue& queue, const DevicePoints& points, HomographyTrials& trials);
// Inliers of every H, by parallel sums.
void count_inliers(Queue& queue, const DevicePoints& points, float threshold,
                   HomographyTrials& trials);

// The functions of homography_trials.cu; nullptr in a build without CUDA. A block of theirs solves
// kTrialsASolveBlock trials, and counts the inliers of one.
inline constexpr int kTrialsASolveBlock = 4, kSolveThreads = 32, kCountThreads = 128;
[[nodiscard]] const void* cuda_solve_trials();
[[nodiscard]] const void* cuda_count_inliers();

}  // namespace bifocal::robust
