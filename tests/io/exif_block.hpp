// SPDX-License-Identifier: BSD-3-Clause
// EXIF blocks written by hand, and JPEG files that contain them.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bifocal::test {

// Tags for the block of a test; a tag of 0 is left out.
struct ExifTags {
  int orientation = 0;
  int focal_on_film_mm = 0;
  double focal_mm = 0, pixels_a_unit = 0;
  int unit = 0;
  int width = 0;  // image width in px at the time of exposure
  std::string make = {}, model = {};
  // Degrees, minutes, seconds and N or S, E or W.
  std::vector<double> latitude = {}, longitude = {};
  char north = 'N', east = 'E';
  std::optional<double> altitude = {};  // m; negative: below sea level; NaN: 0 / 0
  double horizontal_error = 0;          // m
};

class ExifBlock {
 public:
  explicit ExifBlock(bool big_endian) : big_(big_endian) {}

  [[nodiscard]] std::string write(const ExifTags& tags) {
    std::vector<Entry> first, camera, gps;
    if (!tags.make.empty()) first.push_back({.tag = 0x10F, .type = kAscii, .text = tags.make});
    if (!tags.model.empty()) first.push_back({.tag = 0x110, .type = kAscii, .text = tags.model});
    if (tags.orientation) first.push_back({0x112, kShort, std::uint32_t(tags.orientation)});
    if (tags.focal_mm > 0) camera.push_back(rational(0x920A, {tags.focal_mm}));
    if (tags.width) camera.push_back({0xA002, kLong, std::uint32_t(tags.width)});
    if (tags.pixels_a_unit > 0) camera.push_back(rational(0xA20E, {tags.pixels_a_unit}));
    if (tags.unit) camera.push_back({0xA210, kShort, std::uint32_t(tags.unit)});
    if (tags.focal_on_film_mm) {
      camera.push_back({0xA405, kShort, std::uint32_t(tags.focal_on_film_mm)});
    }
    if (!tags.latitude.empty()) {
      gps.push_back({.tag = 1, .type = kAscii, .text = std::string(1, tags.north)});
      gps.push_back(rational(2, tags.latitude));
      gps.push_back({.tag = 3, .type = kAscii, .text = std::string(1, tags.east)});
      gps.push_back(rational(4, tags.longitude));
    }
    if (tags.altitude) {
      gps.push_back({5, kByte, *tags.altitude < 0 ? 1U : 0U});
      gps.push_back(rational(6, {std::abs(*tags.altitude)}));
    }
    if (tags.horizontal_error > 0) gps.push_back(rational(0x1F, {tags.horizontal_error}));
    first.push_back({0x8769, kLong, 0});
    if (!gps.empty()) first.push_back({0x8825, kLong, 0});
    const auto behind = std::uint32_t(8 + size_of(first));
    first[first.size() - (gps.empty() ? 1 : 2)].value = behind;
    if (!gps.empty()) first.back().value = behind + std::uint32_t(size_of(camera));
    bytes_ = big_ ? "MM" : "II";
    number(42, 2);
    number(8, 4);
    directory(first);
    directory(camera);
    if (!gps.empty()) directory(gps);
    return std::string("Exif\0\0", 6) + bytes_;
  }

 private:
  static constexpr std::uint32_t kByte = 1, kAscii = 2, kShort = 3, kLong = 4, kRational = 5;
  struct Entry {
    std::uint32_t tag, type, value = 0;
    std::vector<double> rationals = {};
    std::string text = {};

    [[nodiscard]] std::size_t count() const {
      return type == kAscii ? text.size() + 1 : type == kRational ? rationals.size() : 1;
    }
    // Size of the values that do not fit the entry's own four bytes and are stored after
    // the directory.
    [[nodiscard]] std::size_t outside() const {
      const std::size_t size = type == kAscii ? count() : type == kRational ? 8 * count() : 4;
      return size > 4 ? size : 0;
    }
  };
  static Entry rational(std::uint32_t tag, std::vector<double> values) {
    return {.tag = tag, .type = kRational, .rationals = std::move(values)};
  }
  static std::size_t size_of(const std::vector<Entry>& entries) {
    std::size_t size = 2 + 12 * entries.size() + 4;
    for (const Entry& e : entries) size += e.outside();
    return size;
  }

  void number(std::uint32_t value, int size) {
    for (int i = 0; i < size; ++i) {
      bytes_.push_back(char(value >> 8 * (big_ ? size - 1 - i : i) & 0xff));
    }
  }
  void directory(const std::vector<Entry>& entries) {
    std::size_t at = bytes_.size() + 2 + 12 * entries.size() + 4;  // offset of the next value
    number(std::uint32_t(entries.size()), 2);
    for (const Entry& e : entries) {
      number(e.tag, 2);
      number(e.type, 2);
      number(std::uint32_t(e.count()), 4);
      if (e.outside() > 0) {
        number(std::uint32_t(at), 4);
      } else if (e.type == kAscii) {
        bytes_ += (e.text + std::string(4, '\0')).substr(0, 4);
      } else {
        const int size = e.type == kByte ? 1 : e.type == kShort ? 2 : 4;
        number(e.value, size);
        number(0, 4 - size);
      }
      at += e.outside();
    }
    number(0, 4);  // no directory follows
    for (const Entry& e : entries) {
      if (e.outside() == 0) continue;
      if (e.type == kAscii) bytes_ += e.text + '\0';
      for (const double value : e.rationals) {
        number(std::isnan(value) ? 0 : std::uint32_t(value * 1000 + 0.5), 4);
        number(std::isnan(value) ? 0 : 1000, 4);
      }
    }
  }

  bool big_;
  std::string bytes_;
};

inline std::string exif_block(const ExifTags& tags, bool big_endian = false) {
  return ExifBlock(big_endian).write(tags);
}

// Returns an XMP block with these attributes of a description.
inline std::string xmp_block(const std::string& attributes) {
  return std::string("http://ns.adobe.com/xap/1.0/\0", 29) +
         "<?xpacket begin='' id='W5M0MpCehiHzreSzNTczkc9d'?><x:xmpmeta xmlns:x='adobe:ns:meta/'>"
         "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description "
         "xmlns:drone-dji='http://www.dji.com/drone-dji/1.0/' " +
         attributes + "/></rdf:RDF></x:xmpmeta><?xpacket end='w'?>";
}

// Inserts the block as an APP1 segment in front of all segments of the JPEG.
inline std::string with_exif(const std::string& jpeg, const std::string& block) {
  const std::size_t size = block.size() + 2;
  return jpeg.substr(0, 2) + "\xff\xe1" + char(size >> 8) + char(size & 0xff) + block +
         jpeg.substr(2);
}

}  // namespace bifocal::test
