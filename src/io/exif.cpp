// SPDX-License-Identifier: BSD-3-Clause
#include "io/exif.hpp"

#include <libexif/exif-data.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include <bifocal/io.hpp>

#include "io/decode.hpp"

namespace bifocal {
namespace io {
namespace {

// The first number of an entry; 0 where there is none, or it is of another type.
double number(ExifData* data, ExifIfd directory, ExifTag tag) {
  const ExifEntry* entry = exif_content_get_entry(data->ifd[directory], tag);
  if (!entry || !entry->data || entry->size < exif_format_get_size(entry->format)) return 0;
  const ExifByteOrder order = exif_data_get_byte_order(data);
  switch (entry->format) {
    case EXIF_FORMAT_SHORT:
      return exif_get_short(entry->data, order);
    case EXIF_FORMAT_LONG:
      return exif_get_long(entry->data, order);
    case EXIF_FORMAT_RATIONAL: {
      const ExifRational value = exif_get_rational(entry->data, order);
      return value.denominator > 0 ? double(value.numerator) / value.denominator : 0;
    }
    default:
      return 0;
  }
}

double unit_mm(double unit) {
  if (unit == 3) return 10;
  if (unit == 4) return 1;
  if (unit == 5) return 1e-3;
  return 25.4;  // the standard's default
}

// Text without the zeros and blanks that fill its field.
std::string text(ExifData* data, ExifTag tag) {
  const ExifEntry* entry = exif_content_get_entry(data->ifd[EXIF_IFD_0], tag);
  if (!entry || !entry->data || entry->format != EXIF_FORMAT_ASCII) return {};
  std::string all(reinterpret_cast<const char*>(entry->data), entry->size);
  all.resize(std::min(all.find('\0'), all.size()));
  all.erase(all.find_last_not_of(' ') + 1);
  return all.erase(0, std::min(all.find_first_not_of(' '), all.size()));
}

// Degrees, minutes and seconds, of the side that a letter names; NaN where there are none.
double degrees(ExifData* data, int tag, int tag_of_side, char negative) {
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  ExifContent* gps = data->ifd[EXIF_IFD_GPS];
  const ExifEntry* angle = exif_content_get_entry(gps, static_cast<ExifTag>(tag));
  const ExifEntry* side = exif_content_get_entry(gps, static_cast<ExifTag>(tag_of_side));
  const bool usable = angle && angle->data && angle->format == EXIF_FORMAT_RATIONAL &&
                      angle->components >= 3 && angle->size >= 24 && side && side->data &&
                      side->size >= 1;
  if (!usable) return unknown;
  double sum = 0, unit = 1;
  for (int k = 0; k < 3; ++k, unit /= 60) {
    const ExifRational part =
        exif_get_rational(angle->data + 8 * k, exif_data_get_byte_order(data));
    if (part.denominator == 0) return unknown;
    sum += unit * double(part.numerator) / part.denominator;
  }
  return side->data[0] == negative ? -sum : sum;
}

std::optional<GeoPosition> position(ExifData* data) {
  const GeoPosition p{degrees(data, EXIF_TAG_GPS_LATITUDE, EXIF_TAG_GPS_LATITUDE_REF, 'S'),
                      degrees(data, EXIF_TAG_GPS_LONGITUDE, EXIF_TAG_GPS_LONGITUDE_REF, 'W')};
  if (!(std::abs(p.latitude_deg) <= 90) || !(std::abs(p.longitude_deg) <= 180)) return {};
  return p;
}

}  // namespace

double focal_px(const Exif& exif, double width, double height) {
  // The equivalent on film compares diagonals (CIPA DCG-001).
  if (exif.focal_on_film_mm > 0) {
    return exif.focal_on_film_mm * std::hypot(width, height) / std::hypot(36.0, 24.0);
  }
  // The resolution is the recorded picture's, which programs that resize keep beside a new size.
  const double resized =
      exif.recorded_side > 0 ? std::max(width, height) / exif.recorded_side : 1.0;
  return exif.focal_mm * exif.pixels_a_mm * resized;
}

Exif parse_exif(std::string_view block) {
  const std::unique_ptr<ExifData, decltype(&exif_data_unref)> data(exif_data_new(),
                                                                   exif_data_unref);
  if (!data || !block.starts_with(kExifStart)) return {};
  // Else entries that the standard wants are made up.
  exif_data_unset_option(data.get(), EXIF_DATA_OPTION_FOLLOW_SPECIFICATION);
  exif_data_load_data(data.get(), reinterpret_cast<const unsigned char*>(block.data()),
                      static_cast<unsigned>(block.size()));
  const auto of_camera = [&](ExifTag tag) { return number(data.get(), EXIF_IFD_EXIF, tag); };
  const double orientation = number(data.get(), EXIF_IFD_0, EXIF_TAG_ORIENTATION);
  return {.orientation = orientation >= 1 && orientation <= 8 ? int(orientation) : 1,
          .focal_on_film_mm = of_camera(EXIF_TAG_FOCAL_LENGTH_IN_35MM_FILM),
          .focal_mm = of_camera(EXIF_TAG_FOCAL_LENGTH),
          .pixels_a_mm = of_camera(EXIF_TAG_FOCAL_PLANE_X_RESOLUTION) /
                         unit_mm(of_camera(EXIF_TAG_FOCAL_PLANE_RESOLUTION_UNIT)),
          .recorded_side = std::max(of_camera(EXIF_TAG_PIXEL_X_DIMENSION),
                                    of_camera(EXIF_TAG_PIXEL_Y_DIMENSION)),
          .make = text(data.get(), EXIF_TAG_MAKE),
          .model = text(data.get(), EXIF_TAG_MODEL),
          .position = position(data.get())};
}

}  // namespace io

std::optional<Intrinsics> intrinsics_from_exif(const std::filesystem::path& jpeg) {
  return exif_intrinsics(read_file(jpeg, kMaxPictureBytes));
}

std::optional<Intrinsics> exif_intrinsics(std::string_view bytes) {
  const auto head = io::read_jpeg_head(bytes);
  if (!head) return {};
  const io::Exif exif = io::parse_exif(head->exif);
  double width = head->width, height = head->height;
  if (exif.orientation >= 5) std::swap(width, height);
  const double focal = io::focal_px(exif, width, height);
  if (!(focal > 0) || !std::isfinite(focal)) return {};
  return Intrinsics{focal, focal, (width - 1) / 2, (height - 1) / 2};
}

}  // namespace bifocal
