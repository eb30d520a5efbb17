// SPDX-License-Identifier: BSD-3-Clause
// Arguments of the command collect.
#pragma once

#include <bifocal/collect.hpp>

#include <string>
#include <vector>

#include "cli.hpp"
#include "models/control_text.hpp"

namespace bifocal::cli {

struct CollectArguments {
  std::vector<std::string> images;
  std::string database, pairs = "auto", intrinsics, features = "rootsift", matches, masks;
  double ratio = 0;  // 0: not given
  CollectOptions collect;
  bool drops_contradicting = false, is_strict = false;
  std::string model, undistorted, dense, ply, model_format = "binary";
  bool overwrite_model = false;
  ControlArguments control;
  CommonOptions common;
};

void add_collect_options(const Command& command, CollectArguments& arguments);
// Takes the arguments that are not options of collect() by name.
void take_arguments(CollectArguments& arguments);

}  // namespace bifocal::cli
