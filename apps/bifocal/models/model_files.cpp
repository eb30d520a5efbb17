// SPDX-License-Identifier: BSD-3-Clause
#include "models/model_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bifocal/error.hpp>
#include <cmath>
#include <optional>
#include <bifocal/reasons.hpp>

#include "interrupt.hpp"
#include "models/control_text.hpp"

namespace bifocal::cli {
namespace {

constexpr std::size_t kShown = 20;  // lines of a list

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

// Folders of all models; empty for a model that is not written.
std::vector<std::string> folders_of(const ModelFiles& files, const MapResult& result) {
  std::vector<std::string> folders(result.models.size());
  std::size_t number = 0;
  for (const std::size_t place : written_models(result, files.is_strict))
    folders[place] = (files.out / std::to_string(number++)).string();
  return folders;
}

Json list_of(const std::vector<LeftOut>& list) {
  Json json = Json::array();
  for (const LeftOut& item : list) json.push_back({{"name", item.name}, {"reason", item.reason}});
  return json;
}

Json doubts_json(const std::vector<ModelDoubt>& doubts) {
  Json json = Json::array();
  for (const ModelDoubt& doubt : doubts) {
    Json& one = json.emplace_back(Json{{"kind", to_string(doubt.kind)},
                                       {"value", doubt.value},
                                       {"limit", doubt.limit},
                                       {"text", doubt.text}});
    if (!doubt.images.empty()) one["images"] = doubt.images;
    if (!doubt.pairs.empty()) one["pairs"] = doubt.pairs;
  }
  return json;
}

Json json_of(const std::optional<colmap::Georeference>& place) {
  if (!place) return {};
  Json json = {{"origin", Json()}};
  if (place->origin)
    json["origin"] = {{"latitude_deg", place->origin->latitude_deg},
                      {"longitude_deg", place->origin->longitude_deg},
                      {"altitude_m", place->origin->altitude_m}};
  json["positions"] = place->positions;
  json["outliers"] = place->outliers;
  json["residuals_m"] = place->residuals;
  json["is_adjusted"] = place->is_adjusted;
  json["control_points"] = place->control_points;
  json["control_residuals_m"] = place->control_residuals;
  json["check_points"] = place->check_points;
  json["check_residuals_m"] = place->check_residuals;
  return json;
}

// A sentence about the place of a model; empty if none of its images has a position.
std::string place_text(const MapFigures& figures,
                       const std::optional<colmap::Georeference>& place) {
  if (!place)
    return figures.positions == 0
               ? ""
               : fmt::format(
                     "the positions of {} of its images do not determine its place and scale: "
                     "three that are on no line, and far apart for their errors, are needed",
                     figures.positions);
  std::string text = "in metres";
  if (place->origin)
    text += fmt::format(
        ": east, north and up of latitude {:.6f}, longitude {:.6f}, altitude {:.1f}",
        place->origin->latitude_deg, place->origin->longitude_deg, place->origin->altitude_m);
  if (place->control_points > 0) return text + ", by control points";
  const Vec3& r = place->residuals;
  text += fmt::format("; differs from {} positions by {:.2f} m horizontally and {:.2f} m in height",
                      place->positions - static_cast<std::int64_t>(place->outliers.size()),
                      std::hypot(r[0], r[1]), r[2]);
  if (!place->outliers.empty())
    text += fmt::format(", contradicts {} others", place->outliers.size());
  return text;
}

Json models_of(const ModelFiles& files, const WrittenModels& written) {
  const MapResult& result = written.result;
  Json json = Json::array();
  const std::vector<std::string> folders = folders_of(files, result);
  for (std::size_t i = 0; i < result.models.size(); ++i) {
    const MapFigures& f = result.figures[i];
    json.push_back({{"folder", folders[i].empty() ? Json() : Json(folders[i])},
                    {"images", f.images},
                    {"points", f.points},
                    {"observations", f.observations},
                    {"mean_error_px", f.mean_error},
                    {"cameras", focal_lengths_json(f.given, f.focal_lengths)},
                    {"georeference", json_of(result.models[i].georeference)},
                    {"doubts", doubts_json(result.doubts[i])}});
    if (i < written.controlled.size()) json.back()["control"] = control_json(written.controlled[i]);
  }
  return json;
}

// Lines of the models and their doubts.
std::string models_text(const ModelFiles& files, const WrittenModels& written) {
  const MapResult& result = written.result;
  std::string text;
  const std::vector<std::string> folders = folders_of(files, result);
  for (std::size_t i = 0; i < result.models.size(); ++i) {
    const MapFigures& f = result.figures[i];
    const std::string name = folders[i].empty() ? "not written" : folders[i];
    text += fmt::format(
        "{}: {} images, {} points, {} observations, mean reprojection error {:.2f} px\n", name,
        f.images, f.points, f.observations, f.mean_error);
    text += fmt::format("{}: {}\n", name, colmap::summary_of(f.given, f.focal_lengths));
    if (const std::string place = place_text(f, result.models[i].georeference); !place.empty())
      text += fmt::format("{}: {}\n", name, place);
    if (i < written.controlled.size()) text += sentences_of(name, written.controlled[i]);
    for (const ModelDoubt& doubt : result.doubts[i])
      text += fmt::format("doubted: {}: {} ({})\n", name, doubt.text, to_string(doubt.kind));
  }
  return text;
}

// Reports damaged rows and unreadable photographs on stderr.
void print_notes(const ModelFiles& files, const MapResult& result) {
  for (std::size_t i = 0; i < std::min(kShown, result.damaged_rows.size()); ++i)
    print_note(fmt::format("{}: {}: {}; not used", files.database.string(),
                           result.damaged_rows[i].row, result.damaged_rows[i].reason));
  for (std::size_t i = 0; i < std::min(kShown, result.without_colours.size()); ++i)
    print_note(fmt::format("no colours from {}", result.without_colours[i].reason));
  if (std::max(result.damaged_rows.size(), result.without_colours.size()) > kShown)
    print_note("--json lists all damaged rows and unreadable photographs");
}

// The stages of map_database() with their durations.
std::vector<StageTime> times_of(const MapResult& result) {
  std::vector<StageTime> times;
  for (std::size_t i = 0; i < result.seconds.size(); ++i)
    times.push_back({std::string(kMapStageWords[i]), 1000 * result.seconds[i]});
  return times;
}

std::string sentence_of(const ModelFiles& files, const colmap::UndistortResult& undistorted,
                        std::size_t models) {
  std::string text = fmt::format("{}: {} undistorted images and their model",
                                 files.undistorted.string(), undistorted.model.images.size());
  if (models > 1) text += fmt::format(", of {} only", (files.out / "0").string());
  return text + "\n";
}

}  // namespace

void MapConsole::set_callbacks(ModelFiles& files) {
  files.map.progress = [this](const MapProgress& p) {
    if (!progress_) {
      times_.end("device");
      progress_.emplace(static_cast<double>(std::size(kMapStageWords)), "stages", Work::stages);
    }
    progress_->update(
        static_cast<double>(p.stage),
        fmt::format("{}, model {}, {} images registered", words_of(p.stage), p.model, p.images));
  };
  files.written = [this, &files](const MapResult& result) {
    progress_.reset();
    times_.end(times_of(result), "files");
    print_notes(files, result);
    const std::vector<std::size_t> places = written_models(result, files.is_strict);
    if (places.empty() || files.undistorted.empty()) return;
    announce_interruption(fmt::format("{} has its models, {} no images", files.out.string(),
                                      files.undistorted.string()));
    progress_.emplace(static_cast<double>(result.models[places.front()].images.size()), "images");
  };
  files.undistorting = [this](std::int64_t done, std::int64_t) {
    progress_->update(static_cast<double>(done), "undistorting");
  };
}

void MapConsole::finish(const WrittenModels& written) {
  progress_.reset();
  if (!written.undistorted) return;
  times_.end("undistort");
  const std::vector<LeftOut>& left_out = written.undistorted->left_out;
  for (std::size_t i = 0; i < std::min(kShown, left_out.size()); ++i)
    print_note(fmt::format("not undistorted: {}", left_out[i].reason));
}

Json json_of(const ModelFiles& files, const WrittenModels& written, const std::string& device,
             const StageTimes& times) {
  const MapResult& result = written.result;
  Json json = {{"database", files.database.string()},
               {"out", files.out.string()},
               {"device", device},
               {"models", models_of(files, written)}};
  json["left_out"] = Json::array();
  for (const LeftOutImage& image : result.left_out)
    json["left_out"].push_back({{"id", image.id},
                                {"name", image.name},
                                {"reason", to_string(image.reason)},
                                {"text", reason_text(to_string(image.reason))}});
  json["damaged_rows"] = Json::array();
  for (const colmap::RowFault& fault : result.damaged_rows)
    json["damaged_rows"].push_back({{"row", fault.row}, {"reason", fault.reason}});
  json["without_colours"] = list_of(result.without_colours);
  json["pairs"] = result.pairs;
  json["removed_pairs"] = result.removed_pairs;
  json["timings_ms"] = times_json(times.times());
  if (!files.ply.empty() && !written_models(result, files.is_strict).empty())
    json["ply"] = files.ply.string();
  if (!written.undistorted) return json;
  json["undistorted"] = {{"folder", files.undistorted.string()},
                         {"images", written.undistorted->model.images.size()},
                         {"outside", written.undistorted->outside},
                         {"left_out", list_of(written.undistorted->left_out)}};
  return json;
}

std::string sentences_of(const ModelFiles& files, const WrittenModels& written,
                         const std::string& device, const StageTimes& times) {
  const MapResult& result = written.result;
  std::string text = models_text(files, written);
  if (result.models.empty())
    text += fmt::format("{}: no model was found\n", files.database.string());
  if (!files.ply.empty() && !written_models(result, files.is_strict).empty())
    text += fmt::format("{}: points of {}\n", files.ply.string(), (files.out / "0").string());
  if (written.undistorted)
    text +=
        sentence_of(files, *written.undistorted, written_models(result, files.is_strict).size());
  text += fmt::format("{} pairs, {} removed because they contradict others; {:.1f} s on {}\n",
                      result.pairs, result.removed_pairs, times.total_ms() / 1000, device);
  for (std::size_t i = 0; i < std::min(kShown, result.left_out.size()); ++i)
    text += fmt::format("not in a model: {}: {}\n", result.left_out[i].name,
                        reason_text(to_string(result.left_out[i].reason)));
  if (result.left_out.size() > kShown)
    text += fmt::format("not in a model: {} other images; --json lists all\n",
                        result.left_out.size() - kShown);
  return text;
}

}  // namespace bifocal::cli
