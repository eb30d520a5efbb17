// SPDX-License-Identifier: BSD-3-Clause
// Progress and results of jobs::map_and_write(), for the commands map and collect.
#pragma once

#include <bifocal/device.hpp>
#include <bifocal/jobs.hpp>

#include <nlohmann/json.hpp>
#include <string>

#include "cli.hpp"

namespace bifocal::cli {

inline constexpr const char* kUndistortHelp =
    "folder for undistorted images and their model (images, sparse/0), as programs for Gaussian "
    "splatting read them";
inline constexpr const char* kStrictModelsHelp =
    "write no model that is doubted, and end with exit code 5 if one is";

// Calls jobs::check_model_files(). Its messages name the flag.
void check_model_files(const ModelFiles& files, const std::string& overwrite_flag);

// Calls map_and_write() with progress on stderr, and reports damaged rows and unreadable
// photographs there. Adds its stages to `times`.
[[nodiscard]] WrittenModels map_with_progress(ModelFiles files, const Device& device,
                                              StageTimes& times);

[[nodiscard]] Json json_of(const ModelFiles& files, const WrittenModels& written,
                           const std::string& device, const StageTimes& times);
// The result as sentences, a line each.
[[nodiscard]] std::string sentences_of(const ModelFiles& files, const WrittenModels& written,
                                       const std::string& device, const StageTimes& times);

}  // namespace bifocal::cli
