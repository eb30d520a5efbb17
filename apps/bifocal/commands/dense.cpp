// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <bifocal/device.hpp>
#include <bifocal/error.hpp>
#include <bifocal/dense.hpp>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "arguments.hpp"
#include "cli.hpp"
#include "interrupt.hpp"
#include "option_fields.hpp"
#include "progress.hpp"

namespace bifocal::cli {
namespace {

struct Options {
  std::string model, images, out, maps = "npz";
  bool overwrite = false;
  DenseOptions dense;
  CommonOptions common;
};

Json json_of(const Options& o, const WrittenDense& written, const std::string& device,
             const StageTimes& times) {
  Json images = Json::array();
  for (const DenseImage& image : written.images) {
    Json entry = {{"name", image.name}, {"known", image.known}};
    if (!image.reason.empty()) entry["reason"] = image.reason;
    images.push_back(std::move(entry));
  }
  return {{"model", o.model},
          {"out", o.out},
          {"device", device},
          {"points", written.points},
          {"resumed", written.resumed},
          {"images", std::move(images)},
          {"timings_ms", times_json(times.times())}};
}

std::string sentences_of(const Options& o, const WrittenDense& written) {
  std::vector<double> known;
  std::string unknown;
  for (const DenseImage& image : written.images) {
    if (image.reason.empty())
      known.push_back(image.known);
    else
      unknown += fmt::format("{}: no depth: {}\n", image.name, image.reason);
  }
  std::ranges::sort(known);
  std::string text = unknown;
  if (!known.empty())
    text += fmt::format(
        "depth of {} images, known for {:.0f} % of the pixels ({:.0f} to {:.0f} %)\n", known.size(),
        100 * known[known.size() / 2], 100 * known.front(), 100 * known.back());
  return text + fmt::format("{}/fused.ply: {} points\n", o.out, written.points);
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
  announce_resuming();
  std::optional<Progress> progress;
  DenseStage stage = DenseStage::match;
  o.dense.progress = [&](const DenseProgress& p) {
    if (!progress || p.stage != stage) {
      if (progress) {
        progress.reset();
        times.end(stage == DenseStage::match ? "match" : "refine");
      }
      constexpr const char* kWords[] = {"images matched", "images refined", "images compared"};
      progress.emplace(double(p.total), kWords[static_cast<std::size_t>(p.stage)]);
      stage = p.stage;
    }
    progress->update(double(p.done), "");
  };
  const WrittenDense written = dense_model(queue, {.model = o.model,
                                                   .photographs = o.images,
                                                   .out = o.out,
                                                   .overwrite = o.overwrite,
                                                   .has_maps = o.maps == "npz",
                                                   .dense = o.dense});
  progress.reset();
  times.end("compare");
  if (o.common.json)
    print_out(to_text(json_of(o, written, devices.id(), times)));
  else
    print_out(sentences_of(o, written));
}

}  // namespace

void add_dense(Program& program, Context& context) {
  const Command command =
      program.command("dense", "Depth maps of a COLMAP model's photographs, and a cloud of points");
  const auto o = std::make_shared<Options>();
  command.option("MODEL", o->model, "folder with cameras, images and points3D, .bin or .txt")
      .required();
  command.option("--images", o->images, "folder of the photographs").required();
  command.option("--out", o->out, "folder of depth/NAME.npz, cameras and fused.ply").required();
  command.flag("--overwrite", o->overwrite, "replace files in --out");
  command.option("--maps", o->maps, "npz, or none: write the cloud alone").one_of({"npz", "none"});
  add_flags(command, o->dense);
  add_common_of_large(command, o->common);
  command.runs([o, &context] { run(*o, context); });
}

}  // namespace bifocal::cli
