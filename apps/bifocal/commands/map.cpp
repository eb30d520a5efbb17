// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <bifocal/device.hpp>
#include <bifocal/error.hpp>

#include <memory>

#include "arguments.hpp"
#include "cli.hpp"
#include "interrupt.hpp"
#include "models/control_text.hpp"
#include "models/model_files.hpp"
#include "option_fields.hpp"

namespace bifocal::cli {
namespace {

struct Options {
  std::string database, out, images, undistorted, ply, format = "binary";
  bool overwrite = false, is_strict = false;
  ControlArguments control;
  MapOptions map;
  CommonOptions common;
};

void run(const Options& o, Context& context) {
  StageTimes& times = context.times;
  times.end("start");
  const ThreadLimit limit(o.common.threads);
  ModelFiles files{.database = o.database,
                   .photographs = o.images,
                   .out = o.out,
                   .undistorted = o.undistorted,
                   .ply = o.ply,
                   .format = model_format_of(o.format),
                   .overwrite = o.overwrite,
                   .is_strict = o.is_strict,
                   .map = o.map};
  o.control.give(files);
  check_model_files(files);
  times.end("check");
  const DeviceSet devices = chosen_devices(o.common);
  if (devices.devices().size() != 1)
    throw Error(ErrorCode::usage,
                fmt::format("--device {}: a database is mapped on one device", o.common.device));
  MapConsole console(files, times);
  Queue queue(devices.devices().front());
  const WrittenModels written = map_and_write(queue, files);
  console.finish(written);
  if (!written.result.models.empty()) announce_interruption(kFilesWritten);
  print_out(o.common.json ? to_text(json_of(files, written, devices.id(), times))
                          : sentences_of(files, written, devices.id(), times));
  if (written.is_refused) context.exit_code = kExitNoGeometry;
}

}  // namespace

void add_map(Program& program, Context& context) {
  const Command command =
      program.command("map", "Sparse models from the verified pairs of a COLMAP database");
  const auto o = std::make_shared<Options>();
  command.option("DATABASE", o->database, "COLMAP database with verified pairs").required();
  command.option("--out", o->out, "folder of the models 0, 1, ... as COLMAP reads them").required();
  const Option images =
      command.option("--images", o->images, "folder of the photographs, for the colours of points");
  command.option("--undistort", o->undistorted, kUndistortHelp).needs(images);
  command.option("--ply", o->ply, "file for the points of the first model; coloured with --images");
  command.option("--format", o->format, kModelFormatHelp).one_of(model_formats()).shows_default();
  command.flag("--overwrite", o->overwrite,
               "replace existing models, undistorted images and --ply");
  command.flag("--strict", o->is_strict, kStrictModelsHelp);
  add_control_options(command, o->control, kControlHelp);
  add_flags(command, o->map,
            FlagChanges()
                .change(o->map.refine_focal_length, {.help = "keep focal lengths"})
                .change(o->map.refine_extra_params, {.help = "keep the parameters of lenses"}));
  add_common_of_large(command, o->common);
  command.runs([o, &context] { run(*o, context); });
}

}  // namespace bifocal::cli
