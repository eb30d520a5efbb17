// SPDX-License-Identifier: BSD-3-Clause
#include "stereo/options.hpp"

#include <fmt/format.h>

#include <string>

#include <bifocal/error.hpp>

namespace bifocal::stereo {
namespace {

[[noreturn]] void fail(const char* function, const std::string& message) {
  throw Error(ErrorCode::usage, fmt::format("{}: {}", function, message));
}

}  // namespace

void check_sgm(const SgmOptions& o) {
  check_options(o);
  if (o.P2 < o.P1)
    fail("stereo_sgm", fmt::format("SgmOptions::P2 = {}: must be at least P1 = {}", o.P2, o.P1));
}

void check_ssd(const SsdOptions& o) {
  check_options(o);
  if (o.filter.uniqueness != 0)
    fail("stereo_ssd",
         fmt::format("SsdOptions::filter.uniqueness = {}: block matching has none, it must be 0",
                     o.filter.uniqueness));
}

void check_shapes(const char* function, const ImageShape& left, const ImageShape& right,
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
