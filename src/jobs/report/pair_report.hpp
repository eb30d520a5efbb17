// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/jobs.hpp>

#include <functional>
#include <string>
#include <vector>

#include "jobs/report/pair_figures.hpp"

namespace bifocal::jobs {

// Content of report.html of `bifocal pair`.
struct PairReport {
  std::string file1, file2, command_line;
  std::string python1, python2;  // the photographs in Python code; empty for the command line
  ImageView<const std::uint8_t> image1, image2;
  const PairResult& result;
  const Cameras& cameras;
  const PairFigures& figures;
  ImageView<const std::uint8_t> disparity_picture;  // turbo, with legend; empty if not dense
  std::size_t cloud_points;                         // in cloud.ply
  bool all_files;                                   // of `bifocal pair --all-files`
  // Called after the figures have been drawn and encoded, so that their time is in the table.
  std::function<std::vector<StageTime>()> timings;
};
[[nodiscard]] std::string pair_report(const PairReport& report);

// Describes the estimated focal length and distortion in a sentence; empty without an estimate.
[[nodiscard]] std::string estimated_camera_text(const EstimatedCamera& camera);
// Lists the tries of an escalated pair; empty after a single try.
[[nodiscard]] std::string tries_text(const std::vector<PairTry>& tries);

// Returns the deviations of the pose, or why they are unknown with doubted cameras; empty if the
// matches determine no pose.
[[nodiscard]] std::string pose_deviation_text(const PairResult& result);

}  // namespace bifocal::jobs
