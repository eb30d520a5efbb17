// SPDX-License-Identifier: BSD-3-Clause
#include "dense/map_files.hpp"

#include <fmt/format.h>

#include <array>
#include <bifocal/io.hpp>
#include <bit>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "io/little_endian.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::dense {
namespace {

void append(std::string& bytes, float value) {
  io::append_little(bytes, std::bit_cast<std::uint32_t>(value), 4);
}

}  // namespace

std::string npz_of(const DenseMap& map) {
  constexpr std::size_t kBlock = 1 << 14;
  std::vector<Float16> deviation(map.deviation.pixels.size());
  runtime::parallel_each(
      deviation.size(), [&](std::size_t k) { deviation[k] = float16_of(map.deviation.pixels[k]); },
      kBlock);
  const auto counts = std::as_bytes(std::span(map.views.pixels));
  std::vector<std::byte> views(counts.begin(), counts.end());
  const std::int64_t height = map.depth.height, width = map.depth.width;
  return encode_npz(std::array{NamedArray{"depth", {{height, width}, map.depth.pixels}},
                               NamedArray{"deviation", {{height, width}, std::move(deviation)}},
                               NamedArray{"normal", {{height, width, 3}, map.normal.pixels}},
                               NamedArray{"views", {{height, width}, std::move(views)}}});
}

std::string colmap_depths_of(const DenseMap& map) {
  std::string bytes = fmt::format("{}&{}&1&", map.depth.width, map.depth.height);
  for (const float z : map.depth.pixels) append(bytes, std::isnan(z) ? 0 : z);
  return bytes;
}

std::string colmap_normals_of(const DenseMap& map) {
  std::string bytes = fmt::format("{}&{}&3&", map.depth.width, map.depth.height);
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t i = 0; i < map.depth.pixels.size(); ++i) {
      const std::int8_t* n = &map.normal.pixels[3 * i];
      const float length = std::hypot(float(n[0]), float(n[1]), float(n[2]));
      append(bytes, map.views.pixels[i] == 0 ? 0 : float(n[c]) / length);
    }
  return bytes;
}

}  // namespace bifocal::dense
