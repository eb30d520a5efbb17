// SPDX-License-Identifier: BSD-3-Clause
// The body of the fuzzer for maps of polar rectifications (read_polar): the bytes as a file, and as
// the numbers of a file that is whole, for a checksum stops most damage.
#pragma once

#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <bifocal/rectify.hpp>

#include "fuzz_collection.hpp"

namespace bifocal::fuzz {

// Uses a map that was read: samples by it, and takes places there and back.
inline void check_polar(const PolarRectification& r) {
  require(r.width >= 1 && r.height >= 1 && r.scale > 0 && r.scale <= 1);
  require(r.overlap >= 0 && 2 * r.overlap < r.height);
  for (int side = 0; side < 2; ++side) {
    const PolarSide& s = r.sides[std::size_t(side)];
    require(s.rows.size() == std::size_t(r.height));
    require(s.photograph_width >= 1 && s.photograph_height >= 1);
    const Vec2 middle{0.5 * s.photograph_width, 0.5 * s.photograph_height};
    (void)rectified_point(r, side, middle);
    const Vec2 place = photograph_point(r, side, {0.5 * r.width, 0.5 * r.height});
    require(std::isnan(place[0]) == std::isnan(place[1]));
    if (std::int64_t{r.width} * r.height > kMaxPixels) continue;
    const SamplingMap map = sampling_map(r, side);
    require(map.width == r.width && map.height == r.height);
  }
}

// The numbers of the file's five arrays, one after the other; what is left are the rows.
inline std::string polar_file(std::string_view bytes) {
  std::vector<double> numbers(bytes.size() / sizeof(double));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), 8 * numbers.size());
  numbers.resize(std::max<std::size_t>(numbers.size(), 15));
  const auto part = [&](std::size_t from, std::size_t count) {
    const auto at = numbers.begin() + std::ptrdiff_t(from);
    return std::vector<double>(at, at + std::ptrdiff_t(count));
  };
  const std::size_t rows = (numbers.size() - 15) / 8;
  const auto count = std::int64_t(rows);
  return encode_npz(
      std::vector<NamedArray>{{"format", {{}, std::string("bifocal polar rectification 1")}},
                              {"canvas", {{5}, part(0, 5)}},
                              {"left_photograph", {{5}, part(5, 5)}},
                              {"right_photograph", {{5}, part(10, 5)}},
                              {"left", {{count, 4}, part(15, 4 * rows)}},
                              {"right", {{count, 4}, part(15 + 4 * rows, 4 * rows)}}});
}

inline void polar(std::string_view bytes) {
  expect_sound([&] { check_polar(read_polar(as_file(bytes))); });
  expect_sound([&] { check_polar(read_polar(as_file(polar_file(bytes)))); });
}

}  // namespace bifocal::fuzz
