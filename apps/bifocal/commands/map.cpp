// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <bifocal/device.hpp>
#include <bifocal/error.hpp>
#include <bifocal/mapping.hpp>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "arguments.hpp"
#include "cli.hpp"
#include "option_fields.hpp"
#include "progress.hpp"

namespace bifocal::cli {
namespace {

struct Options {
  std::string database, out, images;
  bool overwrite = false;
  MapOptions map;
  CommonOptions common;
};

// The stage in the words of a user.
std::string_view words_of(MapStage stage) {
  switch (stage) {
    case MapStage::read:
      return "reading the database";
    case MapStage::calibrate:
      return "estimating focal lengths";
    case MapStage::pairs:
      return "estimating relative poses";
    case MapStage::rotations:
      return "averaging rotations";
    case MapStage::tracks:
      return "joining matches to tracks";
    case MapStage::positions:
      return "positioning cameras and points";
    case MapStage::adjust:
      return "adjusting";
    case MapStage::resect:
      return "adding images by absolute pose";
    case MapStage::colours:
      return "reading colours";
  }
  return "";
}

double mean_error(const MapResult& result, std::size_t model) {
  return result.figures[model].mean_error;
}

Json json_of(const Options& o, const MapResult& result, const std::string& device) {
  Json json = {{"database", o.database}, {"out", o.out}, {"device", device}};
  json["models"] = Json::array();
  for (std::size_t i = 0; i < result.models.size(); ++i) {
    const MapFigures& f = result.figures[i];
    json["models"].push_back(
        {{"folder", (std::filesystem::path(o.out) / std::to_string(i)).string()},
         {"images", f.images},
         {"points", f.points},
         {"observations", f.observations},
         {"mean_error_px", f.mean_error}});
  }
  json["left_out"] = Json::array();
  for (const LeftOutImage& image : result.left_out)
    json["left_out"].push_back(
        {{"id", image.id}, {"name", image.name}, {"reason", std::string(to_string(image.reason))}});
  json["damaged_rows"] = Json::array();
  for (const colmap::RowFault& fault : result.damaged_rows)
    json["damaged_rows"].push_back({{"row", fault.row}, {"reason", fault.reason}});
  json["passed_over"] = Json::array();
  for (const LeftOut& file : result.passed_over)
    json["passed_over"].push_back({{"name", file.name}, {"reason", file.reason}});
  json["pairs"] = result.pairs;
  json["removed_pairs"] = result.removed_pairs;
  for (std::size_t i = 0; i < result.seconds.size(); ++i)
    json["timings_ms"][std::string(kMapStageWords[i])] = 1000 * result.seconds[i];
  return json;
}

std::string sentences(const Options& o, const MapResult& result, const std::string& device) {
  std::string text;
  for (std::size_t i = 0; i < result.models.size(); ++i) {
    const MapFigures& f = result.figures[i];
    text += fmt::format(
        "{}: {} images, {} points, {} observations, mean reprojection error {:.2f} px\n",
        (std::filesystem::path(o.out) / std::to_string(i)).string(), f.images, f.points,
        f.observations, mean_error(result, i));
  }
  if (result.models.empty()) text += fmt::format("{}: no model was found\n", o.database);
  double total = 0;
  for (const double seconds : result.seconds) total += seconds;
  text += fmt::format("{} pairs, {} removed because they contradict others; {:.1f} s on {}\n",
                      result.pairs, result.removed_pairs, total, device);
  constexpr std::size_t kShown = 20;
  for (std::size_t i = 0; i < std::min(kShown, result.left_out.size()); ++i)
    text += fmt::format("not in a model: {} ({})\n", result.left_out[i].name,
                        to_string(result.left_out[i].reason));
  if (result.left_out.size() > kShown)
    text += fmt::format("not in a model: {} other images; --json lists all\n",
                        result.left_out.size() - kShown);
  return text;
}

// Reports damaged rows and unreadable photographs on stderr, at most 20 of each.
void print_notes(const Options& o, const MapResult& result) {
  constexpr std::size_t kShown = 20;
  for (std::size_t i = 0; i < std::min(kShown, result.damaged_rows.size()); ++i)
    print_note(fmt::format("{}: {}: {}; not used", o.database, result.damaged_rows[i].row,
                           result.damaged_rows[i].reason));
  for (std::size_t i = 0; i < std::min(kShown, result.passed_over.size()); ++i)
    print_note(fmt::format("no colours from {}", result.passed_over[i].reason));
  if (std::max(result.damaged_rows.size(), result.passed_over.size()) > kShown)
    print_note("--json lists all damaged rows and unreadable photographs");
}

void run(Options o, Context& context) {
  const ThreadLimit limit(o.common.threads);
  if (!o.overwrite) require_no_models(o.out);
  const DeviceSet devices = chosen_devices(o.common);
  if (devices.devices().size() != 1)
    throw Error(ErrorCode::usage,
                fmt::format("--device {}: a database is mapped on one device", o.common.device));
  MapResult result;
  {
    Progress progress(static_cast<double>(std::size(kMapStageWords)), "stages");
    o.map.progress = [&progress](const MapProgress& p) {
      progress.update(
          static_cast<double>(p.stage),
          fmt::format("{}, model {}, {} images registered", words_of(p.stage), p.model, p.images));
    };
    Queue queue(devices.devices().front());
    result = map_database(queue, o.database, o.map, o.images);
  }
  print_notes(o, result);
  if (!result.models.empty()) write_models(o.out, result, o.overwrite);
  print_out(o.common.json ? to_text(json_of(o, result, devices.id()))
                          : sentences(o, result, devices.id()));
  if (result.models.empty()) context.exit_code = kExitNoGeometry;
}

}  // namespace

void add_map(Program& program, Context& context) {
  const Command command =
      program.command("map", "Sparse models from the verified pairs of a COLMAP database");
  const auto o = std::make_shared<Options>();
  command.option("DATABASE", o->database, "COLMAP database with verified pairs").required();
  command.option("--out", o->out, "folder of the models 0, 1, ... in COLMAP's binary format")
      .required();
  command.option("--images", o->images, "folder of the photographs, for the colours of points");
  command.flag("--overwrite", o->overwrite, "replace the models of an earlier run");
  add_flags(command, o->map,
            FlagChanges()
                .change(o->map.refine_focal_length, {.help = "keep focal lengths"})
                .change(o->map.refine_extra_params, {.help = "keep the parameters of lenses"}));
  add_common_of_large(command, o->common);
  command.runs([o, &context] { run(*o, context); });
}

}  // namespace bifocal::cli
