// SPDX-License-Identifier: BSD-3-Clause
// Parsers for text in memory. `name` is the file's name, for messages. All parsers throw
// Error(input) with the line.
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

// Throws if the text is ROS's camera_info, which has a single camera and no relative pose.
void refuse_camera_info(std::string_view text, std::string_view name);

Correspondences parse_correspondences(std::string_view text, std::string_view name);
std::vector<DepthPair> parse_depth_pairs(std::string_view text, std::string_view name);
std::vector<ScenePoint> parse_scene_points(std::string_view text, std::string_view name);
Calibration parse_calibration(std::string_view text, std::string_view name);
Calibration parse_pair_calibration(std::string_view text, std::string_view name);
// Returns whether the text is of the kind that parse_pair_calibration() reads.
bool is_pair_calibration(std::string_view text, std::string_view name);
// Focal lengths and coordinates in px outside these limits overflow in squares and quotients.
inline constexpr double kLeastFocal = 1e-3, kMostPx = 1e9;
// Fields of view outside these limits are impossible.
inline constexpr double kLeastViewDeg = 0.5, kMostViewDeg = 170;

// Returns the angle that `side` px span in a pinhole camera of focal length f px.
[[nodiscard]] inline double field_of_view_deg(double f, double side) {
  return 2 * std::atan2(side / 2, f) * 180 / std::numbers::pi;
}

[[nodiscard]] inline bool is_possible_focal_length(double f, double longest_side) {
  const double angle = field_of_view_deg(f, longest_side);
  return f > 0 && angle >= kLeastViewDeg && angle <= kMostViewDeg;
}

// Returns the reason why K is numerically unusable; empty if it is usable.
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

// Returns a camera from fx fy cx cy, or from the nine numbers of a camera matrix without skew.
// what: name of the numbers, for messages.
Intrinsics camera_from(const std::vector<double>& numbers, std::string_view name,
                       std::string_view what);
// Returns the width or height of an image. what: name of the number, for messages.
int side_from(double value, std::string_view name, std::string_view what);
// Read OpenCV's FileStorage, YAML or XML, without plausibility checks of the numbers.
bool is_opencv_storage(std::string_view text);
Calibration parse_opencv_calibration(std::string_view text, std::string_view name);

// Parses a whole word as a number, nan and inf included; nullopt if it is none.
template <class Number>
std::optional<Number> to_number(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  Number value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

// Splits text into lines of words. Blanks, tabs and the characters in `separators` separate words;
// # starts a comment; empty lines are skipped.
class LineReader {
 public:
  LineReader(std::string_view text, std::string_view name, std::string_view separators = "")
      : text_(text), name_(name), separators_(separators) {}

  // Moves to the next line with words; returns false at the end.
  bool next();
  [[nodiscard]] int line() const { return line_; }
  [[nodiscard]] const std::vector<std::string_view>& words() const { return words_; }
  // Returns word i as a number; throws with line and word.
  [[nodiscard]] double number(std::size_t i) const;

 private:
  std::string_view text_, name_, separators_;
  int line_ = 0;
  std::vector<std::string_view> words_;
};

}  // namespace bifocal::io
