// SPDX-License-Identifier: BSD-3-Clause
// A file holds many pairs of one size, another what an estimator made of them (docs/formats.md).
#pragma once

#include <bifocal/geometry.hpp>
#include <bifocal/robust.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace bifocal::cli {

struct Scenes {
  std::size_t trials = 0, points = 0;    // points a trial
  std::vector<PointPair> pairs;          // [trials][points]; or
  std::vector<DepthPair> depth_pairs;    // the same with depths; or
  std::vector<ScenePoint> scene_points;  // the same of a camera's pose
  std::optional<Intrinsics> camera;      // of all images
};
// Throws Error(input) naming file and array. K is needed and read where the problem takes cameras.
[[nodiscard]] Scenes read_scenes(const std::string& file, const ProblemInfo& problem);

// One entry a trial; a trial without a model has zeros, R = 1 and t = 0.
struct SceneResults {
  ModelKind problem = ModelKind::homography;
  std::vector<std::uint8_t> ok;
  std::vector<double> model;  // [trials][9]
  std::vector<double> R, t;   // [trials][9] and [trials][3], of a problem with a pose only
  std::vector<double> focal_length, focal_deviation;     // [trials], px, of a problem that tells it
  std::vector<double> distortion, distortion_deviation;  // [trials], in units of fx, the same
  std::vector<std::uint8_t> inliers;                     // [trials][points]
  std::vector<double> time_ms;                           // [trials]
};

struct SceneRun {
  ModelKind problem = ModelKind::homography;
  Device device;
  RobustOptions robust;     // every trial has the same seed
  bool one_by_one = false;  // time_ms of each call; else the mean over all
  std::function<void(std::size_t done)> progress;
};
// Runs the estimator on every trial. The first trial (on a GPU: the batch) runs once more before,
// untimed: threads and memory are there then.
[[nodiscard]] SceneResults run_scenes(const Scenes& scenes, const SceneRun& run);

void write_results(const std::string& file, const Scenes& scenes, const SceneResults& results);

}  // namespace bifocal::cli
