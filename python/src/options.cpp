// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <nanobind/stl/string_view.h>

namespace bifocal::python {
namespace {

std::string text_of(nb::handle object) { return nb::cast<std::string>(nb::repr(object)); }

// Reads fields of a dataclass by name.
struct Reader {
  nb::handle object;
  const char* type;

  nb::object field(const char* name) const {
    nb::object value = nb::getattr(object, name, nb::object());
    if (!value.is_valid())
      type_error(fmt::format("options: {}, must be a bifocal.{}", text_of(object), type));
    return value;
  }
  template <class T>
  void number(const char* name, T& to) const {
    const nb::object value = field(name);
    if (nb::try_cast(value, to)) return;
    const char* wanted = std::is_same_v<T, bool>            ? "True or False"
                         : std::is_floating_point_v<T>      ? "a number"
                         : std::is_same_v<T, std::uint64_t> ? "a whole number from 0 to 2^64 - 1"
                                                            : "a whole number";
    type_error(fmt::format("{}.{}: {}, must be {}", type, name, text_of(value), wanted));
  }
  template <class T>
  void choice(const char* name, T& to, std::initializer_list<const char*> names) const {
    const nb::object value = field(name);
    std::string given, all;
    int i = 0;
    const bool is_text = nb::try_cast(value, given);
    for (const char* one : names) {
      if (is_text && given == one) {
        to = static_cast<T>(i);
        return;
      }
      all += (i++ ? ", " : "") + fmt::format("'{}'", one);
    }
    value_error(fmt::format("{}.{}: {}, must be one of {}", type, name, text_of(value), all));
  }
};

DisparityFilter filter_of(nb::handle object) {
  DisparityFilter f;
  const Reader r{object, "DisparityFilter"};
  r.number("cross_check", f.cross_check);
  r.number("uniqueness", f.uniqueness);
  r.number("median", f.median);
  r.number("speckle_size", f.speckle_size);
  r.number("speckle_range", f.speckle_range);
  r.choice("fill", f.fill, {"none", "background", "mean"});
  r.number("fill_window", f.fill_window);
  return f;
}

// All fields of a struct by name. Written with structured bindings so that a field more in C++ does
// not compile here until Python has it too.
#define FIELD(name) d[#name] = name
nb::dict defaults_of(const DisparityFilter& options) {
  constexpr const char* kFills[] = {"none", "background", "mean"};
  const auto [cross_check, uniqueness, median, speckle_size, speckle_range, fill_, fill_window] =
      options;
  const char* fill = kFills[static_cast<int>(fill_)];
  nb::dict d;
  FIELD(cross_check), FIELD(uniqueness), FIELD(median), FIELD(speckle_size), FIELD(speckle_range);
  FIELD(fill), FIELD(fill_window);
  return d;
}
nb::dict defaults_of(const RobustOptions& options) {
  const auto [threshold, confidence, min_iterations, max_iterations, min_inlier_ratio, seed,
              dominant_plane] = options;
  nb::dict d;
  FIELD(threshold), FIELD(confidence), FIELD(min_iterations), FIELD(max_iterations);
  FIELD(min_inlier_ratio), FIELD(seed), FIELD(dominant_plane);
  return d;
}
nb::dict defaults_of(const SiftOptions& options) {
  const auto [max_features, octave_layers, contrast_threshold, edge_threshold, sigma, upsample,
              root, balance, domain_size_pooling, affine_shape] = options;
  nb::dict d;
  FIELD(max_features), FIELD(octave_layers), FIELD(contrast_threshold), FIELD(edge_threshold);
  FIELD(sigma), FIELD(upsample), FIELD(root), FIELD(balance), FIELD(domain_size_pooling);
  FIELD(affine_shape);
  return d;
}
nb::dict defaults_of(const SurfOptions& options) {
  const auto [max_features, octaves, threshold, numbers, upright, upsample, balance] = options;
  nb::dict d;
  FIELD(max_features), FIELD(octaves), FIELD(threshold), FIELD(numbers), FIELD(upright);
  FIELD(upsample), FIELD(balance);
  return d;
}
nb::dict defaults_of(const MatchOptions& options) {
  const auto [max_ratio, mutual, ratio_both_ways, max_distance] = options;
  nb::dict d;
  FIELD(max_ratio), FIELD(mutual), FIELD(ratio_both_ways), FIELD(max_distance);
  return d;
}
nb::dict defaults_of(const FloatMatchOptions& options) {
  const auto [normalise, mutual, max_ratio, max_distance] = options;
  nb::dict d;
  FIELD(normalise), FIELD(mutual), FIELD(max_ratio), FIELD(max_distance);
  return d;
}
nb::dict defaults_of(const SgmOptions& options) {
  constexpr const char* kCensus[] = {"sparse", "symmetric", "full"};
  const auto [min_disparity, disparities, census_, paths, P1, P2, P2_contrast, vertical_tolerance,
              white, filter_, max_memory] = options;
  const char* census = kCensus[static_cast<int>(census_)];
  const nb::dict filter = defaults_of(filter_);
  nb::dict d;
  FIELD(min_disparity), FIELD(disparities), FIELD(census), FIELD(paths), FIELD(P1), FIELD(P2);
  FIELD(P2_contrast), FIELD(vertical_tolerance), FIELD(white), FIELD(filter), FIELD(max_memory);
  return d;
}
nb::dict defaults_of(const SsdOptions& options) {
  const auto [min_disparity, disparities, window, filter_] = options;
  const nb::dict filter = defaults_of(filter_);
  nb::dict d;
  FIELD(min_disparity), FIELD(disparities), FIELD(window), FIELD(filter);
  return d;
}
nb::dict defaults_of(const colmap::VerifyOptions& options) {
  const auto [max_error, min_inliers, confidence, min_iterations, max_iterations, min_inlier_ratio,
              min_E_F_inlier_ratio, max_H_inlier_ratio, relative_pose, detect_watermark,
              watermark_min_inlier_ratio, watermark_border_size, watermark_max_error, seed] =
      options;
  nb::dict d;
  FIELD(max_error), FIELD(min_inliers), FIELD(confidence), FIELD(min_iterations);
  FIELD(max_iterations), FIELD(min_inlier_ratio), FIELD(min_E_F_inlier_ratio);
  FIELD(max_H_inlier_ratio), FIELD(relative_pose), FIELD(detect_watermark);
  FIELD(watermark_min_inlier_ratio), FIELD(watermark_border_size), FIELD(watermark_max_error);
  FIELD(seed);
  return d;
}
#undef FIELD

constexpr std::string_view kProblems[] = {
#define BIFOCAL_PROBLEM(name, ...) #name,
#include <bifocal/problems.def>
#undef BIFOCAL_PROBLEM
};
constexpr std::string_view kSolvers[] = {
#define SOLVER(name, ...) #name,
#include <bifocal/solvers.def>
};

template <class Enum>
Enum named(std::span<const std::string_view> names, const char* what, const std::string& name) {
  std::string all;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
    all += fmt::format("{}'{}'", i ? ", " : "", names[i]);
  }
  value_error(fmt::format("{}: '{}', must be one of {}", what, name, all));
}

}  // namespace

