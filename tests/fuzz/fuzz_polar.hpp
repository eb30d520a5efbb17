// SPDX-License-Identifier: BSD-3-Clause
// The body of the fuzzer for files of rectifications (read_rectification): the bytes are read as
// a file, and as the numbers of an intact polar file of either format, because a checksum stops
// most damage.
#pragma once

#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <bifocal/rectify.hpp>

#include "fuzz_collection.hpp"

namespace bifocal::fuzz {

// Samples through a rectification that was read, and converts points in both directions.
inline void check_rectification(const Rectification& r) {
  require(r.width >= 1 && r.height >= 1 && r.scale > 0 && r.scale <= 1);
  require(r.overlap >= 0 && 2 * r.overlap < r.height);
  for (int side = 0; side < 2; ++side) {
    const RectifiedSide& s = r.sides[std::size_t(side)];
    if (r.kind == RectificationKind::polar) require(s.rows.size() == std::size_t(r.height));
    require(s.input.width >= 1 && s.input.height >= 1);
    const Vec2 middle{0.5 * s.input.width, 0.5 * s.input.height};
    (void)rectified_point(r, side, middle);
    const Vec2 place = photograph_point(r, side, {0.5 * r.width, 0.5 * r.height});
    require(std::isnan(place[0]) == std::isnan(place[1]));
    if (std::int64_t{r.width} * r.height > kMaxPixels) continue;
    const SamplingMap map = sampling_map(r, side);
    require(map.width == r.width && map.height == r.height);
  }
}

// The numbers of the file's five arrays in order, rows last.
inline std::string polar_file(std::string_view bytes, bool is_old) {
  std::vector<double> numbers(bytes.size() / sizeof(double));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), 8 * numbers.size());
  numbers.resize(std::max<std::size_t>(numbers.size(), 15));
  const auto part = [&](std::size_t from, std::size_t count) {
    const auto at = numbers.begin() + std::ptrdiff_t(from);
    return std::vector<double>(at, at + std::ptrdiff_t(count));
  };
  const std::size_t rows = (numbers.size() - 15) / 8;
  const auto count = std::int64_t(rows);
  std::vector<double> canvas = part(0, 5);
  if (!is_old) canvas.push_back(0);  // swapped
  const auto length = std::int64_t(canvas.size());
  std::vector<NamedArray> arrays = {
      {"format",
       {{}, std::string(is_old ? "bifocal polar rectification 1" : "bifocal rectification 2")}},
      {"canvas", {{length}, std::move(canvas)}},
      {"left_photograph", {{5}, part(5, 5)}},
      {"right_photograph", {{5}, part(10, 5)}},
      {"left", {{count, 4}, part(15, 4 * rows)}},
      {"right", {{count, 4}, part(15 + 4 * rows, 4 * rows)}}};
  if (!is_old) arrays.push_back({"kind", {{}, std::string("polar")}});
  return encode_npz(arrays);
}

inline void polar(std::string_view bytes) {
  expect_sound([&] { check_rectification(read_rectification(as_file(bytes))); });
  for (const bool is_old : {true, false})
    expect_sound(
        [&] { check_rectification(read_rectification(as_file(polar_file(bytes, is_old)))); });
}

}  // namespace bifocal::fuzz
