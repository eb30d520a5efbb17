// SPDX-License-Identifier: BSD-3-Clause
#include "collect_options.hpp"

#include <fmt/format.h>
#include <bifocal/error.hpp>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "contradictions.hpp"
#include "models/model_files.hpp"
#include "option_fields.hpp"
#include "sift_flags.hpp"

namespace bifocal::cli {
namespace {

// Words of --features. Any other argument is the path of features from another tool.
constexpr std::string_view kDetectors[] = {"rootsift", "sift", "surf"};

// Headings in --help.
constexpr const char *kPairsGroup = "Selection of pairs", *kFeaturesGroup = "Features",
                     *kMatchingGroup = "Matching", *kCamerasGroup = "Cameras",
                     *kModelsGroup = "Models", *kDevicesGroup = "Devices and output";

void set_features(CollectArguments& o) {
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
      .change(c.loop_period, {.range = Range::within(0, 1e6), .group = kPairsGroup})
      .change(c.partners, {.range = Range::within(1, 1e6), .group = kPairsGroup})
      .change(c.gps.max_distance_m,
              {.name = "--gps-distance", .help = "gps and auto: largest distance of a pair in m"})
      .change(c.gps.most,
              {.name = "--gps-neighbours",
               .help = "gps and auto: largest number of nearest images paired with an image",
               .range = Range::within(1, 1e6)})
      .change(sift.max_features,
              {.help = "largest number of features per photograph; the strongest are kept",
               .range = Range::within(1, 1e6)})
      .change(c.max_side, {.range = Range::within(0, kMaxSiftSide), .group = kFeaturesGroup})
      .change(c.guided, {.group = kMatchingGroup})
      .change(c.max_memory, {.group = kDevicesGroup})
      .change(c.given.matching.max_distance,
              {.help = "features of another tool: largest Euclidean distance of a match between "
                       "unit descriptors; 0: no limit",
               .range = Range::within(0, 2),
               .shows_default = false})
      .change(c.block_size, {.help = "images whose features are in memory simultaneously, at least "
                                     "2; 0: limited by --max-memory only",
                             .group = kDevicesGroup})
      .change(g.seed, {.help = "seed of all random choices"})
      .change(c.cameras.sharing, {.name = "--camera"})
      .change(c.cameras.model, {.name = "--camera-model"});
}

void add_pairs_option(const Command& command, CollectArguments& o) {
  const HelpGroup group(command, kPairsGroup);
  std::vector<std::string> words(std::begin(kPairChoiceWords), std::end(kPairChoiceWords));
  words.pop_back();  // the last one stands for a file
  command
      .option("--pairs", o.pairs,
              "auto (gps if more than 60 photographs all have plausible positions, otherwise "
              "all), all (pairs whose largest features match, and pairs that may link components), "
              "exhaustive (every pair), sequential (neighbours by name, digits as numbers, with "
              "loops), retrieval (similar images), gps (images taken close together), or a file "
              "with two names on a line")
      .word_or_path(words)
      .shows_default();
}

Option add_features_options(const Command& command, CollectArguments& o) {
  const HelpGroup group(command, kFeaturesGroup);
  const Option features =
      command
          .option("--features", o.features,
                  "rootsift, sift, surf (under patents until about 2027), or features of another "
                  "tool, matched if mutually nearest: a folder with PHOTOGRAPH.jpg.npz (keypoints "
                  "[N, 2], "
                  "descriptors [N, D]), or hloc's FILE.h5 (python -m bifocal collect only)")
          .word_or_path({std::begin(kDetectors), std::end(kDetectors)})
          .shows_default();
  command
      .option("--matches", o.matches,
              "hloc's matches.h5 of these features; with --pairs all its pairs are verified")
      .needs(features);
  command.option("--masks", o.masks,
                 "folder with PHOTOGRAPH.png: no features where a mask is black");
  return features;
}

void add_all(const Command& command, CollectArguments& o) {
  add_pairs_option(command, o);
  const Option features = add_features_options(command, o);
  {
    const HelpGroup group(command, kMatchingGroup);
    command
        .option("--ratio", o.ratio,
                "largest ratio of nearest and second nearest distance; 1: no test. Default: 0.75, "
                "for features of another tool 1")
        .in_range(Range::within(0.1, 1));
  }
  add_flags(command, o.collect, changes_of(o.collect));
  command.get("--max-distance").needs(features);
  const HelpGroup group(command, kCamerasGroup);
  command
      .option("--intrinsics", o.intrinsics,
              "fx,fy,cx,cy of all photographs in px; default: focal length from EXIF, or a guess")
      .excludes(command.get("--camera-model"));
}

void add_model_options(const Command& command, CollectArguments& o) {
  const HelpGroup group(command, kModelsGroup);
  const Option model =
      command.option("--model", o.model,
                     "folder for sparse models of the finished database, as bifocal map makes them "
                     "with its defaults");
  command.option("--format", o.model_format, kModelFormatHelp)
      .one_of(model_formats())
      .shows_default()
      .needs(model);
  command.option("--undistort", o.undistorted, kUndistortHelp).needs(model);
  command.option("--ply", o.ply, "file for the coloured points of the first model").needs(model);
  command
      .option("--dense", o.dense,
              "folder for depth maps and a cloud of the first model, as bifocal dense makes them "
              "with its defaults")
      .needs(model);
  command.flag("--strict", o.is_strict, kStrictModelsHelp).needs(model);
  add_control_options(command, o.control, kControlHelp).needs(model);
  command
      .flag("--overwrite-model", o.overwrite_model,
            "replace existing models, undistorted images, depth maps and --ply")
      .needs(model);
}

}  // namespace

void take_arguments(CollectArguments& o) {
  const auto choice = std::ranges::find(kPairChoiceWords, o.pairs) - std::begin(kPairChoiceWords);
  o.collect.pairs =
      static_cast<PairChoice>(std::min<std::ptrdiff_t>(choice, std::ptrdiff_t(PairChoice::listed)));
  if (o.collect.pairs == PairChoice::listed) o.collect.pairs_file = o.pairs;
  set_features(o);
  o.collect.masks = o.masks;
  if (o.ratio > 0) o.collect.matching.max_ratio = o.collect.given.matching.max_ratio = o.ratio;
  if (!o.intrinsics.empty()) o.collect.cameras.intrinsics = parse_intrinsics(o.intrinsics);
}

void add_collect_options(const Command& command, CollectArguments& o) {
  command.option("IMAGES", o.images, "photographs, or folders of them").required();
  command.option("--database", o.database, "output database; an interrupted run is resumed")
      .required();
  add_all(command, o);
  command.flag("--drop-contradicting", o.drops_contradicting, kDropContradictingHelp);
  add_model_options(command, o);
  const HelpGroup group(command, kDevicesGroup);
  add_common_of_many(command, o.common);
}

}  // namespace bifocal::cli
