// SPDX-License-Identifier: BSD-3-Clause
// Sizes and EXIF orientations of image files, from their headers.
#include <fstream>

#include "io/decode.hpp"
#include "io/exif.hpp"
#include "io/regular_file.hpp"

namespace bifocal::io {
namespace {

std::size_t big_endian(std::string_view bytes, std::size_t at) {
  std::size_t value = 0;
  for (std::size_t k = 0; k < 4; ++k)
    value = value << 8 | static_cast<unsigned char>(bytes[at + k]);
  return value;
}

std::optional<PictureHead> head_of(std::string_view bytes) {
  if (auto head = read_head_with_exif(bytes)) return head;
  if (auto head = read_png_head(bytes)) return head;
  const ClaimedSize size = claimed_size(bytes);
  constexpr std::int64_t kMostSide = 1 << 30;
  if (size.width < 1 || size.height < 1 || size.width > kMostSide || size.height > kMostSide)
    return {};
  return PictureHead{static_cast<int>(size.width), static_cast<int>(size.height), {}};
}

}  // namespace

// A PNG is a signature of 8 bytes and chunks: length, name, data, checksum.
std::optional<PictureHead> read_png_head(std::string_view bytes) {
  constexpr std::size_t kFirst = 8, kFrame = 12;
  if (!is_png(bytes) || bytes.size() < kFirst + kFrame + 13) return {};
  PictureHead head{static_cast<int>(big_endian(bytes, 16) & 0x7fffffff),
                   static_cast<int>(big_endian(bytes, 20) & 0x7fffffff),
                   {}};
  for (std::size_t at = kFirst; at + kFrame <= bytes.size();) {
    const std::size_t size = big_endian(bytes, at);
    if (size > bytes.size() - at - kFrame) break;
    if (bytes.substr(at + 4, 4) == "eXIf")
      head.exif = parse_exif(std::string(kExifStart).append(bytes.substr(at + 8, size)));
    at += kFrame + size;
  }
  return head;
}

std::optional<PictureHead> read_head(const std::filesystem::path& file) {
  constexpr std::size_t kStart = std::size_t{1} << 18;
  require_regular(file);
  std::string bytes(kStart, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(in.gcount()));
  const auto head = head_of(bytes);
  if (head || bytes.size() < kStart) return head;
  return head_of(read_file(file, kMaxImageBytes));
}

}  // namespace bifocal::io
