// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <bifocal/colmap/bundle_adjust.hpp>
#include <bifocal/device.hpp>
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>
#include <bifocal/jobs.hpp>

#include <charconv>
#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>

#include "models/adjust_text.hpp"
#include "models/control_text.hpp"
#include "arguments.hpp"
#include "cli.hpp"
#include "interrupt.hpp"
#include "option_fields.hpp"
#include "progress.hpp"

namespace bifocal::cli {
namespace {
namespace fs = std::filesystem;

struct Options {
  std::string model, out, format, constant_cameras, constant_images, constant_points;
  bool overwrite = false;
  ControlArguments control;
  colmap::BundleAdjustOptions adjust;
  CommonOptions common;
};

// Parses numbers separated by commas, blanks or ends of lines.
template <class Number>
std::vector<Number> numbers_of(std::string_view text, const std::string& where) {
  constexpr std::string_view kSeparators = ", \t\r\n";
  std::vector<Number> numbers;
  while ((text.remove_prefix(std::min(text.find_first_not_of(kSeparators), text.size())),
          !text.empty())) {
    const std::string_view word = text.substr(0, text.find_first_of(kSeparators));
    Number& number = numbers.emplace_back();
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc{} || end != word.data() + word.size())
      throw Error(ErrorCode::usage, fmt::format("{}: '{}' is no number", where, word));
    text.remove_prefix(word.size());
  }
  return numbers;
}

// Reads image names from a file, one a line, and returns the numbers of the images.
std::vector<colmap::Id> listed_images(const std::string& file, const colmap::Model& model) {
  std::unordered_map<std::string_view, colmap::Id> ids;
  for (const colmap::ModelImage& image : model.images) ids.emplace(image.name, image.id);
  std::vector<colmap::Id> listed;
  const std::string text = read_text(file);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view name = std::string_view(text).substr(at, end - at);
    at = end + 1;
    if (name.empty()) continue;
    const auto found = ids.find(name);
    if (found == ids.end())
      throw Error(ErrorCode::input, fmt::format("{}: the model has no image '{}'", file, name));
    listed.push_back(found->second);
  }
  return listed;
}

void take_lists(Options& o, const colmap::Model& model) {
  o.adjust.constant_cameras = numbers_of<colmap::Id>(o.constant_cameras, "--constant-cameras");
  if (!o.constant_images.empty())
    o.adjust.constant_images = listed_images(o.constant_images, model);
  if (!o.constant_points.empty())
    o.adjust.constant_points =
        numbers_of<colmap::PointId>(read_text(o.constant_points), o.constant_points);
}

// Takes the model inside a folder of models. The output then replaces this model if it is the same
// folder.
void take_folders(Options& o) {
  std::error_code ignored;
  const bool is_given = fs::equivalent(o.model, o.out, ignored);
  o.model = colmap::model_folder(o.model).string();
  if (is_given && o.overwrite) o.out = o.model;
  if (!o.overwrite && (is_given || fs::equivalent(o.model, o.out, ignored)))
    throw Error(ErrorCode::usage,
                fmt::format("--out {}: this is the input; --overwrite replaces it", o.out));
}

// Progress counts up to the limit of iterations, which few adjustments reach.
std::function<bool(const AdjustIteration&)> progress_of(std::optional<Progress>& progress,
                                                        int limit,
                                                        const std::optional<StopRequest>& stop) {
  return [&progress, limit, &stop](const AdjustIteration& i) {
    if (!progress) progress.emplace(double(limit), "iterations", Work::stages);
    progress->update(double(i.iteration),
                     fmt::format("cost {:.6g} px^2, ends when converged", i.cost));
    return !stop->is_made();
  };
}

AdjustFiles files_of(const Options& o) {
  AdjustFiles files{
      .model = o.model, .out = o.out, .overwrite = o.overwrite, .out_argument = "--out"};
  if (!o.format.empty())
    files.format = o.format == "text" ? colmap::ModelFormat::text : colmap::ModelFormat::binary;
  o.control.give(files);
  return files;
}

