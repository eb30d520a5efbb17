// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes rectifications as .npz files (docs/formats.md).
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>
#include <bifocal/rectify.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "rectify/sampling_map.hpp"

namespace bifocal {
namespace {

using rectification::kMaxMapPixels, rectification::kMaxSide;

constexpr const char* kFormat = "bifocal rectification 2";
constexpr const char* kPolarFormat = "bifocal polar rectification 1";  // without kind and swapped
constexpr const char* kSides[] = {"left", "right"};

NpyArray numbers(std::vector<std::int64_t> shape, std::vector<double> values) {
  return {std::move(shape), std::move(values)};
}
NpyArray matrix(const Mat3& m) { return numbers({3, 3}, {m.begin(), m.end()}); }

using Arrays = std::vector<NamedArray>;

void add_polar(const std::string& name, const RectifiedSide& s, Arrays& arrays) {
  std::vector<double> rows;
  for (const PolarRow& row : s.rows) rows.insert(rows.end(), {row.x, row.y, row.dx, row.dy});
  arrays.push_back({name, numbers({std::int64_t(s.rows.size()), 4}, std::move(rows))});
  arrays.push_back(
      {name + "_photograph", numbers({5}, {double(s.input.width), double(s.input.height),
                                           s.epipole[0], s.epipole[1], s.is_inward ? 1.0 : 0.0})});
}

void add_planar(const std::string& name, const RectifiedSide& s, Arrays& arrays) {
  const Intrinsics &k = s.input.intrinsics, &c = s.camera;
  const Distortion& d = s.input.distortion;
  arrays.push_back({name + "_H", matrix(s.H)});
  arrays.push_back({name + "_R", matrix(s.R)});
  arrays.push_back({name + "_camera", numbers({4}, {c.fx, c.fy, c.cx, c.cy})});
  arrays.push_back({name + "_input",
                    numbers({14}, {double(s.input.width), double(s.input.height), k.fx, k.fy, k.cx,
                                   k.cy, d.k1, d.k2, d.p1, d.p2, d.k3, d.k4, d.k5, d.k6})});
  if (!s.lens) return;
  const auto params = s.lens->params();
  arrays.push_back({name + "_lens_model", {{}, std::string(s.lens->model())}});
  arrays.push_back({name + "_lens_params",
                    numbers({std::int64_t(params.size())}, {params.begin(), params.end()})});
}

// Reads arrays and checks their types and shapes.
class Reader {
 public:
  explicit Reader(const std::filesystem::path& file) : name_(file.string()), npz_(file) {}

  [[noreturn]] void fail(const std::string& array, const std::string& what) const {
    throw Error(ErrorCode::input, fmt::format("{}: array '{}': {}", name_, array, what));
  }
  [[nodiscard]] bool contains(const std::string& array) const { return npz_.contains(array); }
  // Reads finite numbers of shape [rows, columns], or [rows] if columns is 0. rows = -1: any
  // number.
  [[nodiscard]] std::vector<double> read(const std::string& array, std::int64_t rows,
                                         std::int64_t columns) const {
    const NpyArray found = npz_.read(array);
    const auto* values = std::get_if<std::vector<double>>(&found.values);
    const bool fits = values && found.shape.size() == (columns == 0 ? 1U : 2U) &&
                      (rows < 0 || found.shape[0] == rows) &&
                      (columns == 0 || found.shape[1] == columns);
    if (!fits) {
      fail(array, fmt::format("{}, must be float64 [{}{}]", describe(found),
                              rows < 0 ? "any number" : std::to_string(rows),
                              columns == 0 ? "" : ", " + std::to_string(columns)));
    }
    for (std::size_t i = 0; i < values->size(); ++i)
      if (!std::isfinite((*values)[i])) fail(array, fmt::format("number {} is not finite", i));
    return *values;
  }
  [[nodiscard]] std::string text(const std::string& array) const {
    const NpyArray found = npz_.read(array);
    const auto* text = std::get_if<std::string>(&found.values);
    if (!text) fail(array, fmt::format("{}, must be a string", describe(found)));
    return *text;
  }
  [[nodiscard]] Mat3 matrix(const std::string& array) const {
    const std::vector<double> values = read(array, 3, 3);
    Mat3 m;
    std::copy(values.begin(), values.end(), m.begin());
    return m;
  }
  // Checks that `value` of an array is an integer in [low, high].
  [[nodiscard]] int whole(const std::string& array, double value, double low, double high) const {
    if (!(value >= low && value <= high) || value != std::floor(value))
      fail(array, fmt::format("{}: must be a whole number of {} to {}", value, low, high));
    return static_cast<int>(value);
  }

