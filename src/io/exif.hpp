// SPDX-License-Identifier: BSD-3-Clause
// Reads metadata of a photograph from its EXIF block (CIPA DC-008), by libexif.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <bifocal/pair_selection.hpp>

namespace bifocal::io {

inline constexpr std::string_view kExifStart("Exif\0\0", 6);  // in a JPEG's APP1 segment

struct Exif {
  int orientation = 1;  // rotation or mirroring of the stored image, 1 (none) to 8
  // The next four are 0 if unknown.
  double focal_on_film_mm = 0;  // the equivalent on 36 x 24 mm
  double focal_mm = 0;
  double pixels_a_mm = 0;             // pixels per mm on the sensor
  double recorded_side = 0;           // px: longer side when the image was taken
  std::string make = {}, model = {};  // of the camera; empty if unknown
  std::optional<GeoPosition> position = {};
  std::string doubt = {};  // why position is empty although GPS entries exist
};
// Parses a block that starts with kExifStart. Never throws: from a damaged block, reads
// the valid part.
Exif parse_exif(std::string_view block);

// Returns the focal length in px for an image of width x height px. The result is 0 if the focal
// length is unknown or impossible; for an impossible value, `doubt` has the reason.
struct FocalLength {
  double px = 0;
  std::string doubt = {};
};
FocalLength focal_length(const Exif& exif, double width, double height);
// Returns the intrinsics of an upright image of width x height px; empty without a focal length.
std::optional<Intrinsics> intrinsics_of(const Exif& exif, double width, double height);
// Returns why a focal length or a position of EXIF is ignored; empty if none is.
std::string doubt_of(const Exif& exif, double width, double height);

}  // namespace bifocal::io
