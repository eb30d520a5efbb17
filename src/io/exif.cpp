// SPDX-License-Identifier: BSD-3-Clause
// Focal length from the EXIF block (CIPA DC-008) of a JPEG: markers up to the frame header, which
// has the size; in the APP1 segment a TIFF header, directory 0, and the EXIF directory it points
// to. Every offset is checked; at most two directories are visited, so there are no loops.
#include <cmath>

#include "io/parse.hpp"

namespace bifocal {
namespace io {
namespace {

// Bytes with an order; reads outside give 0.
class TiffView {
 public:
  TiffView(std::string_view bytes, bool little) : bytes_(bytes), little_(little) {}
  [[nodiscard]] std::uint32_t number(std::size_t at, std::size_t size) const {
    if (at > bytes_.size() || bytes_.size() - at < size) return 0;
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t from = little_ ? at + size - 1 - i : at + i;
      value = value << 8 | static_cast<unsigned char>(bytes_[from]);
    }
    return value;
  }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }

 private:
  std::string_view bytes_;
  bool little_;
};

enum Tag : std::uint32_t {
  kExifDirectory = 0x8769,
  kFocalLength = 0x920A,  // rational, mm
  kPixelWidth = 0xA002,   // short or long
  kPixelHeight = 0xA003,
  kFocalPlaneXResolution = 0xA20E,  // rational, pixels a unit
  kFocalPlaneUnit = 0xA210,         // short: 2 inch, 3 cm, 4 mm, 5 um
  kFocalLength35 = 0xA405,          // short, mm on 36 x 24 mm film
};

// Value of one entry of the directory at `at`; 0 where there is none, or it is of another type.
double entry(const TiffView& tiff, std::size_t at, Tag tag) {
  const std::uint32_t count = tiff.number(at, 2);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::size_t e = at + 2 + std::size_t{12} * i;
    if (e + 12 > tiff.size()) return 0;
    if (tiff.number(e, 2) != tag) continue;
    switch (tiff.number(e + 2, 2)) {
      case 3:
        return tiff.number(e + 8, 2);  // short
      case 4:
        return tiff.number(e + 8, 4);  // long
      case 5: {                        // rational
        const std::size_t value = tiff.number(e + 8, 4);
        const double denominator = tiff.number(value + 4, 4);
        return denominator > 0 ? tiff.number(value, 4) / denominator : 0;
      }
      default:
        return 0;
    }
  }
  return 0;
}

double unit_mm(double unit) {
  if (unit == 3) return 10;
  if (unit == 4) return 1;
  if (unit == 5) return 1e-3;
  return 25.4;  // the standard's default
}

// Focal length in px of a picture of width x height, 0 unknown.
double focal_px(std::string_view block, double width, double height) {
  const bool little = block.starts_with("II");
  const TiffView tiff(block, little);
  if ((!little && !block.starts_with("MM")) || tiff.number(2, 2) != 42) return 0;
  const auto exif = std::size_t(entry(tiff, tiff.number(4, 4), kExifDirectory));
  if (exif == 0) return 0;
  // The 35 mm equivalent compares diagonals (CIPA DCG-001).
  if (const double film = entry(tiff, exif, kFocalLength35); film > 0) {
    return film * std::hypot(width, height) / std::hypot(36.0, 24.0);
  }
  const double focal_mm = entry(tiff, exif, kFocalLength);
  const double pixels_a_mm =
      entry(tiff, exif, kFocalPlaneXResolution) / unit_mm(entry(tiff, exif, kFocalPlaneUnit));
  // The resolution is the recorded picture's, which programs that resize keep beside a new size.
  const double recorded = std::max(entry(tiff, exif, kPixelWidth), entry(tiff, exif, kPixelHeight));
  const double resized = recorded > 0 ? std::max(width, height) / recorded : 1.0;
  return focal_mm * pixels_a_mm * resized;
}

bool is_frame_header(unsigned marker) {  // SOF0..15 without DHT, JPG, DAC
  return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
}

}  // namespace

std::optional<Intrinsics> parse_exif(std::string_view jpeg) {
  const TiffView bytes(jpeg, false);
  if (bytes.number(0, 2) != 0xFFD8) return std::nullopt;
  std::string_view block;
  for (std::size_t at = 2; at + 4 <= jpeg.size();) {
    if (bytes.number(at, 1) != 0xFF) return std::nullopt;
    const unsigned marker = bytes.number(at + 1, 1);
    if (marker == 0xFF) {  // fill byte
      ++at;
      continue;
    }
    const std::size_t length = bytes.number(at + 2, 2);
    if (marker == 0xDA || length < 2 || length > jpeg.size() - at - 2) return std::nullopt;
    const std::string_view segment = jpeg.substr(at + 4, length - 2);
    constexpr std::string_view kExif("Exif\0\0", 6);
    if (marker == 0xE1 && block.empty() && segment.starts_with(kExif)) block = segment.substr(6);
    if (is_frame_header(marker)) {
      const double height = bytes.number(at + 5, 2), width = bytes.number(at + 7, 2);
      const double focal = focal_px(block, width, height);
      if (!(focal > 0) || !std::isfinite(focal) || width < 1 || height < 1) return std::nullopt;
      return Intrinsics{focal, focal, (width - 1) / 2, (height - 1) / 2};
    }
    at += 2 + length;
  }
  return std::nullopt;
}

}  // namespace io

std::optional<Intrinsics> intrinsics_from_exif(const std::filesystem::path& jpeg) {
  return exif_intrinsics(read_file(jpeg, kMaxPictureBytes));
}

std::optional<Intrinsics> exif_intrinsics(std::string_view bytes) { return io::parse_exif(bytes); }

}  // namespace bifocal
