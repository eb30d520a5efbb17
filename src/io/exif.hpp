// SPDX-License-Identifier: BSD-3-Clause
// Reads metadata of a photograph from its EXIF block (CIPA DC-008), by libexif, and from its XMP
// packet.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <bifocal/io.hpp>

namespace bifocal::io {

inline constexpr std::string_view kExifStart("Exif\0\0", 6);  // in a JPEG's APP1 segment
inline constexpr std::string_view kXmpStart("http://ns.adobe.com/xap/1.0/\0", 29);  // likewise

struct Exif {
  int orientation = 1;  // rotation or mirroring of the stored image, 1 (none) to 8
  // The next four are 0 if unknown.
  double focal_on_film_mm = 0;  // the equivalent on 36 x 24 mm
  double focal_mm = 0;
  double pixels_a_mm = 0;             // pixels per mm on the sensor
  double recorded_side = 0;           // px: longer side when the image was taken
  std::string make = {}, model = {};  // of the camera; empty if unknown
  std::optional<GeoPosition> position = {};
  // Why position or altitude_m is empty although GPS entries exist.
  std::string doubt = {};
  // The following as in PhotographInfo.
  std::optional<double> altitude_m = {};
  std::optional<Vec3> position_deviations_m = {};
  std::optional<double> relative_altitude_m = {};
  std::optional<Attitude> gimbal = {}, flight = {};
};
// Parses a block that starts with kExifStart. Never throws: from a damaged block, reads
// the valid part.
Exif parse_exif(std::string_view block);
// Adds what an XMP packet that starts with kXmpStart says in the namespace drone-dji (attributes or
// elements). Never throws: a packet that is no XML, and values that are no number or impossible,
// are ignored.
void add_xmp(std::string_view packet, Exif& exif);
// Returns whether an altitude is possible for a camera: -500 to 20,000 m.
bool is_possible_altitude(double metres);
inline constexpr double kMostDeviation_m = 10000;  // of a stated position

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
