// SPDX-License-Identifier: BSD-3-Clause
// Files with many pairs of one size, and files with the results of an estimator (docs/formats.md).
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
  std::size_t trials = 0, points = 0;    // points per trial
  std::vector<PointPair> pairs;          // [trials][points]; or
  std::vector<DepthPair> depth_pairs;    // [trials][points], with depths; or
  std::vector<ScenePoint> scene_points;  // [trials][points], for the pose of a camera
  std::optional<Intrinsics> camera;      // the same for all images
};
// Reads a file of pairs. Requires K if the problem takes cameras. Throws Error(input) with file
// and array.
[[nodiscard]] Scenes read_scenes(const std::string& file, const ProblemInfo& problem);

// Results with one entry per trial. A trial without a model has zeros, R = 1 and t = 0.
struct SceneResults {
  ModelKind problem = ModelKind::homography;
  std::vector<std::uint8_t> ok;
  std::vector<double> model;  // [trials][9]
  std::vector<double> R, t;   // [trials][9] and [trials][3], only for problems with a pose
  std::vector<double> focal_length, focal_deviation;  // [trials], px, for problems that estimate it
  std::vector<double> distortion,
      distortion_deviation;           // [trials], in units of fx, for problems that estimate it
  std::vector<std::uint8_t> inliers;  // [trials][points]
  std::vector<double> time_ms;        // [trials]
};

struct SceneRun {
  ModelKind problem = ModelKind::homography;
  Device device;
  RobustOptions robust;     // every trial has the same seed
  bool one_by_one = false;  // measure each call; otherwise time_ms is the mean over all
  std::function<void(std::size_t done)> progress;
};
// Runs the estimator on every trial. To exclude the creation of threads and memory from the times,
// the first trial (on a GPU: the batch) runs once without measurement.
[[nodiscard]] SceneResults run_scenes(const Scenes& scenes, const SceneRun& run);

// Writes the results of the scenes in `scenes_file`.
void write_results(const std::string& file, const std::string& scenes_file, const Scenes& scenes,
                   const SceneResults& results);
// Returns whether `file` has the results of these scenes, of any estimator.
[[nodiscard]] bool is_result_of(const std::string& file, const std::string& scenes_file);

}  // namespace bifocal::cli
