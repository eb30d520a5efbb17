// SPDX-License-Identifier: BSD-3-Clause
// These numbers are read of an EXIF block (CIPA DC-008), by libexif.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <bifocal/pair_selection.hpp>

namespace bifocal::io {

inline constexpr std::string_view kExifStart("Exif\0\0", 6);  // of a JPEG's APP1 segment

struct Exif {
  int orientation = 1;  // how to turn the stored picture, 1 (not at all) to 8
  // These are 0 when they are unknown:
  double focal_on_film_mm = 0;  // the equivalent on 36 x 24 mm
  double focal_mm = 0;
  double pixels_a_mm = 0;             // of the sensor
  double recorded_side = 0;           // px: the longer one, when the picture was taken
  std::string make = {}, model = {};  // of the camera; empty when unknown
  std::optional<GeoPosition> position = {};
  std::string doubt = {};  // why there is no position though numbers of one are there
};
// `block` starts with kExifStart. Never throws: of a damaged block, what can be read.
Exif parse_exif(std::string_view block);

// The focal length in px of a picture of width x height px; 0 if it is unknown or that of no lens,
// which `doubt` says then.
struct FocalLength {
  double px = 0;
  std::string doubt = {};
};
FocalLength focal_length(const Exif& exif, double width, double height);

}  // namespace bifocal::io
