// SPDX-License-Identifier: BSD-3-Clause
// Control points of the commands map, collect, adjust and report.
#pragma once

#include <bifocal/control.hpp>
#include <bifocal/jobs.hpp>

#include <nlohmann/json.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "cli.hpp"

namespace bifocal::cli {

struct ControlArguments {
  std::string control, check;

  // Names of the check points, which the argument separates by commas.
  [[nodiscard]] std::vector<std::string> names() const;
  // Sets `control` and `check` of a job.
  template <class Files>
  void give(Files& files) const {
    files.control = control;
    files.check = names();
  }
};

inline constexpr const char* kControlHelp =
    "file of surveyed points and their marks in photographs (gcp_list.txt or CSV, "
    "docs/formats.md): they place each model and correct its shape";

// Adds --control and --check. `use` is the help's sentence about the points.
Option add_control_options(const Command& command, ControlArguments& o, const char* use);

[[nodiscard]] Json control_json(const ControlPoints& control, const ControlResult& result);
// Null without control points.
[[nodiscard]] Json control_json(const ControlledModel& model);

// The table of the points; for a model that they do not determine, the reason. `name` is that of
// the model.
[[nodiscard]] std::string sentences_of(const std::string& name, const ControlledModel& model);

}  // namespace bifocal::cli
