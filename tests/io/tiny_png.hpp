// SPDX-License-Identifier: BSD-3-Clause
// PNG files written by hand (stored deflate blocks), for layouts that our writer does not make.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bifocal::test {

inline std::string big_endian(std::uint32_t v) {
  return {char(v >> 24), char(v >> 16), char(v >> 8), char(v)};
}

inline std::string png_chunk(std::string_view type, std::string_view data) {
  const std::string body = std::string(type) + std::string(data);
  std::uint32_t crc = ~0u;
  for (const char c : body) {
    crc ^= static_cast<unsigned char>(c);
    for (int k = 0; k < 8; ++k) crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
  }
  return big_endian(std::uint32_t(data.size())) + body + big_endian(~crc);
}

// `raw`: rows with their filter bytes, below 65536 bytes; `extra`: chunks before the pixels.
inline std::string tiny_png(std::uint32_t width, std::uint32_t height, int bits, int colour_type,
                            const std::string& raw, const std::string& extra = "",
                            bool interlaced = false) {
  std::uint32_t a = 1, b = 0;  // Adler-32
  for (const char c : raw) {
    a = (a + static_cast<unsigned char>(c)) % 65521;
    b = (b + a) % 65521;
  }
  const std::uint32_t n = std::uint32_t(raw.size());
  std::string stream = "\x78\x01\x01";
  for (const std::uint32_t v : {n, ~n}) {
    stream.push_back(char(v));
    stream.push_back(char(v >> 8));
  }
  stream += raw + big_endian(b << 16 | a);
  const std::string header = big_endian(width) + big_endian(height) + char(bits) +
                             char(colour_type) + std::string(2, '\0') + char(interlaced);
  return "\x89PNG\r\n\x1a\n" + png_chunk("IHDR", header) + extra + png_chunk("IDAT", stream) +
         png_chunk("IEND", "");
}

}  // namespace bifocal::test
