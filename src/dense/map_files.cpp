// SPDX-License-Identifier: BSD-3-Clause
#include "dense/map_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bifocal/io.hpp>
#include <bit>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "io/little_endian.hpp"
#include "io/reject.hpp"
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
  const std::array arrays = {NamedArray{"depth", {{height, width}, map.depth.pixels}},
                             NamedArray{"deviation", {{height, width}, std::move(deviation)}},
                             NamedArray{"normal", {{height, width, 3}, map.normal.pixels}},
                             NamedArray{"views", {{height, width}, std::move(views)}},
                             NamedArray{"reason", {{}, map.reason}}};
  return encode_npz(std::span(arrays).first(map.reason.empty() ? 4 : 5));
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

namespace bifocal {

DenseMap read_dense_map(const std::filesystem::path& file) {
  const NpzFile npz(file);
  std::vector<std::int64_t> shape = npz.read("depth").shape;
  DenseMap map;
  // Reads an array of the type T into an image.
  const auto read = [&]<class T>(const char* name, auto& image, T) {
    const NpyArray array = npz.read(name);
    const auto* values = std::get_if<std::vector<T>>(&array.values);
    if (!values || shape.size() < 2 || array.shape != shape || values->empty())
      io::reject(file.string(), "{} is {}, which is no depth map", name, describe(array));
    image = {static_cast<int>(shape[1]), static_cast<int>(shape[0]), shape.size() > 2 ? 3 : 1};
    std::ranges::transform(*values, image.pixels.begin(), [](T v) {
      return static_cast<std::decay_t<decltype(image.pixels[0])>>(v);
    });
  };
  read("depth", map.depth, float());
  read("deviation", map.deviation, Float16());
  read("views", map.views, std::byte());
  shape.push_back(3);
  read("normal", map.normal, std::int8_t());
  if (!npz.contains("reason")) return map;
  const NpyArray reason = npz.read("reason");
  if (const auto* text = std::get_if<std::string>(&reason.values)) map.reason = *text;
  return map;
}

}  // namespace bifocal
