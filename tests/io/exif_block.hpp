// SPDX-License-Identifier: BSD-3-Clause
// EXIF blocks written by hand, and JPEGs that have one.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bifocal::test {

// What a test wants in the block; 0: not there.
struct ExifTags {
  int orientation = 0;
  int focal_on_film_mm = 0;
  double focal_mm = 0, pixels_a_unit = 0;
  int unit = 0;
  int width = 0;  // of the picture when it was taken
};

class ExifBlock {
 public:
  explicit ExifBlock(bool big_endian) : big_(big_endian) {}

  [[nodiscard]] std::string write(const ExifTags& tags) {
    std::vector<Entry> first, camera;
    if (tags.orientation) first.push_back({0x112, kShort, std::uint32_t(tags.orientation)});
    if (tags.focal_mm > 0) camera.push_back({0x920A, kRational, 0, tags.focal_mm});
    if (tags.width) camera.push_back({0xA002, kLong, std::uint32_t(tags.width)});
    if (tags.pixels_a_unit > 0) camera.push_back({0xA20E, kRational, 0, tags.pixels_a_unit});
    if (tags.unit) camera.push_back({0xA210, kShort, std::uint32_t(tags.unit)});
    if (tags.focal_on_film_mm) {
      camera.push_back({0xA405, kShort, std::uint32_t(tags.focal_on_film_mm)});
    }
    const auto behind = std::uint32_t(8 + 2 + 12 * (first.size() + 1) + 4);
    first.push_back({0x8769, kLong, behind});
    bytes_ = big_ ? "MM" : "II";
    number(42, 2);
    number(8, 4);
    directory(first);
    directory(camera);
    return std::string("Exif\0\0", 6) + bytes_;
  }

 private:
  static constexpr std::uint32_t kShort = 3, kLong = 4, kRational = 5;
  struct Entry {
    std::uint32_t tag, type, value;
    double rational = 0;
  };

  void number(std::uint32_t value, int size) {
    for (int i = 0; i < size; ++i) {
      bytes_.push_back(char(value >> 8 * (big_ ? size - 1 - i : i) & 0xff));
    }
  }
  void directory(const std::vector<Entry>& entries) {
    std::size_t at = bytes_.size() + 2 + 12 * entries.size() + 4;  // of the next rational
    number(std::uint32_t(entries.size()), 2);
    for (const Entry& e : entries) {
      number(e.tag, 2);
      number(e.type, 2);
      number(1, 4);
      if (e.type == kShort) number(e.value, 2);
      number(e.type == kShort  ? 0
             : e.type == kLong ? e.value
                               : std::uint32_t(at),
             e.type == kShort ? 2 : 4);
      if (e.type == kRational) at += 8;
    }
    number(0, 4);  // no directory follows
    for (const Entry& e : entries) {
      if (e.type != kRational) continue;
      number(std::uint32_t(e.rational * 1000), 4);
      number(1000, 4);
    }
  }

  bool big_;
  std::string bytes_;
};

inline std::string exif_block(const ExifTags& tags, bool big_endian = false) {
  return ExifBlock(big_endian).write(tags);
}

// The JPEG with the block in an APP1 segment in front of all others.
inline std::string with_exif(const std::string& jpeg, const std::string& block) {
  const std::size_t size = block.size() + 2;
  return jpeg.substr(0, 2) + "\xff\xe1" + char(size >> 8) + char(size & 0xff) + block +
         jpeg.substr(2);
}

}  // namespace bifocal::test
