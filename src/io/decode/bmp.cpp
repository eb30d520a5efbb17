// SPDX-License-Identifier: BSD-3-Clause
// Decoder of uncompressed Windows bitmaps with 8 bits per pixel and a palette, 24 or 32 bits. The
// fourth byte of 32 bits is ignored.
#include <cstdlib>

#include "io/decode.hpp"
#include "io/reject.hpp"

namespace bifocal::io {
namespace {

constexpr std::size_t kFileHeader = 14, kInfoHeader = 40;

std::uint32_t number(std::string_view bytes, std::size_t at, int size) {
  std::uint32_t value = 0;
  for (int k = size - 1; k >= 0; --k)
    value = value << 8 | static_cast<unsigned char>(bytes[at + std::size_t(k)]);
  return value;
}

struct Header {
  std::size_t pixels, palette;  // offsets in the file
  std::int64_t width, height;
  std::uint32_t bits, compression, colours;
  bool is_from_top;
};

std::optional<Header> read_header(std::string_view bytes) {
  if (!is_bmp(bytes)) return {};
  const std::uint32_t size = number(bytes, 14, 4);
  const auto height = static_cast<std::int32_t>(number(bytes, 22, 4));
  Header h{.pixels = number(bytes, 10, 4),
           .palette = kFileHeader + size,
           .width = static_cast<std::int32_t>(number(bytes, 18, 4)),
           .height = std::abs(std::int64_t{height}),
           .bits = number(bytes, 28, 2),
           .compression = number(bytes, 30, 4),
           .colours = number(bytes, 46, 4),
           .is_from_top = height < 0};
  if (size < kInfoHeader || h.width <= 0 || h.height == 0) return {};
  return h;
}

bool is_supported(std::string_view bytes, const Header& h) {
  constexpr std::uint32_t kNone = 0, kMasks = 3;
  const bool has_usual_masks = h.bits == 32 && h.compression == kMasks && bytes.size() >= 66 &&
                               number(bytes, 54, 4) == 0xff0000 && number(bytes, 58, 4) == 0xff00 &&
                               number(bytes, 62, 4) == 0xff;
  return (h.compression == kNone && (h.bits == 8 || h.bits == 24 || h.bits == 32)) ||
         has_usual_masks;
}

}  // namespace

bool is_bmp(std::string_view bytes) {
  return bytes.size() >= kFileHeader + kInfoHeader && bytes.starts_with("BM") &&
         number(bytes, 6, 4) == 0;
}

std::optional<PictureHead> read_bmp_head(std::string_view bytes) {
  const auto h = read_header(bytes);
  if (!h || h->height >> 31 != 0) return {};
  return PictureHead{int(h->width), int(h->height)};
}

Decoded decode_bmp(std::string_view bytes, std::string_view name, std::int64_t max_pixels) {
  const auto h = read_header(bytes);
  if (!h) reject(name, "damaged BMP: its header is not valid");
  check_size(h->width, h->height, name, max_pixels);
  if (!is_supported(bytes, *h))
    reject(name,
           "BMP with {} bits a pixel and compression {} is not supported; uncompressed files "
           "of 8, 24 or 32 bits are",
           h->bits, h->compression);
  const std::size_t bytes_a_pixel = h->bits / 8;
  const std::size_t row_bytes = (std::size_t(h->width) * bytes_a_pixel + 3) / 4 * 4;
  const std::size_t colours = h->bits != 8 ? 0 : h->colours > 0 ? h->colours : 256;
  if (colours > 256 || h->palette + 4 * colours > bytes.size() || h->pixels > bytes.size() ||
      (bytes.size() - h->pixels) / row_bytes < std::size_t(h->height))
    reject(name, "damaged BMP: {} bytes can't hold {} x {} pixels", bytes.size(), h->width,
           h->height);
  Decoded result;
  result.shallow = ImageU8(int(h->width), int(h->height), 3);
  for (int y = 0; y < result.shallow.height; ++y) {
    const auto row = std::size_t(h->is_from_top ? y : result.shallow.height - 1 - y);
    for (int x = 0; x < result.shallow.width; ++x) {
      std::size_t at = h->pixels + row * row_bytes + std::size_t(x) * bytes_a_pixel;
      if (h->bits == 8) {
        const auto index = static_cast<unsigned char>(bytes[at]);
        if (index >= colours) reject(name, "damaged BMP: colour {} of {}", index, colours);
        at = h->palette + 4 * std::size_t{index};
      }
      for (int c = 0; c < 3; ++c)  // stored as blue, green, red
        (&result.shallow.at(x, y))[c] = static_cast<std::uint8_t>(bytes[at + std::size_t(2 - c)]);
    }
  }
  return result;
}

}  // namespace bifocal::io
