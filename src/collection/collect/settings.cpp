// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>
#include <bifocal/version.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "collection/collect/given.hpp"
#include "collection/collect/stages.hpp"
#include "features/any_detector.hpp"
#include "runtime/hash.hpp"

namespace bifocal::collection {
namespace {

constexpr std::string_view kChoices[] = {"all",       "exhaustive", "sequential",
                                         "retrieval", "gps",        "file"};
constexpr std::string_view kSharings[] = {"auto", "single", "each"};

// Structs are taken apart, so that a new member does not compile until it is told here.

void add_choice(const CollectOptions& o, Settings& s) {
  s["pairs"] = kChoices[static_cast<std::size_t>(o.pairs)];
  if (is_screened(o)) {
    const auto& [features, min_matches, max_ratio] = o.screen;
    s["screen"] = fmt::format("{} features, ratio {}, {} matches, {} links", features, max_ratio,
                              min_matches, o.links);
  }
  const bool is_sequential = o.pairs == PairChoice::sequential;
  if (is_sequential) {
    const auto& [overlap, quadratic] = o.sequential;
    s["overlap"] = fmt::format("{}{}", overlap, quadratic ? " 2^k" : "");
    s["loop-period"] = fmt::format("{}", o.loop_period);
    s["loop-partners"] = fmt::format("{}", o.loop_partners);
  }
  if (o.pairs == PairChoice::retrieval) s["partners"] = fmt::format("{}", o.partners);
  if (is_sequential || o.pairs == PairChoice::retrieval) {
    const auto& [words, features, training, iterations, seed] = o.retrieval;
    s["retrieval"] = fmt::format("{} words of {}, {} features, {} rounds, seed {}", words, training,
                                 features, iterations, seed);
  }
  if (o.pairs == PairChoice::gps) {
    const auto& [max_distance_m, most] = o.gps;
    s["gps"] = fmt::format("{} within {} m", most, max_distance_m);
  }
  if (o.pairs == PairChoice::listed)
    s["pairs-file"] = runtime::hash_of(read_text(o.pairs_file));  // wherever the file lies
}

void add_cameras(const CollectCameras& c, Settings& s) {
  s["camera"] = kSharings[static_cast<std::size_t>(c.sharing)];
  s["camera-model"] = c.intrinsics ? "PINHOLE" : c.model;
  if (const auto& K = c.intrinsics)
    s["intrinsics"] = fmt::format("{},{},{},{}", K->fx, K->fy, K->cx, K->cy);
}

void add_sift(const SiftOptions& options, Settings& s) {
  const auto& [max_features, octave_layers, contrast, edge, sigma, upsample, root, balance, pooling,
               affine] = options;
  s["max-features"] = fmt::format("{}", max_features);
  s["sift"] = fmt::format("{} layers, contrast {}, edge {}, sigma {}, balance {}{}{}{}{}",
                          octave_layers, contrast, edge, sigma, balance,
                          upsample ? ", enlarged" : "", root ? ", root" : "",
                          pooling ? ", pooled domain sizes" : "", affine ? ", affine shapes" : "");
}

void add_surf(const SurfOptions& options, Settings& s) {
  const auto& [max_features, octaves, threshold, numbers, upright, upsample, balance] = options;
  s["max-features"] = fmt::format("{}", max_features);
  s["surf"] =
      fmt::format("{} octaves, threshold {}, {} numbers, balance {}{}{}", octaves, threshold,
                  numbers, balance, upright ? ", upright" : "", upsample ? ", enlarged" : "");
}

void add_features(const CollectOptions& o, Settings& s) {
  o.surf ? add_surf(*o.surf, s) : add_sift(o.sift, s);
  if (!o.masks.empty()) s["masks"] = "yes";
  s["max-side"] = fmt::format("{}", o.max_side);
  const auto& [max_ratio, mutual, ratio_both_ways, max_distance] = o.matching;
  s["matching"] = fmt::format("ratio {}{}{}, distance {}", max_ratio, mutual ? ", mutual" : "",
                              ratio_both_ways ? ", both ways" : "", max_distance);
}

void add_geometry(const colmap::VerifyOptions& options, Settings& s) {
  const auto& [max_error, min_inliers, confidence, min_iterations, max_iterations, min_inlier_ratio,
               min_E_F_inlier_ratio, max_H_inlier_ratio, relative_pose, detect_watermark,
               watermark_min_inlier_ratio, watermark_border_size, watermark_max_error, seed] =
      options;
  s["geometry"] = fmt::format(
      "error {}, {} inliers, confidence {}, {} to {} samples, ratio {}, seed {}, E of F {}, H {}{}",
      max_error, min_inliers, confidence, min_iterations, max_iterations, min_inlier_ratio, seed,
      min_E_F_inlier_ratio, max_H_inlier_ratio, relative_pose ? ", poses" : "");
  if (detect_watermark)
    s["watermark"] =
        fmt::format("{} of the matches, border {}, error {}", watermark_min_inlier_ratio,
                    watermark_border_size, watermark_max_error);
}

void add_given(const GivenFeatures& given, Settings& s) {
  const auto& [normalise, mutual, max_ratio, max_distance] = given.matching;
  s["features"] = identity_of(given.source);
  s["matching"] =
      fmt::format("floats, ratio {}{}{}, distance {}", max_ratio, mutual ? ", mutual" : "",
                  normalise ? ", unit length" : "", max_distance);
}

[[noreturn]] void fail(const std::string& what) {
  throw Error(ErrorCode::usage, "collect: " + what);
}

void demand(const char* name, double value, double lo) {
  if (!(value >= lo))
    fail(fmt::format("CollectOptions::{} = {}: must be at least {}", name, value, lo));
}

void demand_above_zero(const char* name, double value) {
  if (!(value > 0)) fail(fmt::format("CollectOptions::{} = {}: must be above 0", name, value));
}

// Of the devices, without the number of those that are alike: results are the same.
std::string name_of(const DeviceSet& devices) {
  std::set<std::string> names;
  for (const Device& device : devices.devices()) {
    const DeviceInfo& info = device.info();
    names.insert(info.kind == DeviceKind::cpu ? "cpu " + info.simd : info.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

void check_given(const CollectOptions& o) {
  if (o.given.source.empty()) return;
  if (o.guided) fail("CollectOptions::guided: given features are matched once");
  if (!o.masks.empty()) fail("CollectOptions::masks: given features are taken as they are");
  if (o.surf) fail("CollectOptions::surf and given.source: features are SURF's or given ones");
  const bool by_look =
      o.pairs == PairChoice::retrieval || (o.pairs == PairChoice::sequential && o.loop_period > 0);
  if (by_look)
    fail(
        "CollectOptions::pairs: which photographs look alike is told by features found here, not "
        "by "
        "given ones; choose all, gps, a file, or sequential with loop_period 0 (--loop-period 0)");
  const FloatMatchOptions& m = o.given.matching;
  demand_above_zero("given.matching.max_ratio", m.max_ratio);
  demand("given.matching.max_distance", m.max_distance, 0);
}

}  // namespace

Settings settings_of(const Job& job) {
  const CollectOptions& o = job.options;
  Settings s;
  s["version"] = BIFOCAL_VERSION;
  s["device"] = name_of(job.devices);
  if (!o.given.source.empty()) {
    add_given(o.given, s);
  } else {
    add_features(o, s);
  }
  if (o.guided) s["guided"] = "yes";
  s["min-matches"] = fmt::format("{}", o.min_matches);
  add_geometry(o.geometry, s);
  add_choice(o, s);
  add_cameras(o.cameras, s);
  return s;
}

void check_options(const CollectOptions& o) {
  demand("max_side", o.max_side, 0);
  demand("min_matches", o.min_matches, 1);
  demand("max_memory", static_cast<double>(o.max_memory), 1);
  demand("block_size", o.block_size, 0);
  demand("partners", o.partners, 1);
  demand("screen.features", o.screen.features, 1);
  demand("screen.min_matches", o.screen.min_matches, 0);
  demand_above_zero("screen.max_ratio", o.screen.max_ratio);
  demand("links", o.links, 0);
  demand("loop_period", o.loop_period, 0);
  demand("loop_partners", o.loop_partners, 1);
  demand("sequential.overlap", o.sequential.overlap, 1);
  demand("gps.most", o.gps.most, 1);
  demand("gps.max_distance_m", o.gps.max_distance_m, 0);
  if (o.pairs == PairChoice::listed && o.pairs_file.empty())
    fail("CollectOptions::pairs_file is empty, but PairChoice::listed takes one");
  check_given(o);
  std::error_code none;
  if (!o.masks.empty() && !std::filesystem::is_directory(o.masks, none))
    fail(fmt::format("CollectOptions::masks = {}: is no folder", o.masks.string()));
  features::Choice{o.sift, o.surf}.check();
  const auto& K = o.cameras.intrinsics;
  if (K && !K->valid())
    fail(fmt::format("CollectCameras::intrinsics: focal lengths {} and {}: must be above 0", K->fx,
                     K->fy));
  constexpr std::string_view kModels[] = {"SIMPLE_PINHOLE", "PINHOLE", "SIMPLE_RADIAL",
                                          "RADIAL",         "OPENCV",  "FULL_OPENCV"};
  if (std::find(std::begin(kModels), std::end(kModels), o.cameras.model) == std::end(kModels))
    fail(fmt::format("CollectCameras::model = {}: must be one of {}", o.cameras.model,
                     fmt::join(kModels, " ")));
}

}  // namespace bifocal::collection
