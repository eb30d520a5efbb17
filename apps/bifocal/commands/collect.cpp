// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <bifocal/collect.hpp>
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>
#include <bifocal/threads.hpp>
#include <bifocal/version.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "arguments.hpp"
#include "cli.hpp"
#include "progress.hpp"
#include "sift_flags.hpp"

namespace bifocal::cli {
namespace {

struct Options {
  std::vector<std::string> images;
  std::string database, pairs = "all", camera = "auto", intrinsics, features = "rootsift", masks;
  double ratio = 0;  // not given
  std::uint64_t max_memory = std::uint64_t{4} << 30;
  CollectOptions collect;
  CommonOptions common;
};

const std::map<std::string, PairChoice> kChoices = {{"all", PairChoice::all},
                                                    {"exhaustive", PairChoice::exhaustive},
                                                    {"sequential", PairChoice::sequential},
                                                    {"retrieval", PairChoice::retrieval},
                                                    {"gps", PairChoice::gps}};
const std::map<std::string, CameraSharing> kSharings = {{"auto", CameraSharing::automatic},
                                                        {"single", CameraSharing::single},
                                                        {"each", CameraSharing::each}};

// Words of --features; anything else is where features of another tool are.
constexpr std::string_view kDetectors[] = {"rootsift", "sift", "surf"};

// A line for each stage; what earlier calls did has no part in the rate.
class Stages {
 public:
  void tell(const CollectProgress& p) {
    if (p.stage != stage_) {
      progress_.reset();
      stage_ = p.stage;
      if (p.before > 0 && p.before < p.total)
        fmt::print(stderr, "{}: going on after {} of {} {}\n", p.stage, p.before, p.total, p.unit);
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

Json result_json(const Options& o, const PhotographFiles& photographs, const CollectResult& r) {
  Json json = {{"version", BIFOCAL_VERSION},
               {"database", o.database},
               {"device", chosen_devices(o.common).id()},
               {"complete_before", r.was_complete},
               {"resumed", r.resumed},
               {"images", r.images},
               {"features", r.features},
               {"pairs", r.pairs},
               {"screened_out", r.screened_out},
               {"matched", r.matched},
               {"verified", r.verified}};
  json["left_out"] = list_json(r.left_out);
  json["passed_over"] = list_json(photographs.passed_over);
  json["notes"] = r.notes;
  for (const auto& [stage, seconds] : r.seconds) json["seconds"][stage] = seconds;
  return json;
}

std::string summary(const Options& o, const CollectResult& r) {
  if (r.was_complete) {
    return fmt::format("{}: complete already: {} images, {} of {} pairs verified\n", o.database,
                       r.images, r.verified, r.pairs);
  }
  std::string text = fmt::format("{}: {} images, {} features; {} pairs, {} matched, {} verified\n",
                                 o.database, r.images, r.features, r.pairs, r.matched, r.verified);
  if (r.screened_out > 0)
    text += fmt::format(
        "{} pairs left out by the screen: hardly any of their largest features "
        "match; --pairs exhaustive matches all\n",
        r.screened_out);
  for (const auto& [stage, seconds] : r.seconds)
    text += fmt::format("{:>10.1f} s {}\n", seconds, stage);
  return text;
}

void set_features(Options& o) {
  CollectOptions& c = o.collect;
  const bool is_given = std::ranges::find(kDetectors, o.features) == std::end(kDetectors);
  if (is_given || o.features == "surf") refuse_sift_flags(c.sift, o.features);
  if (is_given) {
    c.given.source = o.features;
    return;
  }
  if (c.given.matching.max_distance > 0)
    throw Error(
        ErrorCode::usage,
        fmt::format("--max-distance: of given features; --features {} are found here", o.features));
  c.sift.root = o.features == "rootsift";
  if (o.features == "surf") c.surf = SurfOptions{.max_features = c.sift.max_features};
}

void run(Options o, Context& context) {
  const DeviceSet devices = chosen_devices(o.common);
  const ThreadLimit limit(o.common.threads);
  if (const auto choice = kChoices.find(o.pairs); choice != kChoices.end()) {
    o.collect.pairs = choice->second;
  } else {
    o.collect.pairs = PairChoice::listed;
    o.collect.pairs_file = o.pairs;
  }
  set_features(o);
  o.collect.masks = o.masks;
  if (o.ratio > 0) o.collect.matching.max_ratio = o.collect.given.matching.max_ratio = o.ratio;
  o.collect.cameras.sharing = kSharings.at(o.camera);
  if (!o.intrinsics.empty()) o.collect.cameras.intrinsics = parse_intrinsics(o.intrinsics);
  o.collect.max_memory =
      static_cast<std::int64_t>(std::min<std::uint64_t>(o.max_memory, std::uint64_t{1} << 50));
  const PhotographFiles photographs = list_photographs(o.images);
  for (const LeftOut& l : photographs.passed_over)
    tell(fmt::format("passed over: {}: {}", l.name, l.reason));
  CollectResult result;
  {
    Stages stages;
    o.collect.progress = [&](const CollectProgress& p) { stages.tell(p); };
    try {
      result = collect(devices, photographs, o.database, o.collect);
    } catch (const Error& e) {
      rethrow_renamed(e, "max_memory", "--max-memory");
    }
  }
  for (const LeftOut& l : result.left_out)
    tell(fmt::format(
        "left out: {}: {}", l.name,
        l.reason.starts_with(l.name + ": ") ? l.reason.substr(l.name.size() + 2) : l.reason));
  for (const std::string& note : result.notes) tell(note);
  print_out(o.common.json ? to_text(result_json(o, photographs, result)) : summary(o, result));
  if (result.verified == 0) {
    tell(fmt::format(
        "{}: {}", o.database,
        result.pairs == 0 ? "there is no pair to match" : "no geometry found in any pair"));
    context.exit_code = kExitNoGeometry;
  }
}

void add_pair_options(const Command& command, Options& o) {
  command
      .option("--pairs", o.pairs,
              "all (pairs whose largest features match, and those that may link what falls "
              "apart), exhaustive (every pair), sequential (neighbours by name, digits as numbers, "
              "with "
              "loops), retrieval "
              "(images that look "
              "alike), gps (taken near each other), or a file with two names a line")
      .shows_default();
  command
      .option("--screen-matches", o.collect.screen.min_matches,
              "all: matches among the 1024 largest features of each that a pair needs")
      .in_range(0, 1024)
      .shows_default();
  command
      .option("--overlap", o.collect.sequential.overlap,
              "sequential: neighbours of an image, and as many powers of two further on")
      .in_range(1, 1e6)
      .shows_default();
  command
      .option("--loop-period", o.collect.loop_period,
              "sequential: every so many images look for a loop; 0: none")
      .in_range(0, 1e6)
      .shows_default();
  command.option("--partners", o.collect.partners, "retrieval: images that each is matched with")
      .in_range(1, 1e6)
      .shows_default();
  command.option("--gps-distance", o.collect.gps.max_distance_m, "gps: m, at most")
      .in_range(0)
      .shows_default();
  command.option("--gps-neighbours", o.collect.gps.most, "gps: of an image, at most")
      .in_range(1, 1e6)
      .shows_default();
}

void add_features_options(const Command& command, Options& o) {
  const Option features =
      command
          .option(
              "--features", o.features,
              "rootsift, sift, surf (under patents until about 2027), or another tool's: hloc's "
              "FILE.h5, or a folder with PHOTOGRAPH.jpg.npz (keypoints [N, 2], descriptors "
              "[N, D]), matched when mutually nearest")
          .shows_default();
  command
      .option("--max-distance", o.collect.given.matching.max_distance,
              "of given descriptors of unit length that match: Euclidean; 0: any")
      .in_range(0, 2)
      .needs(features);
}

void add_camera_options(const Command& command, Options& o) {
  command
      .option("--camera", o.camera,
              "photographs of one camera: auto (the same make, model, focal length and size in "
              "EXIF), single (all of a size), each (none)")
      .one_of({"auto", "single", "each"})
      .shows_default();
  const Option model =
      command
          .option("--camera-model", o.collect.cameras.model,
                  "of the database: SIMPLE_PINHOLE PINHOLE SIMPLE_RADIAL RADIAL OPENCV FULL_OPENCV")
          .one_of({"SIMPLE_PINHOLE", "PINHOLE", "SIMPLE_RADIAL", "RADIAL", "OPENCV", "FULL_OPENCV"})
          .shows_default();
  command
      .option("--intrinsics", o.intrinsics,
              "fx,fy,cx,cy of all photographs, px; by default EXIF's focal length, or a guess")
      .excludes(model);
}

}  // namespace

void add_collect(Program& program, Context& context) {
  const Command command =
      program.command("collect", "Photographs in, a database of verified pairs for COLMAP out");
  const auto o = std::make_shared<Options>();
  command.option("IMAGES", o->images, "photographs, or folders of them").required();
  command.option("--database", o->database, "what is made; stopped work is gone on with")
      .required();
  add_pair_options(command, *o);
  add_camera_options(command, *o);
  add_features_options(command, *o);
  command
      .option("--max-features", o->collect.sift.max_features,
              "features kept of a photograph, strongest first")
      .in_range(1, 1e6)
      .shows_default();
  add_sift_flags(command, o->collect.sift);
  command
      .option("--max-side", o->collect.max_side,
              "px: larger photographs are reduced to find features; 0: never")
      .in_range(0, kMaxSiftSide)
      .shows_default();
  command
      .option("--ratio", o->ratio,
              "nearest over second nearest distance of a match; 1: any. By default 0.75, of given "
              "features 1")
      .in_range(0.1, 1);
  command.option("--masks", o->masks,
                 "folder with PHOTOGRAPH.png: no features where a mask is black");
  command.flag("--guided", o->collect.guided,
               "match again along the geometry that was found, and verify again");
  command.option("--seed", o->collect.geometry.seed, "of all random choices")
      .whole_number()
      .shows_default();
  command
      .option("--max-memory", o->max_memory,
              "bytes (500M, 4G) that the process takes at most of the host's memory, and of each "
              "GPU's")
      .size_in_bytes()
      .shows_default();
  command
      .option("--block-size", o->collect.block_size,
              "images whose features are in memory at a time; 0: as many as --max-memory has room "
              "for")
      .in_range(0, 1e6)
      .shows_default();
  command.flag("--overwrite", o->collect.overwrite,
               "replace the database, and drop unfinished work with other options");
  add_common_of_many(command, o->common);
  command.runs([o, &context] { run(*o, context); });
}

}  // namespace bifocal::cli
