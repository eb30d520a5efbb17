// SPDX-License-Identifier: BSD-3-Clause
// Portable float map: "Pf", width, height, scale (negative: little endian), followed by the rows
// from bottom to top.
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include "io/decode.hpp"
#include "io/reject.hpp"

namespace bifocal {
namespace io {
namespace {

std::string_view next_word(std::string_view bytes, std::size_t& at) {
  const auto blank = [&](std::size_t i) {
    return bytes[i] == ' ' || (bytes[i] >= '\t' && bytes[i] <= '\r');
  };
  while (at < bytes.size() && blank(at)) ++at;
  const std::size_t begin = at;
  while (at < bytes.size() && at - begin < 64 && !blank(at)) ++at;
  return bytes.substr(begin, at - begin);
}

template <class Number>
Number number(std::string_view word, std::string_view what, std::string_view name) {
  Number value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) {
    reject(name, "PFM: {} is \"{}\", not a number", what, printable(word));
  }
  return value;
}

std::uint32_t swap_bytes(std::uint32_t v) {
  return v >> 24 | (v >> 8 & 0xff00u) | (v << 8 & 0xff0000u) | v << 24;
}

}  // namespace

ImageF decode_pfm(std::string_view bytes, std::string_view name, std::int64_t max_pixels) {
  std::size_t at = 0;
  const std::string_view magic = next_word(bytes, at);
  if (magic == "PF") reject(name, "PFM of three channels (PF): only one (Pf) is supported");
  if (magic != "Pf") reject(name, "is not a PFM file: it starts with \"{}\"", printable(magic));
  const auto width = number<int>(next_word(bytes, at), "width", name);
  const auto height = number<int>(next_word(bytes, at), "height", name);
  check_size(width, height, name, max_pixels);
  const auto scale = number<double>(next_word(bytes, at), "scale", name);
  if (!std::isfinite(scale) || scale == 0) reject(name, "PFM: scale is {}", scale);
  // A single blank ends the header; its line may end with CR LF.
  if (bytes.substr(at, 2) == "\r\n") ++at;
  const std::size_t row_bytes = std::size_t(width) * 4;
  if (at == bytes.size() || bytes.size() - at - 1 < row_bytes * std::size_t(height)) {
    reject(name, "truncated PFM: {} x {} floats need {} bytes, {} are there", width, height,
           row_bytes * std::size_t(height), bytes.size() - std::min(at + 1, bytes.size()));
  }
  ++at;
  ImageF image(width, height);
  for (int y = 0; y < height; ++y) {
    std::memcpy(image.row(height - 1 - y), bytes.data() + at + row_bytes * std::size_t(y),
                row_bytes);
  }
  if ((scale < 0) != (std::endian::native == std::endian::little)) {
    for (float& v : image.pixels)
      v = std::bit_cast<float>(swap_bytes(std::bit_cast<std::uint32_t>(v)));
  }
  return image;
}

}  // namespace io

ImageF read_pfm(const std::filesystem::path& file) {
  return io::decode_pfm(read_file(file, 4 * kMaxImagePixels + 1024), file.string(),
                        kMaxImagePixels);
}

void write_pfm(const std::filesystem::path& file, ImageView<const float> image) {
  if (!image.data || image.empty() || image.channels != 1) {
    throw Error(ErrorCode::usage,
                fmt::format("write_pfm: can't write a map of {} x {} pixels, {} channels",
                            image.width, image.height, image.channels));
  }
  std::string bytes = fmt::format("Pf\n{} {}\n{}\n", image.width, image.height,
                                  std::endian::native == std::endian::little ? "-1.0" : "1.0");
  for (int y = image.height - 1; y >= 0; --y) {
    bytes.append(reinterpret_cast<const char*>(image.row(y)), std::size_t(image.width) * 4);
  }
  write_file(file, bytes);
}

}  // namespace bifocal
