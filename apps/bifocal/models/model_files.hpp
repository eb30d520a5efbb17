// SPDX-License-Identifier: BSD-3-Clause
// Progress and results of jobs::map_and_write(), for the commands map and collect.
#pragma once

#include <bifocal/jobs.hpp>

#include <nlohmann/json.hpp>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli.hpp"
#include "progress.hpp"

namespace bifocal::cli {

inline constexpr const char* kUndistortHelp =
    "folder for undistorted images and their model (images, sparse/0), as programs for Gaussian "
    "splatting read them";
inline constexpr const char* kModelFormatHelp = "of the models: binary or text";
[[nodiscard]] inline std::vector<std::string> model_formats() {
  return {std::begin(colmap::kModelFormatWords), std::end(colmap::kModelFormatWords)};
}
[[nodiscard]] inline colmap::ModelFormat model_format_of(std::string_view word) {
  return word == "text" ? colmap::ModelFormat::text : colmap::ModelFormat::binary;
}
inline constexpr const char* kStrictModelsHelp =
    "write no model that is doubted, and end with exit code 5 if one is";

// Shows progress of jobs::map_and_write() on stderr, and damaged rows and unreadable photographs.
class MapConsole {
 public:
  // Sets the callbacks of `files`, and adds their stages to `times`. Both must outlive the job.
  MapConsole(ModelFiles& files, StageTimes& times) : times_(times) { set_callbacks(files); }
  MapConsole(const MapConsole&) = delete;
  MapConsole& operator=(const MapConsole&) = delete;
  // Called with the result.
  void finish(const WrittenModels& written);

 private:
  void set_callbacks(ModelFiles& files);
  StageTimes& times_;
  std::optional<Progress> progress_;
};

[[nodiscard]] Json json_of(const ModelFiles& files, const WrittenModels& written,
                           const std::string& device, const StageTimes& times);
// The result as sentences, a line each.
[[nodiscard]] std::string sentences_of(const ModelFiles& files, const WrittenModels& written,
                                       const std::string& device, const StageTimes& times);

}  // namespace bifocal::cli
