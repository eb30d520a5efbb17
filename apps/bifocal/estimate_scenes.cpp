// SPDX-License-Identifier: BSD-3-Clause
#include "estimate_scenes.hpp"

#include <fmt/format.h>
#include <bifocal/error.hpp>
#include <bifocal/device.hpp>
#include <bifocal/io.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <numeric>
#include <nlohmann/json.hpp>

#include "arguments.hpp"
#include "interrupt.hpp"
#include "progress.hpp"
#include "scenes.hpp"

namespace bifocal::cli {
namespace {

// Checks this before the work, so that an error is not found only at its end.
void check_scene_files(const SceneOptions& o) {
  namespace fs = std::filesystem;
  if (o.result.empty()) throw Error(ErrorCode::usage, "--result: the file name is empty");
  require_no_input(o.result, std::array{fs::path(o.scenes)});
  std::error_code none;
  const fs::path folder = fs::absolute(o.result, none).parent_path();
  if (!fs::is_directory(folder, none)) {
    throw Error(ErrorCode::input,
                fmt::format("{}: can't be written: no folder {}", o.result, folder.string()));
  }
  require_file_place(o.result);
  require_free(o.result, o.overwrite || is_result_of(o.result, o.scenes));
}

SceneResults run_with_progress(const Scenes& scenes, const SceneOptions& o, ModelKind kind,
                               const Device& device, const RobustOptions& robust) {
  using Clock = std::chrono::steady_clock;
  Progress progress(double(scenes.trials), "trials");
  Clock::time_point shown = Clock::now();
  const auto update =
      [&](std::size_t done) {  // only sometimes, because trials take less than a millisecond
        if (Clock::now() - shown < std::chrono::milliseconds(100)) return;
        shown = Clock::now();
        progress.update(double(done), o.scenes);
      };
  return run_scenes(scenes, {kind, device, robust, o.one_by_one, update});
}

}  // namespace

// With --scenes the points, and K, come from that file.
void add_scene_options(const Command& command, SceneOptions& o, const Option& points) {
  const Option scenes = command.option("--scenes", o.scenes,
                                       "instead of --points: NPZ file of many pairs (x1, x2, K; "
                                       "for pose x, X, K; also depths if the model takes them)");
  const Option result =
      command.option("--result", o.result, "NPZ file to write for --scenes").needs(scenes);
  command
      .flag("--one-by-one", o.one_by_one,
            "with --scenes: estimate every trial by a separate call with the defaults for one "
            "pair, and time each")
      .needs(scenes);
  command
      .flag("--overwrite", o.overwrite,
            "replace --result if it is not the result of an earlier run on the same --scenes")
      .needs(scenes);
  scenes.needs(result).excludes(points);
  for (const char* name : {"--intrinsics", "--intrinsics2", "--calib", "--principal-point"}) {
    scenes.excludes(command.get(name));
  }
}

void run_scene_file(ModelKind kind, const SceneOptions& o, const RobustOptions& robust,
                    const CommonOptions& common, Context& context) {
  const Device device = chosen_device(common);  // before any file is read
  const ThreadLimit limit(common.threads);
  check_scene_files(o);
  const Scenes scenes = read_scenes(o.scenes, problem_info(kind));
  const SceneResults results = run_with_progress(scenes, o, kind, device, robust);
  write_results(o.result, o.scenes, scenes, results);
  announce_interruption(kFilesWritten);
  const auto failures = std::count(results.ok.begin(), results.ok.end(), 0);
  const double ms = std::accumulate(results.time_ms.begin(), results.time_ms.end(), 0.0);
  Json json = {{"problem", to_string(kind)}};
  json["scenes"] = o.scenes;
  json["result"] = o.result;
  json["trials"] = scenes.trials;
  json["points"] = scenes.points;
  json["failures"] = failures;
  json["mean_ms"] = ms / double(scenes.trials);
  json["device"] = device.info().id;
  json["seed"] = robust.seed;
  print_out(to_text(json));
  if (std::size_t(failures) == scenes.trials) {
    print_note(fmt::format("{}: no geometry found in any trial", o.scenes));
    context.exit_code = kExitNoGeometry;
  }
}

}  // namespace bifocal::cli
