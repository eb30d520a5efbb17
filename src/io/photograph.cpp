// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <bifocal/error.hpp>
#include <bifocal/io.hpp>

#include "io/decode.hpp"
#include "io/exif.hpp"

namespace bifocal {
namespace {

PhotographInfo info_of(const io::Exif& exif, int width, int height) {
  PhotographInfo info{.width = width, .height = height};
  info.position = exif.position;
  info.altitude_m = exif.altitude_m;
  info.position_deviations_m = exif.position_deviations_m;
  info.relative_altitude_m = exif.relative_altitude_m;
  info.gimbal = exif.gimbal;
  info.flight = exif.flight;
  const double mm = exif.focal_on_film_mm > 0 ? exif.focal_on_film_mm : exif.focal_mm;
  if (!exif.make.empty() && !exif.model.empty() && mm > 0)
    info.camera = fmt::format("{}-{}-{:g}-{}x{}", exif.make, exif.model, mm, width, height);
  io::FocalLength focal = io::focal_length(exif, width, height);
  if (focal.px > 0) info.focal_length = focal.px;
  if (exif.make.empty() && exif.model.empty())
    info.camera = fmt::format("{}{:g}-{}x{}", kUnknownCamera, focal.px, width, height);
  info.doubt = focal.doubt.empty() ? exif.doubt : std::move(focal.doubt);
  return info;
}

// Coverage along one side: pixel i of the reduced image covers [begin, end) of the full image.
struct Cover {
  int first;                   // first covered px
  std::vector<float> weights;  // of the px from `first` on, with sum 1
};
std::vector<Cover> covers(int large, int small) {
  const double scale = double(large) / small;
  std::vector<Cover> all(static_cast<std::size_t>(small));
  for (int i = 0; i < small; ++i) {
    const double begin = i * scale, end = std::min<double>(large, (i + 1) * scale);
    Cover& c = all[static_cast<std::size_t>(i)];
    c.first = static_cast<int>(begin);
    for (int k = c.first; k < large && k < end; ++k)
      c.weights.push_back(
          static_cast<float>((std::min(end, k + 1.0) - std::max(begin, double(k))) / scale));
  }
  return all;
}

}  // namespace

Photograph read_photograph(const std::filesystem::path& file) {
  return decode_photograph(read_file(file, kMaxImageBytes), file.string());
}

Photograph decode_photograph(std::string_view bytes, std::string_view name) {
  io::DecodedGrey in = io::decode_grey(bytes, name, kMaxImagePixels);
  const PhotographInfo info = info_of(in.exif, in.grey.width, in.grey.height);
  return {std::move(in.grey), info};
}

ReducedImage reduce_to(ImageU8 image, int side) {
  if (side < 1)
    throw Error(ErrorCode::usage, fmt::format("reduce_to: side = {}: must be at least 1", side));
  const int longer = std::max(image.width, image.height), channels = image.channels;
  if (longer <= side) return {std::move(image)};
  const auto reduced = [&](int of) {
    return std::max(1, static_cast<int>(std::lround(double(of) * side / longer)));
  };
  ReducedImage out{ImageU8(reduced(image.width), reduced(image.height), channels)};
  out.scale_x = double(image.width) / out.image.width;
  out.scale_y = double(image.height) / out.image.height;
  const std::vector<Cover> columns = covers(image.width, out.image.width);
  const std::vector<Cover> rows = covers(image.height, out.image.height);
  std::vector<float> sums(static_cast<std::size_t>(image.width) *
                          static_cast<std::size_t>(channels));
  for (int y = 0; y < out.image.height; ++y) {
    const Cover& own = rows[static_cast<std::size_t>(y)];
    std::fill(sums.begin(), sums.end(), 0.0F);
    for (std::size_t k = 0; k < own.weights.size(); ++k) {
      const std::uint8_t* row = image.row(own.first + static_cast<int>(k));
      for (std::size_t x = 0; x < sums.size(); ++x) sums[x] += own.weights[k] * row[x];
    }
    for (int x = 0; x < out.image.width * channels; ++x) {
      const Cover& c = columns[static_cast<std::size_t>(x / channels)];
      float sum = 0;
      for (std::size_t k = 0; k < c.weights.size(); ++k)
        sum += c.weights[k] *
               sums[(static_cast<std::size_t>(c.first) + k) * static_cast<std::size_t>(channels) +
                    static_cast<std::size_t>(x % channels)];
      out.image.row(y)[x] = static_cast<std::uint8_t>(std::min(255.0F, sum + 0.5F));
    }
  }
  return out;
}

}  // namespace bifocal