double number_field(nb::handle object, const char* what, const char* field) {
  double value = 0;
  Reader{object, what}.number(field, value);
  return value;
}

RobustOptions robust_options(nb::handle object) {
  RobustOptions o;
  if (object.is_none()) return o;
  const Reader r{object, "RobustOptions"};
  r.number("threshold", o.threshold);
  r.number("confidence", o.confidence);
  r.number("min_iterations", o.min_iterations);
  r.number("max_iterations", o.max_iterations);
  r.number("min_inlier_ratio", o.min_inlier_ratio);
  r.number("seed", o.seed);
  r.number("dominant_plane", o.dominant_plane);
  return o;
}

namespace {

SiftOptions sift_options(nb::handle object) {
  SiftOptions o;
  const Reader r{object, "SiftOptions"};
  r.number("max_features", o.max_features);
  r.number("octave_layers", o.octave_layers);
  r.number("contrast_threshold", o.contrast_threshold);
  r.number("edge_threshold", o.edge_threshold);
  r.number("sigma", o.sigma);
  r.number("upsample", o.upsample);
  r.number("root", o.root);
  r.number("balance", o.balance);
  r.number("domain_size_pooling", o.domain_size_pooling);
  r.number("affine_shape", o.affine_shape);
  return o;
}

SurfOptions surf_options(nb::handle object) {
  SurfOptions o;
  const Reader r{object, "SurfOptions"};
  r.number("max_features", o.max_features);
  r.number("octaves", o.octaves);
  r.number("threshold", o.threshold);
  r.number("numbers", o.numbers);
  r.number("upright", o.upright);
  r.number("upsample", o.upsample);
  r.number("balance", o.balance);
  return o;
}

}  // namespace