void run(Options o, Context& context) {
  using Clock = std::chrono::steady_clock;
  StageTimes& times = context.times;
  times.end("start");
  const ThreadLimit limit(o.common.threads);
  take_folders(o);
  const DeviceSet devices = chosen_devices(o.common);
  if (devices.devices().size() != 1)
    throw Error(ErrorCode::usage,
                fmt::format("--device {}: a model is adjusted on one device", o.common.device));
  Queue queue(devices.devices().front());
  times.end("device");
  std::optional<StopRequest> stop;
  std::optional<Progress> progress;
  o.adjust.adjust.progress = progress_of(progress, o.adjust.adjust.max_iterations, stop);
  Clock::time_point start;
  double seconds = 0;
  AdjustFiles files = files_of(o);
  files.adjusting = [&](const colmap::Model& model, colmap::BundleAdjustOptions& adjust) {
    take_lists(o, model);
    adjust = o.adjust;
    times.end("reading");
    stop.emplace();
    start = Clock::now();
  };
  files.adjusted = [&] {
    seconds = std::chrono::duration<double>(Clock::now() - start).count();
    progress.reset();
    stop.reset();
    times.end("adjustment");
  };
  ControlledModel controlled;
  files.controlled = [&](const ControlPoints& control, const ControlResult& result) {
    controlled = {control, result, {}};
  };
  const colmap::BundleAdjustResult result = adjust_and_write(queue, files);
  announce_interruption(kFilesWritten);
  times.end("files");
  const AdjustReport report{o.adjust, result, devices.id(), seconds};
  if (o.common.json) {
    Json json = {{"model", o.model}, {"out", o.out}};
    json.update(adjust_json(report));
    if (controlled.result) json["control"] = control_json(controlled);
    json["timings_ms"] = times_json(times.times());
    print_out(to_text(json));
  } else {
    std::string text = adjust_sentences(report);
    if (controlled.result) {
      text += sentences_of(o.out, controlled);
      for (const std::string& doubt : controlled.result->after.doubts)
        text += fmt::format("doubted: {} (control)\n", doubt);
    }
    print_out(text);
  }
  if (result.adjustment.reason == AdjustReason::stopped) context.exit_code = kExitInterrupted;
}

void add_constants(const Command& command, Options& o) {
  const HelpGroup group(command, "Parameters");
  command.option("--constant-cameras", o.constant_cameras,
                 "numbers of cameras that are not adjusted: 1,4");
  command.option("--constant-images", o.constant_images,
                 "file of images whose poses are not adjusted, a name a line");
  command.option("--constant-points", o.constant_points,
                 "file of points that are not adjusted, their numbers");
}

}  // namespace

void add_adjust(Program& program, Context& context) {
  const Command command = program.command(
      "adjust", "Bundle adjustment of a COLMAP model: poses, intrinsics and points");
  const auto o = std::make_shared<Options>();
  command.option("MODEL", o->model, kModelHelp).required();
  command.option("--out", o->out, "folder of the adjusted model").required();
  command.flag("--overwrite", o->overwrite, "replace a model in --out, which may be MODEL itself");
  command.option("--format", o->format, "of the output, binary or text; default: as MODEL")
      .one_of({"binary", "text"});
  add_control_options(command, o->control, kControlHelp);
  add_constants(command, *o);
  const colmap::BundleAdjustOptions& a = o->adjust;
  add_flags(command, o->adjust,
            FlagChanges()
                .leave_out(a.adjust.deviation_px)
                .change(a.adjust.covariance,
                        {.help = "also write covariances.npz, as docs/formats.md describes"})
                .change(a.refine_focal_length, {.help = "keep focal lengths"})
                .change(a.refine_extra_params, {.help = "keep the parameters of lenses"})
                .change(a.refine_poses, {.help = "keep the poses of all images"})
                .change(a.refine_points, {.help = "keep all scene points"}));
  add_common_of_large(command, o->common);
  command.runs([o, &context] { run(*o, context); });
}

}  // namespace bifocal::cli
