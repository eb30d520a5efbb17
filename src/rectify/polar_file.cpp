// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>
#include <bifocal/rectify.hpp>

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string>

#include "rectify/sampling_map.hpp"

namespace bifocal {
namespace {

constexpr const char* kFormat = "bifocal polar rectification 1";
constexpr const char* kSides[] = {"left", "right"};

NpyArray numbers(std::vector<std::int64_t> shape, std::vector<double> values) {
  return {std::move(shape), std::move(values)};
}

// Arrays of a file with what they have to be.
class Reader {
 public:
  explicit Reader(const std::filesystem::path& file) : name_(file.string()), npz_(file) {}

  [[noreturn]] void fail(const std::string& array, const std::string& what) const {
    throw Error(ErrorCode::input, fmt::format("{}: array '{}': {}", name_, array, what));
  }
  // Reads finite numbers of a shape; -1 stands for any number of rows.
  [[nodiscard]] std::vector<double> read(const std::string& array, std::int64_t rows,
                                         std::int64_t columns) const {
    const NpyArray found = npz_.read(array);
    const auto* values = std::get_if<std::vector<double>>(&found.values);
    const bool fits =
        values && (columns == 0 ? found.shape.size() == 1 && found.shape[0] == rows
                                : found.shape.size() == 2 && found.shape[1] == columns &&
                                      (rows < 0 || found.shape[0] == rows));
    if (!fits) {
      fail(array, fmt::format("{}, must be float64 [{}{}]", describe(found),
                              rows < 0 ? "rows" : std::to_string(rows),
                              columns == 0 ? "" : ", " + std::to_string(columns)));
    }
    for (std::size_t i = 0; i < values->size(); ++i)
      if (!std::isfinite((*values)[i])) fail(array, fmt::format("number {} is not finite", i));
    return *values;
  }
  void check_format() const {
    const NpyArray found = npz_.read("format");
    const auto* text = std::get_if<std::string>(&found.values);
    if (!text || *text != kFormat) fail("format", fmt::format("must be '{}'", kFormat));
  }
  // Returns a whole number of an array of numbers.
  [[nodiscard]] int whole(const std::string& array, double value, double low, double high) const {
    if (!(value >= low && value <= high) || value != std::floor(value))
      fail(array, fmt::format("{}: must be a whole number of {} to {}", value, low, high));
    return static_cast<int>(value);
  }

 private:
  std::string name_;
  NpzFile npz_;
};

PolarSide read_side(const Reader& in, std::size_t k, std::int64_t rows) {
  using rectification::kMaxSide;
  const std::string name = kSides[k];
  PolarSide side;
  const auto about = in.read(name + "_photograph", 5, 0);
  side.photograph_width = in.whole(name + "_photograph", about[0], 1, kMaxSide);
  side.photograph_height = in.whole(name + "_photograph", about[1], 1, kMaxSide);
  side.epipole = {about[2], about[3]};
  side.to_epipole = in.whole(name + "_photograph", about[4], 0, 1) == 1;
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

}  // namespace

void write_polar(const std::filesystem::path& file, const PolarRectification& r) {
  if (r.width < 1)
    throw Error(ErrorCode::usage,
                fmt::format("write_polar: the pair is not rectified ({})", to_string(r.outcome)));
  std::vector<NamedArray> arrays = {
      {"format", {{}, std::string(kFormat)}},
      {"canvas", numbers({5}, {double(r.width), double(r.height), r.scale, r.is_cyclic ? 1.0 : 0.0,
                               double(r.overlap)})}};
  for (std::size_t k = 0; k < 2; ++k) {
    const PolarSide& s = r.sides[k];
    std::vector<double> rows;
    for (const PolarRow& row : s.rows) rows.insert(rows.end(), {row.x, row.y, row.dx, row.dy});
    arrays.push_back({kSides[k], numbers({std::int64_t(s.rows.size()), 4}, std::move(rows))});
    arrays.push_back({std::string(kSides[k]) + "_photograph",
                      numbers({5}, {double(s.photograph_width), double(s.photograph_height),
                                    s.epipole[0], s.epipole[1], s.to_epipole ? 1.0 : 0.0})});
  }
  write_npz(file, arrays);
}

PolarRectification read_polar(const std::filesystem::path& file) {
  using rectification::kMaxMapPixels;
  const Reader in(file);
  in.check_format();
  const auto canvas = in.read("canvas", 5, 0);
  constexpr double kMost = std::numeric_limits<int>::max();
  PolarRectification r;
  r.width = in.whole("canvas", canvas[0], 1, kMost);
  r.height = in.whole("canvas", canvas[1], 1, kMost);
  if (std::int64_t{r.width} * r.height > kMaxMapPixels)
    in.fail("canvas", fmt::format("{} x {} px: at most {}", r.width, r.height, kMaxMapPixels));
  r.scale = canvas[2];
  if (!(r.scale > 0 && r.scale <= 1))
    in.fail("canvas", fmt::format("scale {}: must be above 0, at most 1", r.scale));
  r.is_cyclic = in.whole("canvas", canvas[3], 0, 1) == 1;
  r.overlap = in.whole("canvas", canvas[4], 0, r.is_cyclic ? (r.height - 1) / 2 : 0);
  for (std::size_t k = 0; k < 2; ++k) r.sides[k] = read_side(in, k, r.height);
  return r;
}

}  // namespace bifocal
