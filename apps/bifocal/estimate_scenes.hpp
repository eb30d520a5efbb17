// SPDX-License-Identifier: BSD-3-Clause
// The command `bifocal estimate KIND --scenes S.npz --result R.npz`.
#pragma once

#include <bifocal/robust.hpp>

#include "cli.hpp"

namespace bifocal::cli {

struct SceneOptions {
  std::string scenes, result;
  bool one_by_one = false, overwrite = false;
};
// Adds the options. Must follow the options of the cameras, which --scenes excludes, like `points`.
void add_scene_options(const Command& command, SceneOptions& options, const Option& points);

// Estimates every trial of the file, writes the result and prints a summary as JSON.
void run_scene_file(ModelKind kind, const SceneOptions& options, const RobustOptions& robust,
                    const CommonOptions& common, Context& context);

}  // namespace bifocal::cli
