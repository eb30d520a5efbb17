// SPDX-License-Identifier: BSD-3-Clause
#include "stereo/options.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include <bifocal/error.hpp>

namespace bifocal::stereo {
namespace {

constexpr int kMaxDisparities = 1024, kMinWindow = 3, kMaxWindow = 31, kMaxStart = 1 << 20;
constexpr int kMaxP2 = 190;  // with 62 bits of cost a path's costs fit a byte

[[noreturn]] void fail(const char* function, const std::string& message) {
  throw Error(ErrorCode::usage, fmt::format("{}: {}", function, message));
}

void check_range(const char* function, const char* name, int value, int low, int high) {
  if (value < low || value > high)
    fail(function, fmt::format("{} = {}: must be {} to {}", name, value, low, high));
}

void check_window(const char* function, const char* name, int window) {
  if (window < kMinWindow || window > kMaxWindow || window % 2 == 0)
    fail(function,
         fmt::format("{} = {}: must be odd, {} to {}", name, window, kMinWindow, kMaxWindow));
}

void check_search(const char* function, int min_disparity, int disparities) {
  check_range(function, "disparities", disparities, 1, kMaxDisparities);
  check_range(function, "min_disparity", min_disparity, -kMaxStart, kMaxStart);
}

}  // namespace

void check_filter(const char* function, const DisparityFilter& f) {
  if (std::isnan(f.cross_check))
    fail(function, "cross_check is NaN: must be a number of px, negative for no check");
  check_range(function, "uniqueness", f.uniqueness, 0, 99);
  if (f.median != 0 && f.median != 3 && f.median != 5)
    fail(function, fmt::format("median = {}: must be 0, 3 or 5", f.median));
  check_range(function, "speckle_size", f.speckle_size, 0, 1 << 30);
  if (!(f.speckle_range >= 0))
    fail(function, fmt::format("speckle_range = {}: must be 0 px or more", f.speckle_range));
  check_range(function, "fill", static_cast<int>(f.fill), 0, static_cast<int>(Fill::mean));
  if (f.fill == Fill::mean) check_window(function, "fill_window", f.fill_window);
}

void check_sgm(const SgmOptions& o) {
  constexpr const char* function = "stereo_sgm";
  check_search(function, o.min_disparity, o.disparities);
  if (o.paths != 4 && o.paths != 8)
    fail(function, fmt::format("paths = {}: must be 4 or 8", o.paths));
  check_range(function, "census", static_cast<int>(o.census), 0, static_cast<int>(Census::full));
  check_range(function, "P1", o.P1, 0, kMaxP2);
  check_range(function, "P2", o.P2, o.P1, kMaxP2);
  check_range(function, "P2_contrast", o.P2_contrast, 0, 1 << 16);
  check_range(function, "vertical_tolerance", o.vertical_tolerance, 0, 2);
  check_range(function, "white", o.white, 0, 65535);
  check_filter(function, o.filter);
}

void check_ssd(const SsdOptions& o) {
  constexpr const char* function = "stereo_ssd";
  check_window(function, "window", o.window);
  check_search(function, o.min_disparity, o.disparities);
  check_filter(function, o.filter);
  if (o.filter.uniqueness != 0)
    fail(function, fmt::format("uniqueness = {}: block matching has none, it must be 0",
                               o.filter.uniqueness));
}

void check_shapes(const char* function, const PictureShape& left, const PictureShape& right,
                  int most_channels) {
  if (left.empty || right.empty) fail(function, "an image is empty");
  if (!left.usable || !right.usable) fail(function, "a view has no pixels, or rows that overlap");
  for (const int channels : {left.channels, right.channels}) {
    if (channels < 1 || channels > most_channels)
      fail(function, fmt::format("images have {} and {} channels: must be {}", left.channels,
                                 right.channels, most_channels == 1 ? "grey (1)" : "1 to 4"));
  }
  if (left.width != right.width || left.height != right.height)
    fail(function, fmt::format("images differ in size: left {} x {}, right {} x {}", left.width,
                               left.height, right.width, right.height));
}

}  // namespace bifocal::stereo
