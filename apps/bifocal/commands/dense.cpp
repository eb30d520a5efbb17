// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <bifocal/colmap/model.hpp>
#include <bifocal/device.hpp>
#include <bifocal/error.hpp>
#include <bifocal/dense.hpp>

#include <memory>
#include <string>

#include "arguments.hpp"
#include "cli.hpp"
#include "interrupt.hpp"
#include "models/dense_files.hpp"
#include "option_fields.hpp"

namespace bifocal::cli {
namespace {

struct Options {
  std::string model, images, out, maps = "npz", format = "npz";
  bool overwrite = false;
  DenseOptions dense;
  CommonOptions common;
};

DenseMaps maps_of(const Options& o) {
  if (o.maps == "none") return DenseMaps::none;
  return o.format == "colmap" ? DenseMaps::colmap : DenseMaps::npz;
}

void run(const Options& given, Context& context) {
  Options o = given;
  StageTimes& times = context.times;
  times.end("start");
  const ThreadLimit limit(o.common.threads);
  const DeviceSet devices = chosen_devices(o.common);
  if (devices.devices().size() != 1)
    throw Error(ErrorCode::usage,
                fmt::format("--device {}: depth is computed on one device", o.common.device));
  Queue queue(devices.devices().front());
  times.end("device");
  announce_interruption(kResumes);
  DenseFiles files{.model = colmap::model_folder(o.model),
                   .photographs = o.images,
                   .out = o.out,
                   .overwrite = o.overwrite,
                   .maps = maps_of(o),
                   .dense = o.dense};
  DenseConsole console(files.dense, times);
  const WrittenDense written = dense_model(queue, files);
  console.finish();
  announce_interruption(kFilesWritten);
  if (o.common.json)
    print_out(to_text(json_of(files, written, devices.id(), times)));
  else
    print_out(sentences_of(files, written));
}

}  // namespace

void add_dense(Program& program, Context& context) {
  const Command command =
      program.command("dense", "Depth maps of a COLMAP model's photographs, and a cloud of points");
  const auto o = std::make_shared<Options>();
  command.option("MODEL", o->model, kModelHelp).required();
  command.option("--images", o->images, "folder of the photographs").required();
  command.option("--out", o->out, "folder of depth/NAME.npz, cameras and fused.ply").required();
  command.flag("--overwrite", o->overwrite, "replace files in --out");
  command.option("--maps", o->maps, "npz, or none: write the cloud alone").one_of({"npz", "none"});
  command
      .option("--format", o->format,
              "of the depth maps: npz, or colmap: a dense workspace of COLMAP")
      .one_of({"npz", "colmap"});
  add_flags(command, o->dense);
  add_common_of_large(command, o->common);
  command.runs([o, &context] { run(*o, context); });
}

}  // namespace bifocal::cli
