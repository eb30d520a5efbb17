// SPDX-License-Identifier: BSD-3-Clause
// The handles that several files of the C interface use, and the options of its calls.
#pragma once

#include <bifocal.h>
#include <bifocal/collect.hpp>
#include <bifocal/colmap/bundle_adjust.hpp>
#include <bifocal/dense.hpp>
#include <bifocal/device.hpp>
#include <bifocal/features.hpp>
#include <bifocal/fields.hpp>
#include <bifocal/mapping.hpp>
#include <bifocal/robust.hpp>
#include <bifocal/two_photographs.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "call.hpp"

namespace bifocal::c {

// Options of calls that write files: options of the library and of the job, without nesting.
struct PairCall {
  PairOptions pair = {};
  bool all_files = false, overwrite = false;
};
constexpr const char* name_of(const PairCall&) { return "pair"; }
template <MaybeConst<PairCall> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [pair, all_files, overwrite] = options;
  fields(pair, visit);
  BIFOCAL_FIELD(all_files, "also write the same data in other formats and at full density");
  BIFOCAL_FIELD(overwrite, "replace files in the folder");
}

struct CollectCall {
  CollectOptions collect = {};
  bool drop_contradicting = false;
};
constexpr const char* name_of(const CollectCall&) { return "collect"; }
template <MaybeConst<CollectCall> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [collect, drop_contradicting] = options;
  fields(collect, visit);
  BIFOCAL_FIELD(drop_contradicting,
                "erase geometries whose rotation contradicts the rotations of other pairs");
}

struct MapCall {
  MapOptions map = {};
  std::filesystem::path undistorted = {};
  bool strict = false, overwrite = false;
};
constexpr const char* name_of(const MapCall&) { return "map"; }
template <MaybeConst<MapCall> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [map, undistorted, strict, overwrite] = options;
  fields(map, visit);
  BIFOCAL_FIELD(undistorted, "folder for undistorted images of the first model");
  BIFOCAL_FIELD(strict, "write no doubted model");
  BIFOCAL_FIELD(overwrite, "replace models in the folder");
}

struct AdjustCall {
  colmap::BundleAdjustOptions adjust = {};
  std::string format = "same";
  bool overwrite = false;
};
inline constexpr std::string_view kOutputFormats[] = {"same", "binary", "text"};
constexpr const char* name_of(const AdjustCall&) { return "adjust"; }
template <MaybeConst<AdjustCall> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [adjust, format, overwrite] = options;
  fields(adjust, visit);
  BIFOCAL_FIELD(format, "format of the adjusted model", Range::one_of(kOutputFormats));
  BIFOCAL_FIELD(overwrite, "replace a model in the folder");
}

struct DenseCall {
  DenseOptions dense = {};
  DenseMaps maps = DenseMaps::npz;
  bool overwrite = false;
};
inline constexpr std::string_view kMapWords[] = {"none", "npz", "colmap"};
constexpr const char* name_of(const DenseCall&) { return "dense"; }
template <MaybeConst<DenseCall> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [dense, maps, overwrite] = options;
  fields(dense, visit);
  BIFOCAL_FIELD(maps, "files of depth maps", Range::one_of(kMapWords));
  BIFOCAL_FIELD(overwrite, "replace files in the folder");
}

using AnyOptions = std::variant<SiftOptions, SurfOptions, MatchOptions, RobustOptions, PairCall,
                                CollectCall, MapCall, AdjustCall, DenseCall>;
inline constexpr const char* kCalls[] = {"sift",    "surf", "match",  "estimate", "pair",
                                         "collect", "map",  "adjust", "dense"};

// An option as text.
struct OptionText {
  std::string name, help, range, unit, value;
};

// The callbacks of one call, on the thread that makes it.
class Callbacks {
 public:
  explicit Callbacks(const bf_options* options);
  // Throws Cancelled if the caller's function asks for it.
  void progress(std::string_view stage, std::string_view unit, std::int64_t done,
                std::int64_t total) const;
  void note(const std::string& text) const;

 private:
  bf_callbacks callbacks_ = {};
  std::optional<CancelScope> scope_;
};

// Returns the options of a call; the defaults for NULL. Throws Error(usage) for options of another
// call.
template <class Options>
Options options_of(const bf_options* options);

}  // namespace bifocal::c

struct bf_options {
  bifocal::c::AnyOptions values;
  bf_callbacks callbacks = {};
  std::vector<bifocal::c::OptionText> texts = {};  // of bf_options_get()
};

struct bf_queue {
  bifocal::DeviceSet devices;
  bifocal::Queue queue;
  bool is_auto;
  std::string id, warning;
};

struct bf_features {
  bifocal::Features features;
};

namespace bifocal::c {

template <class Options>
Options options_of(const bf_options* options) {
  if (!options) return {};
  if (const auto* found = std::get_if<Options>(&options->values)) return *found;
  throw usage("options: are of \"{}\", must be of \"{}\"", kCalls[options->values.index()],
              kCalls[AnyOptions(Options{}).index()]);
}

}  // namespace bifocal::c
