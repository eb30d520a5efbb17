// SPDX-License-Identifier: BSD-3-Clause
// Conversion between UTF-8 and the UTF-32 that numpy stores. Surrogates and values above
// U+10FFFF are invalid.
#include <algorithm>
#include <optional>

#include <bifocal/io.hpp>

#include "io/little_endian.hpp"
#include "io/npy.hpp"

namespace bifocal::io {
namespace {

bool is_character(std::uint64_t c) { return c <= 0x10ffff && (c < 0xd800 || c > 0xdfff); }

void append_utf8(std::string& text, std::uint64_t c) {
  const auto tail = [&](int shift) { text.push_back(char(0x80 | (c >> shift & 0x3f))); };
  if (c < 0x80) {
    text.push_back(char(c));
  } else if (c < 0x800) {
    text.push_back(char(0xc0 | c >> 6));
    tail(0);
  } else if (c < 0x10000) {
    text.push_back(char(0xe0 | c >> 12));
    tail(6);
    tail(0);
  } else {
    text.push_back(char(0xf0 | c >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

// Takes the leading character from the text; returns nullopt and takes none if it is invalid.
std::optional<std::uint64_t> take_character(std::string_view& text) {
  const unsigned first = static_cast<unsigned char>(text[0]);
  const std::size_t size = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  std::uint64_t c = size == 1 ? first : first & (0xffu >> (size + 1));
  for (std::size_t i = 1; i < std::min(size, text.size()); ++i) {
    c = c << 6 | (static_cast<unsigned char>(text[i]) & 0x3f);
  }
  // The character is encoded again and compared, so that only valid UTF-8 of the shortest
  // form is accepted.
  std::string again;
  if (is_character(c)) append_utf8(again, c);
  if (again.empty() || text.substr(0, size) != again) return std::nullopt;
  text.remove_prefix(size);
  return c;
}

}  // namespace

std::optional<std::string> utf8_from_utf32(std::string_view bytes) {
  while (bytes.size() >= 4 && little(bytes, bytes.size() - 4, 4) == 0) bytes.remove_suffix(4);
  std::string text;
  for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4) {
    const std::uint64_t c = little(bytes, at, 4);
    if (!is_character(c)) return std::nullopt;
    append_utf8(text, c);
  }
  return text;
}

std::optional<std::string> utf32_from_utf8(std::string_view text) {
  std::string bytes;
  while (!text.empty()) {
    const auto c = take_character(text);
    if (!c) return std::nullopt;
    append_little(bytes, *c, 4);
  }
  return bytes;
}

}  // namespace bifocal::io

namespace bifocal {

std::string valid_utf8(std::string_view text) {
  std::string valid;
  while (!text.empty()) {
    const std::string_view before = text;
    if (io::take_character(text)) {
      valid += before.substr(0, before.size() - text.size());
    } else {
      valid += "\xef\xbf\xbd";
      text.remove_prefix(1);
    }
  }
  return valid;
}

}  // namespace bifocal
