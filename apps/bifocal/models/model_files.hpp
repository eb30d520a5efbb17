// SPDX-License-Identifier: BSD-3-Clause
// Sparse models of a database: mapping, writing and undistortion, for the commands map and collect.
#pragma once

#include <bifocal/colmap/undistort.hpp>
#include <bifocal/device.hpp>
#include <bifocal/mapping.hpp>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli.hpp"

namespace bifocal::cli {

inline constexpr const char* kUndistortHelp =
    "folder for undistorted images and their model (images, sparse/0), as programs for Gaussian "
    "splatting read them";

struct ModelFiles {
  std::filesystem::path database;
  std::filesystem::path photographs = {};  // folder; empty: no colours
  std::vector<std::string> names =
      {};                     // of the photographs; empty: the photographs of the database
  std::filesystem::path out;  // folder of the models 0, 1, ...
  std::filesystem::path undistorted = {};  // folder of undistorted images; empty: none
  bool overwrite = false;
  std::string overwrite_flag = "--overwrite";  // named in messages
  MapOptions map = {};
};

struct WrittenModels {
  MapResult result;
  std::optional<colmap::UndistortResult> undistorted;  // of the first model
  double undistort_seconds = 0;
};

// Throws Error(usage) or Error(input) for folders that write_models() or undistort_model() would
// refuse, before any work is done.
void check_model_files(const ModelFiles& files);

// Maps the database with progress on stderr, reports damaged rows and unreadable photographs there,
// and writes the models, if the database has one.
[[nodiscard]] WrittenModels map_and_write(const ModelFiles& files, const Device& device);

[[nodiscard]] Json json_of(const ModelFiles& files, const WrittenModels& written,
                           const std::string& device);
// The result as sentences, a line each.
[[nodiscard]] std::string sentences_of(const ModelFiles& files, const WrittenModels& written,
                                       const std::string& device);

}  // namespace bifocal::cli
