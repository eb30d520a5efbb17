// SPDX-License-Identifier: BSD-3-Clause
#include "io/exif.hpp"

#include <fmt/format.h>
#include <libexif/exif-data.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <memory>

#include <bifocal/io.hpp>

#include "io/parse.hpp"
#include "io/decode.hpp"

namespace bifocal {
namespace io {
namespace {

constexpr double kLeastSensor = 3;  // mm, longer side, of cameras that write its resolution
// EXIF states no error of heights. Satellites are seen above the horizon only, so heights are
// typically 1.5 to 2 times less accurate than horizontal positions.
constexpr double kUpPerHorizontal = 2;
constexpr int kGpsHorizontalError = 0x1F;  // the tag GPSHPositioningError, which old libexif lacks

// Returns number k of an entry of any numeric type; NaN without one. Rationals 0 / 0 give 0,
// because cameras write them for missing values.
double number_of(const ExifEntry* entry, ExifByteOrder order, unsigned k = 0) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  if (!entry || !entry->data) return kUnknown;
  const unsigned size = exif_format_get_size(entry->format);
  if (size == 0 || k >= entry->components || entry->size < size * (k + 1)) return kUnknown;
  const unsigned char* at = entry->data + size * k;
  const auto quotient = [](double a, double b) { return a == 0 ? 0 : b != 0 ? a / b : kUnknown; };
  switch (entry->format) {
    case EXIF_FORMAT_BYTE:
      return *at;
    case EXIF_FORMAT_SHORT:
      return exif_get_short(at, order);
    case EXIF_FORMAT_SSHORT:
      return exif_get_sshort(at, order);
    case EXIF_FORMAT_LONG:
      return exif_get_long(at, order);
    case EXIF_FORMAT_SLONG:
      return exif_get_slong(at, order);
    case EXIF_FORMAT_RATIONAL: {
      const ExifRational value = exif_get_rational(at, order);
      return quotient(value.numerator, value.denominator);
    }
    case EXIF_FORMAT_SRATIONAL: {
      const ExifSRational value = exif_get_srational(at, order);
      return quotient(value.numerator, value.denominator);
    }
    default:
      return kUnknown;
  }
}

// Returns the first number of an entry; 0 for a missing entry or a negative number.
double number(ExifData* data, ExifIfd directory, ExifTag tag) {
  const double value =
      number_of(exif_content_get_entry(data->ifd[directory], tag), exif_data_get_byte_order(data));
  return value > 0 ? value : 0;
}

double unit_mm(double unit) {
  if (unit == 3) return 10;
  if (unit == 4) return 1;
  if (unit == 5) return 1e-3;
  return 25.4;  // the standard's default
}

// Returns the text of an entry without the zeros and blanks that fill its field.
std::string text(ExifData* data, ExifTag tag) {
  const ExifEntry* entry = exif_content_get_entry(data->ifd[EXIF_IFD_0], tag);
  if (!entry || !entry->data || entry->format != EXIF_FORMAT_ASCII) return {};
  std::string all(reinterpret_cast<const char*>(entry->data), entry->size);
  all.resize(std::min(all.find('\0'), all.size()));
  all.erase(all.find_last_not_of(' ') + 1);
  return all.erase(0, std::min(all.find_first_not_of(' '), all.size()));
}

// Returns the first letter of an entry in upper case; 0 without one.
char letter_of(const ExifEntry* entry) {
  if (!entry || !entry->data) return 0;
  for (unsigned k = 0; k < entry->size; ++k) {
    const unsigned char c = entry->data[k];
    if (c != ' ' && c != 0) return static_cast<char>(std::toupper(c));
  }
  return 0;
}

// Returns an angle from one to three numbers: degrees, minutes, seconds. NaN if the entry is
// no valid angle.
double angle_of(const ExifEntry* entry, ExifByteOrder order) {
  const double degrees = number_of(entry, order);
  double sum = degrees, unit = 1.0 / 60;
  for (unsigned k = 1; entry && k < std::min(3UL, entry->components); ++k, unit /= 60) {
    const double part = number_of(entry, order, k);
    if (!(part >= 0 && part <= 60)) return std::numeric_limits<double>::quiet_NaN();
    sum += unit * part;
  }
  return degrees >= 0 ? sum : std::numeric_limits<double>::quiet_NaN();
}

// Returns signed degrees, positive towards `positive`, of magnitude at most `most`. If the angle is
// invalid, returns NaN and writes the reason to `doubt`.
double degrees(ExifData* data, int tag, int tag_of_side, char positive, char negative, double most,
               std::string& doubt) {
  ExifContent* gps = data->ifd[EXIF_IFD_GPS];
  const ExifEntry* angle = exif_content_get_entry(gps, static_cast<ExifTag>(tag));
  const double value = angle_of(angle, exif_data_get_byte_order(data));
  const char side = letter_of(exif_content_get_entry(gps, static_cast<ExifTag>(tag_of_side)));
  if (value <= most && (side == positive || side == negative))
    return side == negative ? -value : value;
  if (angle && doubt.empty())
    doubt = !(value <= most)
                ? fmt::format("GPS: an angle that is not within 0 to {} degrees", most)
                : fmt::format("GPS: a reference that is neither {} nor {}", positive, negative);
  return std::numeric_limits<double>::quiet_NaN();
}

std::optional<GeoPosition> position(ExifData* data, std::string& doubt) {
  const GeoPosition p{
      degrees(data, EXIF_TAG_GPS_LATITUDE, EXIF_TAG_GPS_LATITUDE_REF, 'N', 'S', 90, doubt),
      degrees(data, EXIF_TAG_GPS_LONGITUDE, EXIF_TAG_GPS_LONGITUDE_REF, 'E', 'W', 180, doubt)};
  if (std::isnan(p.latitude_deg) || std::isnan(p.longitude_deg)) return {};
  if (p.latitude_deg == 0 && p.longitude_deg == 0) {  // written by receivers without a fix
    doubt = "GPS: 0 degrees north and east, no position";
    return {};
  }
  return p;
}

// Returns whether a rational is 0 / 0, which cameras write for missing values.
bool is_without_value(const ExifEntry* entry, ExifByteOrder order) {
  if (entry->format != EXIF_FORMAT_RATIONAL || entry->size < 8) return false;
  const ExifRational value = exif_get_rational(entry->data, order);
  return value.numerator == 0 && value.denominator == 0;
}

// Adds altitude and deviations of a position.
void add_altitude(ExifData* data, Exif& exif) {
  const auto entry = [&](int tag) {
    return exif_content_get_entry(data->ifd[EXIF_IFD_GPS], static_cast<ExifTag>(tag));
  };
  const ExifByteOrder order = exif_data_get_byte_order(data);
  if (const double error = number_of(entry(kGpsHorizontalError), order);
      error > 0 && error <= kMostDeviation_m)
    exif.position_deviations_m = Vec3{error, error, kUpPerHorizontal * error};
  const ExifEntry* altitude = entry(EXIF_TAG_GPS_ALTITUDE);
  if (!altitude || is_without_value(altitude, order)) return;
  const double above = number_of(altitude, order);
  // 0 and 2 are above the sea or the ellipsoid, 1 and 3 below (EXIF 3.0). Some writers give
  // letters.
  const double reference = number_of(entry(EXIF_TAG_GPS_ALTITUDE_REF), order);
  const bool is_below = reference == 1 || reference == 3 || reference == '1';
  const double signed_m = is_below ? -std::abs(above) : above;
  if (is_possible_altitude(signed_m)) {
    exif.altitude_m = signed_m;
  } else if (exif.doubt.empty()) {
    exif.doubt = std::isnan(signed_m) ? std::string("GPS: an altitude that is no number")
                                      : fmt::format("GPS: an altitude of {:.6g} m", signed_m);
  }
}

}  // namespace

bool is_possible_altitude(double metres) { return metres >= -500 && metres <= 20000; }

FocalLength focal_length(const Exif& exif, double width, double height) {
  const double longest = std::max(width, height);
  // The 35 mm equivalent compares image diagonals (CIPA DCG-001).
  const double on_film = exif.focal_on_film_mm * std::hypot(width, height) / std::hypot(36.0, 24.0);
  // The resolution refers to the recorded image. Programs that resize an image keep it unchanged.
  const double resized = exif.recorded_side > 0 ? longest / exif.recorded_side : 1.0;
  const double on_sensor = exif.focal_mm * exif.pixels_a_mm * resized;
  FocalLength out;
  // A program that resized the image may have changed the recorded size and kept the resolution.
  const double sensor_mm = longest / (exif.pixels_a_mm * resized);
  for (const double px : {on_film, on_sensor}) {
    if (!(px > 0)) continue;
    const bool is_possible = is_possible_focal_length(px, longest);
    if (is_possible && (px == on_film || sensor_mm >= kLeastSensor)) return {px, {}};
    if (is_possible) {
      out.doubt = fmt::format("a sensor of {:.2g} mm", sensor_mm);
      continue;
    }
    out.doubt = fmt::format("a focal length of {:.4g} px, a field of view of {:.3g} degrees", px,
                            field_of_view_deg(px, longest));
  }
  return out;
}

Exif parse_exif(std::string_view block) {
  const std::unique_ptr<ExifData, decltype(&exif_data_unref)> data(exif_data_new(),
                                                                   exif_data_unref);
  if (!data || !block.starts_with(kExifStart)) return {};
  // Otherwise libexif invents entries that the standard requires.
  exif_data_unset_option(data.get(), EXIF_DATA_OPTION_FOLLOW_SPECIFICATION);
  exif_data_load_data(data.get(), reinterpret_cast<const unsigned char*>(block.data()),
                      static_cast<unsigned>(block.size()));
  const auto of_camera = [&](ExifTag tag) { return number(data.get(), EXIF_IFD_EXIF, tag); };
  Exif exif;
  exif.position = position(data.get(), exif.doubt);
  add_altitude(data.get(), exif);
  const double orientation = number(data.get(), EXIF_IFD_0, EXIF_TAG_ORIENTATION);
  exif.orientation = orientation >= 1 && orientation <= 8 ? int(orientation) : 1;
  exif.focal_on_film_mm = of_camera(EXIF_TAG_FOCAL_LENGTH_IN_35MM_FILM);
  exif.focal_mm = of_camera(EXIF_TAG_FOCAL_LENGTH);
  exif.pixels_a_mm = of_camera(EXIF_TAG_FOCAL_PLANE_X_RESOLUTION) /
                     unit_mm(of_camera(EXIF_TAG_FOCAL_PLANE_RESOLUTION_UNIT));
  exif.recorded_side =
      std::max(of_camera(EXIF_TAG_PIXEL_X_DIMENSION), of_camera(EXIF_TAG_PIXEL_Y_DIMENSION));
  exif.make = text(data.get(), EXIF_TAG_MAKE);
  exif.model = text(data.get(), EXIF_TAG_MODEL);
  return exif;
}

std::optional<Intrinsics> intrinsics_of(const Exif& exif, double width, double height) {
  const double focal = focal_length(exif, width, height).px;
  if (focal == 0) return {};
  return Intrinsics{focal, focal, (width - 1) / 2, (height - 1) / 2};
}

std::string doubt_of(const Exif& exif, double width, double height) {
  std::string doubt = focal_length(exif, width, height).doubt;
  return doubt.empty() ? exif.doubt : doubt;
}

}  // namespace io

std::optional<Intrinsics> intrinsics_from_exif(const std::filesystem::path& jpeg) {
  return exif_intrinsics(read_file(jpeg, kMaxImageBytes));
}

std::optional<Intrinsics> exif_intrinsics(std::string_view bytes) {
  const auto head = io::read_head_with_exif(bytes);
  if (!head) return {};
  double width = head->width, height = head->height;
  if (head->exif.orientation >= 5) std::swap(width, height);
  return io::intrinsics_of(head->exif, width, height);
}

std::string exif_doubt(std::string_view bytes) {
  const auto head = io::read_head_with_exif(bytes);
  if (!head) return {};
  return io::doubt_of(head->exif, head->width, head->height);
}

}  // namespace bifocal
