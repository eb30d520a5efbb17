// SPDX-License-Identifier: BSD-3-Clause
// Decodes Netpbm's PGM and PPM, plain (P2, P3) and binary (P5, P6).
#include "io/decode.hpp"
#include "io/reject.hpp"

namespace bifocal::io {
namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

class PnmReader {
 public:
  PnmReader(std::string_view bytes, std::string_view name) : bytes_(bytes), name_(name) {}

  // Returns the next decimal number. Skips blanks and comments (# to the end of the
  // line) before it.
  int number(std::string_view what, int maximum) {
    skip_blanks();
    if (at_ == bytes_.size()) reject(name_, "truncated PNM: no {}", what);
    std::int64_t value = 0;
    const std::size_t begin = at_;
    while (at_ < bytes_.size() && bytes_[at_] >= '0' && bytes_[at_] <= '9') {
      value = value * 10 + (bytes_[at_++] - '0');
      if (value > maximum) reject(name_, "PNM: {} is above {}", what, maximum);
    }
    if (at_ == begin) {
      reject(name_, "PNM: {} is not a number but byte {:#04x} at offset {}", what,
             static_cast<unsigned char>(bytes_[at_]), at_);
    }
    return int(value);
  }

  // Returns the raster, which follows a single blank after the header.
  std::string_view raster() {
    if (at_ == bytes_.size() || !is_space(bytes_[at_])) {
      reject(name_, "truncated PNM: no blank after the header");
    }
    return bytes_.substr(at_ + 1);
  }

 private:
  void skip_blanks() {
    while (at_ < bytes_.size()) {
      if (bytes_[at_] == '#') {
        while (at_ < bytes_.size() && bytes_[at_] != '\n') ++at_;
      } else if (is_space(bytes_[at_])) {
        ++at_;
      } else {
        return;
      }
    }
  }

  std::string_view bytes_, name_;
  std::size_t at_ = 2;  // after the magic number
};

template <class T>
void read_binary(std::string_view raster, std::string_view name, int maximum, Image<T>& image) {
  for (std::size_t i = 0; i < image.pixels.size(); ++i) {
    unsigned value = 0;
    for (std::size_t b = 0; b < sizeof(T); ++b) {  // most significant byte first
      value = value << 8 | static_cast<unsigned char>(raster[i * sizeof(T) + b]);
    }
    if (value > unsigned(maximum)) {
      reject(name, "PNM: sample {} is {}, above the maximum {}", i, value, maximum);
    }
    image.pixels[i] = T(value);
  }
}

template <class T>
void read_raster(PnmReader& reader, std::string_view name, bool plain, int maximum, int width,
                 int height, int channels, Image<T>& image) {
  const std::int64_t samples = std::int64_t{width} * height * channels;
  const std::string_view raster = reader.raster();
  // A plain sample takes at least a digit and a blank; the last sample needs no blank.
  const std::int64_t needed = plain ? 2 * samples - 1 : samples * std::int64_t(sizeof(T));
  if (std::int64_t(raster.size()) < needed) {
    reject(name, "truncated PNM: {} x {} x {} samples need {} bytes, {} are there", width, height,
           channels, needed, raster.size());
  }
  image = Image<T>(width, height, channels);
  if (!plain) return read_binary(raster, name, maximum, image);
  for (T& sample : image.pixels) sample = T(reader.number("a sample", maximum));
}

}  // namespace

bool is_pnm(std::string_view bytes) {
  return bytes.size() >= 2 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '7';
}

Decoded decode_pnm(std::string_view bytes, std::string_view name, std::int64_t max_pixels) {
  const char kind = bytes[1];
  if (kind == '1' || kind == '4' || kind == '7') {
    reject(name, "netpbm format P{} is not supported, only P2, P3, P5 and P6", kind);
  }
  PnmReader reader(bytes, name);
  const int width = reader.number("width", 1 << 30);
  const int height = reader.number("height", 1 << 30);
  check_size(width, height, name, max_pixels);
  const int maximum = reader.number("maximum", 65535);
  if (maximum == 0) reject(name, "PNM: the maximum is 0");
  const bool plain = kind == '2' || kind == '3';
  const int channels = kind == '3' || kind == '6' ? 3 : 1;
  Decoded result;
  result.maximum = maximum;
  if (maximum > 255) {
    read_raster(reader, name, plain, maximum, width, height, channels, result.deep);
  } else {
    read_raster(reader, name, plain, maximum, width, height, channels, result.shallow);
  }
  return result;
}

}  // namespace bifocal::io
