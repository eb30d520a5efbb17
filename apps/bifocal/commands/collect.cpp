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
#include "contradictions.hpp"
#include "interrupt.hpp"
#include "models/dense_files.hpp"
#include "models/model_files.hpp"
#include "option_fields.hpp"
#include "progress.hpp"
#include "sift_flags.hpp"

namespace bifocal::cli {
namespace {

struct Options {
  std::vector<std::string> images;
  std::string database, pairs = "all", intrinsics, features = "rootsift", matches, masks;
  double ratio = 0;  // 0: not given
  CollectOptions collect;
  bool drops_contradicting = false, is_strict = false;
  std::string model, undistorted, dense;
  bool overwrite_model = false;
  CommonOptions common;
};

// Words of --features. Any other argument is the path of features from another tool.
constexpr std::string_view kDetectors[] = {"rootsift", "sift", "surf"};

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
DeviceSet devices_of(const Options& o) {
  if (o.common.device != "auto") return chosen_devices(o.common);
  const CollectDevices chosen = collect_devices(o.database, o.collect.overwrite);
  warn(chosen.warning);
  return chosen.devices;
}

Json result_json(const Options& o, const std::string& device, const PhotographFiles& photographs,
                 const CollectResult& r) {
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

std::string summary(const Options& o, const std::string& device, const CollectResult& r) {
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

void set_features(Options& o) {
  CollectOptions& c = o.collect;
  const bool is_given = std::ranges::find(kDetectors, o.features) == std::end(kDetectors);
  if (is_given || o.features == "surf") refuse_sift_flags(c.sift, o.features);
  if (is_given) {
    c.given.source = o.features;
    c.given.matches = o.matches;
    return;
  }
  if (!o.matches.empty())
    throw Error(
        ErrorCode::usage,
        fmt::format("--matches {}: needs the features that were matched: --features FILE.h5",
                    o.matches));
  if (c.given.matching.max_distance > 0)
    throw Error(ErrorCode::usage,
                fmt::format("--max-distance: needs features of another tool, not --features {}",
                            o.features));
  c.sift.root = o.features == "rootsift";
  if (o.features == "surf") c.surf = SurfOptions{.max_features = c.sift.max_features};
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

// Takes the arguments that are not options of collect() by name.
void take_arguments(Options& o) {
  const auto choice = std::ranges::find(kPairChoiceWords, o.pairs) - std::begin(kPairChoiceWords);
  o.collect.pairs =
      static_cast<PairChoice>(std::min<std::ptrdiff_t>(choice, std::ptrdiff_t(PairChoice::listed)));
  if (o.collect.pairs == PairChoice::listed) o.collect.pairs_file = o.pairs;
  set_features(o);
  o.collect.masks = o.masks;
  if (o.ratio > 0) o.collect.matching.max_ratio = o.collect.given.matching.max_ratio = o.ratio;
  if (!o.intrinsics.empty()) o.collect.cameras.intrinsics = parse_intrinsics(o.intrinsics);
}

CollectionFiles files_of(const Options& o) {
  CollectionFiles files{.photographs = list_photographs(o.images),
                        .database = o.database,
                        .collect = o.collect,
                        .drops_contradicting = o.drops_contradicting,
                        .models = {.database = o.database,
                                   .out = o.model,
                                   .undistorted = o.undistorted,
                                   .overwrite = o.overwrite_model,
                                   .is_strict = o.is_strict},
                        .dense = {.model = o.model + "/0",
                                  .photographs = {},
                                  .out = o.dense,
                                  .overwrite = o.overwrite_model}};
  files.dense.photographs = files.photographs.folder;
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
    rethrow_renamed(e, "max_memory", "--max-memory");
  }
}

void report_nothing_verified(const Options& o, const CollectResult& result, Context& context) {
  const char* why = result.features == 0 ? "no photograph has a feature"
                    : result.pairs == 0  ? "no pair to match"
                                         : "no geometry found in any pair";
  print_note(fmt::format("{}: {}", o.database, why));
  context.exit_code = kExitNoGeometry;
}

// An interruption now has to name the command that resumes depth: this one would be refused,
// because the models exist.
void announce_resuming_depth(const DenseFiles& files, const std::string& device) {
  static std::string how;
  how = fmt::format("`bifocal dense {} --images {} --out {} --device {}` resumes the depth maps",
                    files.model.string(), files.photographs.string(), files.out.string(), device);
  announce_resuming(how.c_str());
}

void run(Options o, Context& context) {
  StageTimes &times = context.times, model_times, dense_times;
  times.end("start");
  announce_resuming();
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
    if (!o.dense.empty()) announce_resuming_depth(files.dense, device);
    dense_times = StageTimes();
  };
  const WrittenCollection done = collected(devices, files);
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

// Returns the changes to the flags of collect()'s options: members without a flag, and other
// help texts.
FlagChanges changes_of(const CollectOptions& c) {
  const SiftOptions& sift = c.sift;
  const colmap::TwoViewGeometryOptions& g = c.geometry;
  return FlagChanges()
      .leave_out(c.pairs, c.screen.features, c.screen.max_ratio, c.links, c.sequential.quadratic)
      .leave_out(c.loop_partners, c.retrieval, c.matching, c.given.matching.normalise)
      .leave_out(c.given.matching.mutual, c.given.matching.max_ratio, c.min_matches)
      .leave_out(sift.octave_layers, sift.contrast_threshold, sift.edge_threshold, sift.sigma)
      .leave_out(sift.upsample, sift.root, sift.balance)
      .leave_out(g.threshold, g.min_inliers, g.confidence, g.min_iterations, g.max_iterations)
      .leave_out(g.min_inlier_ratio, g.min_E_F_inlier_ratio, g.max_H_inlier_ratio)
      .leave_out(g.relative_pose, g.detect_watermark, g.watermark_min_inlier_ratio)
      .leave_out(g.watermark_border_size, g.watermark_max_error)
      .change(c.screen.min_matches,
              {.name = "--screen-matches",
               .help = "all: smallest number of matches among the 1024 largest features of a pair",
               .range = Range::within(0, 1024)})
      .change(c.sequential.overlap,
              {.help = "sequential: number of next images paired with each image; also number of "
                       "distances 1, 2, 4, ... at which images are paired",
               .range = Range::within(1, 1e6)})
      .change(c.loop_period, {.range = Range::within(0, 1e6)})
      .change(c.partners, {.range = Range::within(1, 1e6)})
      .change(c.gps.max_distance_m,
              {.name = "--gps-distance", .help = "gps: largest distance of a pair in m"})
      .change(c.gps.most, {.name = "--gps-neighbours",
                           .help = "gps: largest number of nearest images paired with an image",
                           .range = Range::within(1, 1e6)})
      .change(sift.max_features,
              {.help = "largest number of features per photograph; the strongest are kept",
               .range = Range::within(1, 1e6)})
      .change(c.max_side, {.range = Range::within(0, kMaxSiftSide)})
      .change(c.given.matching.max_distance,
              {.help = "features of another tool: largest Euclidean distance of a match between "
                       "unit descriptors; 0: no limit",
               .range = Range::within(0, 2),
               .shows_default = false})
      .change(c.block_size, {.help = "images whose features are in memory simultaneously, at least "
                                     "2; 0: limited by --max-memory only"})
      .change(g.seed, {.help = "seed of all random choices"})
      .change(c.cameras.sharing, {.name = "--camera"})
      .change(c.cameras.model, {.name = "--camera-model"});
}

void add_all(const Command& command, Options& o) {
  command
      .option("--pairs", o.pairs,
              "all (pairs whose largest features match, and pairs that may link components), "
              "exhaustive (every pair), sequential (neighbours by name, digits as numbers, with "
              "loops), retrieval (similar images), gps (images taken close together), or a file "
              "with two names on a line")
      .shows_default();
  const Option features =
      command
          .option("--features", o.features,
                  "rootsift, sift, surf (under patents until about 2027), or features of another "
                  "tool, matched if mutually nearest: a folder with PHOTOGRAPH.jpg.npz (keypoints "
                  "[N, 2], "
                  "descriptors [N, D]), or hloc's FILE.h5 (python -m bifocal collect only)")
          .shows_default();
  command
      .option("--matches", o.matches,
              "hloc's matches.h5 of these features; with --pairs all its pairs are verified")
      .needs(features);
  command.option("--masks", o.masks,
                 "folder with PHOTOGRAPH.png: no features where a mask is black");
  command
      .option("--ratio", o.ratio,
              "largest ratio of nearest and second nearest distance; 1: no test. Default: 0.75, "
              "for features of another tool 1")
      .in_range(Range::within(0.1, 1));
  add_flags(command, o.collect, changes_of(o.collect));
  command.get("--max-distance").needs(features);
  command
      .option("--intrinsics", o.intrinsics,
              "fx,fy,cx,cy of all photographs in px; default: focal length from EXIF, or a guess")
      .excludes(command.get("--camera-model"));
}

}  // namespace

void add_collect(Program& program, Context& context) {
  const Command command =
      program.command("collect", "Match photographs into a COLMAP database of verified pairs");
  const auto o = std::make_shared<Options>();
  command.option("IMAGES", o->images, "photographs, or folders of them").required();
  command.option("--database", o->database, "output database; an interrupted run is resumed")
      .required();
  add_all(command, *o);
  command.flag("--drop-contradicting", o->drops_contradicting, kDropContradictingHelp);
  const Option model =
      command.option("--model", o->model,
                     "folder for sparse models of the finished database, as bifocal map makes them "
                     "with its defaults");
  command.option("--undistort", o->undistorted, kUndistortHelp).needs(model);
  command
      .option("--dense", o->dense,
              "folder for depth maps and a cloud of the first model, as bifocal dense makes them "
              "with its defaults")
      .needs(model);
  command.flag("--strict", o->is_strict, kStrictModelsHelp).needs(model);
  command
      .flag("--overwrite-model", o->overwrite_model,
            "replace existing models, undistorted images and depth maps")
      .needs(model);
  add_common_of_many(command, o->common);
  command.runs([o, &context] { run(*o, context); });
}

}  // namespace bifocal::cli