 private:
  std::string name_;
  NpzFile npz_;
};

RectifiedSide read_polar(const Reader& in, const std::string& name, std::int64_t rows) {
  RectifiedSide side;
  const std::string photograph = name + "_photograph";
  const auto about = in.read(photograph, 5, 0);
  side.input.width = in.whole(photograph, about[0], 1, kMaxSide);
  side.input.height = in.whole(photograph, about[1], 1, kMaxSide);
  side.epipole = {about[2], about[3]};
  side.is_inward = in.whole(photograph, about[4], 0, 1) == 1;
  const auto values = in.read(name, rows, 4);
  for (std::size_t i = 0; i < values.size(); i += 4) {
    const PolarRow row{values[i], values[i + 1], values[i + 2], values[i + 3]};
    const double step = std::hypot(row.dx, row.dy);
    if (!(step >= 1e-6 && step <= 1e6))
      in.fail(name, fmt::format("row {}: a step of {} px: must be 1e-6 to 1e6", i / 4, step));
    side.rows.push_back(row);
  }
  return side;
}

// Returns fx, fy, cx, cy; all are 0 without a camera.
Intrinsics intrinsics_of(const Reader& in, const std::string& array,
                         std::span<const double> values) {
  const Intrinsics k{values[0], values[1], values[2], values[3]};
  const bool is_empty = std::all_of(values.begin(), values.end(), [](double v) { return v == 0; });
  if (!is_empty && !k.valid())
    in.fail(array, fmt::format("focal lengths {} {}: must be positive", k.fx, k.fy));
  return k;
}

LensCamera lens_of(const Reader& in, const std::string& name, const Camera& input) {
  const std::string model = in.text(name + "_lens_model");
  const auto params = in.read(name + "_lens_params", -1, 0);
  const std::string array = name + "_lens_params";
  try {
    if (!model.empty()) return {model, params, input.width, input.height};
    if (params.size() != 12) in.fail(array, fmt::format("{} numbers, must be 12", params.size()));
    Camera camera{{params[0], params[1], params[2], params[3]}, {}, input.width, input.height};
    camera.distortion = {params[4], params[5], params[6],  params[7],
                         params[8], params[9], params[10], params[11]};
    return LensCamera(camera);
  } catch (const Error& e) {
    if (e.code() != ErrorCode::usage) throw;
    in.fail(array, e.what());
  }
}

RectifiedSide read_planar(const Reader& in, const std::string& name) {
  RectifiedSide side;
  const std::string input = name + "_input", camera = name + "_camera";
  const auto v = in.read(input, 14, 0);
  side.input.width = in.whole(input, v[0], 1, kMaxSide);
  side.input.height = in.whole(input, v[1], 1, kMaxSide);
  side.input.intrinsics = intrinsics_of(in, input, std::span(v).subspan(2, 4));
  side.input.distortion = {v[6], v[7], v[8], v[9], v[10], v[11], v[12], v[13]};
  side.camera = intrinsics_of(in, camera, in.read(camera, 4, 0));
  side.H = in.matrix(name + "_H");
  side.R = in.matrix(name + "_R");
  for (const double value : inverse(side.H))
    if (!std::isfinite(value)) in.fail(name + "_H", "has no inverse");
  if (in.contains(name + "_lens_model")) side.lens = lens_of(in, name, side.input);
  if ((side.lens || !side.input.distortion.none()) &&
      !(side.input.intrinsics.valid() && side.camera.valid()))
    in.fail(input, "a lens without a camera");
  return side;
}

}  // namespace

void write_rectification(const std::filesystem::path& file, const Rectification& r) {
  if (r.width < 1)
    throw Error(ErrorCode::usage, fmt::format("write_rectification: the pair is not rectified ({})",
                                              to_string(r.outcome)));
  Arrays arrays = {
      {"format", {{}, std::string(kFormat)}},
      {"kind", {{}, std::string(to_string(r.kind))}},
      {"canvas", numbers({6}, {double(r.width), double(r.height), r.scale, r.is_cyclic ? 1.0 : 0.0,
                               double(r.overlap), r.is_swapped ? 1.0 : 0.0})}};
  if (r.is_reversed) arrays.push_back({"reversed", numbers({1}, {1})});
  const auto add = r.kind == RectificationKind::polar ? add_polar : add_planar;
  for (std::size_t k = 0; k < 2; ++k) add(kSides[k], r.sides[k], arrays);
  write_npz(file, arrays);
}

Rectification read_rectification(const std::filesystem::path& file) {
  const Reader in(file);
  const std::string format = in.text("format");
  const bool is_old = format == kPolarFormat;
  if (!is_old && format != kFormat)
    in.fail("format", fmt::format("must be '{}' or '{}'", kFormat, kPolarFormat));
  const std::string kind = is_old ? "polar" : in.text("kind");
  if (kind != "planar" && kind != "polar") in.fail("kind", "must be 'planar' or 'polar'");
  const auto canvas = in.read("canvas", is_old ? 5 : 6, 0);
  constexpr double kMost = std::numeric_limits<int>::max();
  Rectification r;
  r.width = in.whole("canvas", canvas[0], 1, kMost);
  r.height = in.whole("canvas", canvas[1], 1, kMost);
  if (std::int64_t{r.width} * r.height > kMaxMapPixels)
    in.fail("canvas", fmt::format("{} x {} px: at most {}", r.width, r.height, kMaxMapPixels));
  r.scale = canvas[2];
  if (!(r.scale > 0 && r.scale <= 1))
    in.fail("canvas", fmt::format("scale {}: must be above 0, at most 1", r.scale));
  const bool is_polar = kind == "polar";
  if (is_polar) r.kind = RectificationKind::polar;
  r.is_cyclic = in.whole("canvas", canvas[3], 0, is_polar ? 1 : 0) == 1;
  r.overlap = in.whole("canvas", canvas[4], 0, r.is_cyclic ? (r.height - 1) / 2 : 0);
  r.is_swapped = !is_old && in.whole("canvas", canvas[5], 0, 1) == 1;
  r.is_reversed =
      in.contains("reversed") && in.whole("reversed", in.read("reversed", 1, 0)[0], 0, 1) == 1;
  for (std::size_t k = 0; k < 2; ++k)
    r.sides[k] = is_polar ? read_polar(in, kSides[k], r.height) : read_planar(in, kSides[k]);
  return r;
}

}  // namespace bifocal
