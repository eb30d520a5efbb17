// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <limits>

#include "io/decode.hpp"
#include "io/reject.hpp"

namespace bifocal {
namespace {

constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();

void check_map(ImageView<const float> map, const char* function) {
  if (!map.data || map.empty() || map.channels != 1) {
    throw Error(ErrorCode::usage,
                fmt::format("{}: can't write a disparity map of {} x {} pixels, {} channels",
                            function, map.width, map.height, map.channels));
  }
}

}  // namespace

void write_disparity_pfm(const std::filesystem::path& file, ImageView<const float> disparity) {
  check_map(disparity, "write_disparity_pfm");
  ImageF out(disparity.width, disparity.height);
  for (int y = 0; y < out.height; ++y) {
    for (int x = 0; x < out.width; ++x) {
      const float d = disparity.at(x, y);
      out.at(x, y) = std::isfinite(d) ? d : std::numeric_limits<float>::infinity();
    }
  }
  write_pfm(file, out);
}

std::int64_t write_disparity_png16(const std::filesystem::path& file,
                                   ImageView<const float> disparity) {
  check_map(disparity, "write_disparity_png16");
  ImageU16 out(disparity.width, disparity.height);
  std::int64_t lost = 0;
  for (int y = 0; y < out.height; ++y) {
    for (int x = 0; x < out.width; ++x) {
      const float d = disparity.at(x, y);
      if (!std::isfinite(d)) continue;
      const double value = std::floor(256.0 * double(d) + 0.5);
      if (value >= 1 && value <= 65535) {
        out.at(x, y) = std::uint16_t(value);
      } else {
        ++lost;
      }
    }
  }
  write_png(file, out);
  return lost;
}

ImageF read_disparity(const std::filesystem::path& file, double scale) {
  if (!(scale > 0) || !std::isfinite(scale)) {
    throw Error(ErrorCode::usage,
                fmt::format("read_disparity: {}: scale {} is not positive", file.string(), scale));
  }
  const std::string bytes = read_file(file, 8 * kMaxImagePixels + (1 << 20));
  const std::string name = file.string();
  if (bytes.starts_with("Pf") || bytes.starts_with("PF")) {
    ImageF map = io::decode_pfm(bytes, name, kMaxImagePixels);
    for (float& d : map.pixels) d = std::isfinite(d) ? d : kUnknown;
    return map;
  }
  const ImageU16 samples = io::decode_samples(bytes, name, kMaxImagePixels);
  if (samples.channels != 1) {
    io::reject(name, "disparity image has {} channels, not 1", samples.channels);
  }
  ImageF map(samples.width, samples.height);
  for (std::size_t i = 0; i < map.pixels.size(); ++i) {
    map.pixels[i] = samples.pixels[i] ? float(samples.pixels[i] / scale) : kUnknown;
  }
  return map;
}

}  // namespace bifocal
