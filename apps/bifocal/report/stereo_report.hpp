// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/two_photographs.hpp>

#include <functional>
#include <string>

namespace bifocal::cli {

// Content of report.html of `bifocal stereo`.
struct StereoReport {
  std::string file1, file2, command_line;
  ImageView<const std::uint8_t> left, right;
  std::vector<std::pair<std::string, std::string>> options;  // names and values
  const DisparityMap& disparity;
  ImageView<const std::uint8_t> disparity_picture;  // turbo, with legend
  std::optional<StereoScore> score;
  std::optional<std::size_t> cloud_points;
  // Called after the figures have been drawn and encoded, so that their time is in the table.
  std::function<std::vector<StageTime>()> timings;
  std::vector<std::string> doubts;
};
[[nodiscard]] std::string stereo_report(const StereoReport& report);

}  // namespace bifocal::cli
