// SPDX-License-Identifier: BSD-3-Clause
// Parsers of text in memory. `name` is the file's, for messages. All throw Error(input) with the
// line.
#pragma once

#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <bifocal/geometry.hpp>
#include <bifocal/io.hpp>

#include "io/reject.hpp"

namespace bifocal::io {

// Throws if the text is ROS's camera_info, which has one camera and no pose to another one.
void refuse_camera_info(std::string_view text, std::string_view name);

Correspondences parse_correspondences(std::string_view text, std::string_view name);
std::vector<DepthPair> parse_depth_pairs(std::string_view text, std::string_view name);
std::vector<ScenePoint> parse_scene_points(std::string_view text, std::string_view name);
Calibration parse_calibration(std::string_view text, std::string_view name);
PairCalibration parse_pair_calibration(std::string_view text, std::string_view name);
// Beyond these numbers of px, squares and quotients overflow.
inline constexpr double kLeastFocal = 1e-3, kMostPx = 1e9;
// No lens has a field of view outside these.
inline constexpr double kLeastViewDeg = 0.5, kMostViewDeg = 170;

// Angle that `side` px span in a pinhole camera of focal length f px.
[[nodiscard]] inline double field_of_view_deg(double f, double side) {
  return 2 * std::atan2(side / 2, f) * 180 / std::numbers::pi;
}

[[nodiscard]] inline bool is_possible_focal_length(double f, double longest_side) {
  const double angle = field_of_view_deg(f, longest_side);
  return f > 0 && angle >= kLeastViewDeg && angle <= kMostViewDeg;
}

// Returns why K can't be computed with; empty if it can.
[[nodiscard]] inline std::string fault_of(const Intrinsics& K) {
  for (const double f : {K.fx, K.fy})
    if (!(f >= kLeastFocal && f <= kMostPx))
      return fmt::format("focal lengths {} {}, must be {} to {} px", K.fx, K.fy, kLeastFocal,
                         kMostPx);
  for (const double c : {K.cx, K.cy})
    if (!(std::abs(c) <= kMostPx))
      return fmt::format("principal point {} {}, must be within {} px", K.cx, K.cy, kMostPx);
  return {};
}

// Makes a camera of fx fy cx cy, or of the nine numbers of a camera matrix without skew; messages
// call them `what`.
Intrinsics camera_from(const std::vector<double>& numbers, std::string_view name,
                       std::string_view what);
// Makes a picture's width or height; messages call it `what`.
int side_from(double value, std::string_view name, std::string_view what);
// These read OpenCV's FileStorage, YAML or XML; they do not check what the numbers say.
bool is_opencv_storage(std::string_view text);
PairCalibration parse_opencv_calibration(std::string_view text, std::string_view name);

// A whole word as a number (nan and inf are), or nothing.
template <class Number>
std::optional<Number> to_number(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  Number value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

// Lines of words: blanks, tabs and what is in `separators` part words; # starts a comment; empty
// lines are passed over.
class LineReader {
 public:
  LineReader(std::string_view text, std::string_view name, std::string_view separators = "")
      : text_(text), name_(name), separators_(separators) {}

  // Moves to the next line that has words; false at the end.
  bool next();
  [[nodiscard]] int line() const { return line_; }
  [[nodiscard]] const std::vector<std::string_view>& words() const { return words_; }
  // Word i as a number; throws with line and word.
  [[nodiscard]] double number(std::size_t i) const;

 private:
  std::string_view text_, name_, separators_;
  int line_ = 0;
  std::vector<std::string_view> words_;
};

}  // namespace bifocal::io