DetectorOptions detector_options(nb::handle object) {
  if (object.is_none()) return {};
  if (nb::hasattr(object, "upright")) return {{}, surf_options(object)};
  return {sift_options(object), {}};
}

MatchOptions match_options(nb::handle object) {
  MatchOptions o;
  if (object.is_none()) return o;
  const Reader r{object, "MatchOptions"};
  r.number("max_ratio", o.max_ratio);
  r.number("mutual", o.mutual);
  r.number("ratio_both_ways", o.ratio_both_ways);
  r.number("max_distance", o.max_distance);
  return o;
}

colmap::VerifyOptions verify_options(nb::handle object) {
  colmap::VerifyOptions o;
  if (object.is_none()) return o;
  const Reader r{object, "VerifyOptions"};
  r.number("max_error", o.max_error);
  r.number("min_inliers", o.min_inliers);
  r.number("confidence", o.confidence);
  r.number("min_iterations", o.min_iterations);
  r.number("max_iterations", o.max_iterations);
  r.number("min_inlier_ratio", o.min_inlier_ratio);
  r.number("min_E_F_inlier_ratio", o.min_E_F_inlier_ratio);
  r.number("max_H_inlier_ratio", o.max_H_inlier_ratio);
  r.number("relative_pose", o.relative_pose);
  r.number("detect_watermark", o.detect_watermark);
  r.number("watermark_min_inlier_ratio", o.watermark_min_inlier_ratio);
  r.number("watermark_border_size", o.watermark_border_size);
  r.number("watermark_max_error", o.watermark_max_error);
  r.number("seed", o.seed);
  return o;
}

FloatMatchOptions float_match_options(nb::handle object) {
  FloatMatchOptions o;
  if (object.is_none()) return o;
  const Reader r{object, "FloatMatchOptions"};
  r.number("normalise", o.normalise);
  r.number("mutual", o.mutual);
  r.number("max_ratio", o.max_ratio);
  r.number("max_distance", o.max_distance);
  return o;
}

bool is_ssd_options(nb::handle object) { return nb::hasattr(object, "window"); }

SgmOptions sgm_options(nb::handle object) {
  SgmOptions o;
  if (object.is_none()) return o;
  const Reader r{object, "SgmOptions"};
  r.number("min_disparity", o.min_disparity);
  r.number("disparities", o.disparities);
  r.choice("census", o.census, {"sparse", "symmetric", "full"});
  r.number("paths", o.paths);
  r.number("P1", o.P1);
  r.number("P2", o.P2);
  r.number("P2_contrast", o.P2_contrast);
  r.number("vertical_tolerance", o.vertical_tolerance);
  r.number("white", o.white);
  r.number("max_memory", o.max_memory);
  o.filter = filter_of(r.field("filter"));
  return o;
}

SsdOptions ssd_options(nb::handle object) {
  SsdOptions o;
  const Reader r{object, "SsdOptions"};
  r.number("min_disparity", o.min_disparity);
  r.number("disparities", o.disparities);
  r.number("window", o.window);
  o.filter = filter_of(r.field("filter"));
  return o;
}

nb::dict default_options() {
  nb::dict all;
  all["RobustOptions"] = defaults_of(RobustOptions{});
  all["SiftOptions"] = defaults_of(SiftOptions{});
  all["SurfOptions"] = defaults_of(SurfOptions{});
  all["MatchOptions"] = defaults_of(MatchOptions{});
  all["FloatMatchOptions"] = defaults_of(FloatMatchOptions{});
  all["VerifyOptions"] = defaults_of(colmap::VerifyOptions{});
  all["SgmOptions"] = defaults_of(SgmOptions{});
  all["SsdOptions"] = defaults_of(SsdOptions{});
  all["DisparityFilter"] = defaults_of(DisparityFilter{});
  return all;
}

ModelKind kind_of(const std::string& name) { return named<ModelKind>(kProblems, "kind", name); }
std::string name_of(ModelKind kind) { return std::string(kProblems[static_cast<int>(kind)]); }
MinimalSolver solver_of(const std::string& name) {
  return named<MinimalSolver>(kSolvers, "solver", name);
}

}  // namespace bifocal::python
