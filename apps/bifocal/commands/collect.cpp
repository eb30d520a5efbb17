// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <bifocal/collect.hpp>
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>
#include <bifocal/device.hpp>
#include <bifocal/version.hpp>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "cli.hpp"
#include "collect_options.hpp"
#include "contradictions.hpp"
#include "interrupt.hpp"
#include "models/dense_files.hpp"
#include "models/model_files.hpp"
#include "option_fields.hpp"
#include "progress.hpp"
#include "sift_flags.hpp"

namespace bifocal::cli {
namespace {

// Prints one progress line for each stage. The work of earlier calls does not count in the rate.
class Stages {
 public:
  void report(const CollectProgress& p) {
    if (p.stage != stage_) {
      progress_.reset();
      stage_ = p.stage;
      if (p.before > 0 && p.before < p.total)
        fmt::print(stderr, "{}: resuming after {} of {} {}\n", p.stage, p.before, p.total, p.unit);
      if (p.before == p.total) return;
      progress_.emplace(static_cast<double>(p.total - p.before), std::string(p.unit));
    }
    if (progress_) progress_->update(static_cast<double>(p.done - p.before), p.stage);
  }

 private:
  std::string stage_;
  std::optional<Progress> progress_;
};

Json list_json(const std::vector<LeftOut>& list) {
  Json json = Json::array();
  for (const LeftOut& l : list) json.push_back({{"name", l.name}, {"reason", l.reason}});
  return json;
}

// "auto" is the device that began the work to resume.
DeviceSet devices_of(const CollectArguments& o) {
  if (o.common.device != "auto") return chosen_devices(o.common);
  const CollectDevices chosen = collect_devices(o.database, o.collect.overwrite);
  warn(chosen.warning);
  return chosen.devices;
}

Json result_json(const CollectArguments& o, const std::string& device,
                 const PhotographFiles& photographs, const CollectResult& r) {
  Json json = {{"version", BIFOCAL_VERSION},
               {"database", o.database},
               {"device", device},
               {"complete_before", r.was_complete},
               {"resumed", r.resumed},
               {"images", r.images},
               {"features", r.features},
               {"pairs", r.pairs},
               {"screened_out", r.screened_out},
               {"matched", r.matched},
               {"verified", r.verified},
               {"cameras", focal_lengths_json(r.focal_lengths)}};
  json["left_out"] = list_json(r.left_out);
  json["other_files"] = list_json(photographs.other_files);
  json["notes"] = r.notes;
  return json;
}

std::string summary(const CollectArguments& o, const std::string& device, const CollectResult& r) {
  if (r.was_complete) {
    return fmt::format("{}: complete already: {} images, {} of {} pairs verified\n", o.database,
                       r.images, r.verified, r.pairs);
  }
  std::string text =
      fmt::format("{}: {} images, {} features; {} pairs, {} matched, {} verified, on {}\n",
                  o.database, r.images, r.features, r.pairs, r.matched, r.verified, device);
  text += fmt::format("{}: {}\n", o.database, colmap::summary_of(r.focal_lengths));
  if (r.screened_out > 0)
    text += fmt::format(
        "{} pairs rejected by the screen, because too few of their largest features match; --pairs "
        "exhaustive matches all pairs\n",
        r.screened_out);
  return text;
}

// The stages of collect() with their durations.
std::vector<StageTime> times_of(const CollectResult& r) {
  std::vector<StageTime> times;
  for (const auto& [stage, seconds] : r.seconds) times.push_back({stage, 1000 * seconds});
  return times;
}

std::string time_table(const StageTimes& times) {
  std::string text;
  for (const StageTime& t : times.times())
    text += fmt::format("{:>10.2f} s {}\n", t.ms / 1000, t.stage);
  return text + fmt::format("{:>10.2f} s in total\n", times.total_ms() / 1000);
}

// Returns freed arrays to the system if memory is limited. glibc would keep up to 32 MB per array
// and thread, for later arrays that may not fit into it.
void return_freed_arrays(std::int64_t max_memory) {
#ifdef __GLIBC__
  constexpr std::int64_t kEnough = std::int64_t{1} << 30;
  constexpr int kArray = 1 << 20;
  if (max_memory < kEnough) mallopt(M_MMAP_THRESHOLD, kArray);
#else
  (void)max_memory;
#endif
}

void print_notes(const CollectResult& result) {
  for (const LeftOut& l : result.left_out)
    print_note(fmt::format(
        "left out: {}: {}", l.name,
        l.reason.starts_with(l.name + ": ") ? l.reason.substr(l.name.size() + 2) : l.reason));
  for (const std::string& note : result.notes) print_note(note);
}

CollectionFiles files_of(const CollectArguments& o) {
  CollectionFiles files{.photographs = list_photographs(o.images),
                        .database = o.database,
                        .collect = o.collect,
                        .drops_contradicting = o.drops_contradicting,
                        .models = {.database = o.database,
                                   .out = o.model,
                                   .undistorted = o.undistorted,
                                   .ply = o.ply,
                                   .format = model_format_of(o.model_format),
                                   .overwrite = o.overwrite_model,
                                   .is_strict = o.is_strict},
                        .dense = {.model = o.model + "/0",
                                  .photographs = {},
                                  .out = o.dense,
                                  .overwrite = o.overwrite_model}};
  files.dense.photographs = files.photographs.folder;
  o.control.give(files.models);
  for (const LeftOut& l : files.photographs.other_files)
    print_note(fmt::format("not read: {}: {}", l.name, l.reason));
  return files;
}

// Runs the job. Messages name the flags.
WrittenCollection collected(const DeviceSet& devices, const CollectionFiles& files) {
  try {
    return collect_and_map(devices, files);
  } catch (const Error& e) {
    if (std::string_view(e.what()).find("overwrite it") != std::string_view::npos)
      rethrow_renamed(e, "overwrite it", "use --overwrite-model");
    constexpr std::string_view kMember = "collect: CollectOptions::";
    if (std::string_view(e.what()).starts_with(kMember)) rethrow_renamed(e, kMember, "--");
    rethrow_renamed(e, "max_memory", "--max-memory");
  }
}

void report_nothing_verified(const CollectArguments& o, const CollectResult& result,
                             Context& context) {
  const char* why = result.features == 0 ? "no photograph has a feature"
                    : result.pairs == 0  ? "no pair to match"
                                         : "no geometry found in any pair";
  print_note(fmt::format("{}: {}", o.database, why));
  context.exit_code = kExitNoGeometry;
}

// An interruption now has to name the command that resumes depth: this one would be refused,
// because the models exist.
void announce_depth(const DenseFiles& files, const std::string& device) {
  announce_interruption(
      fmt::format("`bifocal dense {} --images {} --out {} --device {}` resumes the depth maps",
                  files.model.string(), files.photographs.string(), files.out.string(), device));
}

void run(CollectArguments o, Context& context) {
  StageTimes &times = context.times, model_times, dense_times;
  times.end("start");
  announce_interruption(kResumes);
  return_freed_arrays(o.collect.max_memory);
  const DeviceSet devices = devices_of(o);
  times.end("device");
  const ThreadLimit limit(o.common.threads);
  take_arguments(o);
  CollectionFiles files = files_of(o);
  times.end("photographs");
  const std::string device = devices.devices().front().info().id;  // of models and depth
  MapConsole console(files.models, model_times);
  DenseConsole dense_console(files.dense.dense, dense_times);
  std::optional<Stages> stages(std::in_place);
  files.collect.progress = [&](const CollectProgress& p) { stages->report(p); };
  Json json;
  files.collected = [&](const WrittenCollection& done) {
    stages.reset();
    times.end(times_of(done.result), "contradictions");
    print_notes(done.result);
    json = result_json(o, devices.id(), files.photographs, done.result);
    json["contradicting"] = print_contradictions(done.contradicting, o.drops_contradicting).pairs;
    if (!o.common.json) print_out(summary(o, devices.id(), done.result));
    model_times = StageTimes();
  };
  files.mapped = [&](const WrittenModels& models) {
    console.finish(models);
    if (o.common.json)
      json["model"] = json_of(files.models, models, device, model_times);
    else
      print_out(sentences_of(files.models, models, device, model_times));
    times.end("model");
    if (models.is_refused) context.exit_code = kExitNoGeometry;
    if (!o.dense.empty()) announce_depth(files.dense, device);
    dense_times = StageTimes();
  };
  const WrittenCollection done = collected(devices, files);
  announce_interruption(kFilesWritten);
  if (done.dense) {
    dense_console.finish();
    if (o.common.json)
      json["dense"] = json_of(files.dense, *done.dense, device, dense_times);
    else
      print_out(sentences_of(files.dense, *done.dense));
    times.end("dense");
  }
  for (const StageTime& t : times.times()) json["seconds"][t.stage] = t.ms / 1000;
  std::string next;
  if (done.models && !done.models->is_refused)
    json["next"] = next = report_command(files, done.dense.has_value());
  print_out(o.common.json ? to_text(json)
                          : time_table(times) + (next.empty() ? "" : "next: " + next + "\n"));
  if (done.result.verified == 0) report_nothing_verified(o, done.result, context);
}

}  // namespace

void add_collect(Program& program, Context& context) {
  const Command command =
      program.command("collect", "Match photographs into a COLMAP database of verified pairs");
  const auto o = std::make_shared<CollectArguments>();
  add_collect_options(command, *o);
  command.runs([o, &context] { run(*o, context); });
}

}  // namespace bifocal::cli
