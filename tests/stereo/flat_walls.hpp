// SPDX-License-Identifier: BSD-3-Clause
// Images of flat walls and their disparities, for the tests of Fill::planes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>

#include <bifocal/image.hpp>

namespace bifocal::test {

struct FlatWalls {
  ImageU8 picture;
  ImageU16 disparity;  // known pixels in 1/32 px; 0xffff unknown
  ImageU16 truth;
};

// Makes adjacent walls, each with one brightness, a little noise, and its own plane. unknown: per
// cent of pixels that are unknown, in patches. wrong: per cent of the known pixels with a disparity
// above their wall's.
inline FlatWalls flat_walls(std::mt19937& random, int width, int height, int walls, int unknown,
                            int wrong) {
  FlatWalls out{ImageU8(width, height), ImageU16(width, height), ImageU16(width, height)};
  const auto pick = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  const int each = std::max(1, (width + walls - 1) / walls);
  for (int left = 0; left < width; left += each) {
    const int brightness = 30 + 60 * (left / each % 4), d = pick(1000, 2000),
              along = pick(-2000, 2000), down = pick(-2000, 2000);
    for (int y = 0; y < height; ++y) {
      for (int x = left; x < std::min(width, left + each); ++x) {
        const int slope = along * (x - left) + down * y;
        const int truth = std::clamp(d + slope / 1024, 0, 32000);
        out.picture.at(x, y) = static_cast<std::uint8_t>(brightness + pick(0, 1));
        out.truth.at(x, y) = static_cast<std::uint16_t>(truth);
        const int seen = truth + pick(-10, 10) + (pick(0, 99) < wrong ? pick(100, 300) : 0);
        const int patch = (x / 5 * 37 + y / 7 * 101 + left) % 100;
        out.disparity.at(x, y) =
            patch < unknown ? std::uint16_t{0xffff} : static_cast<std::uint16_t>(std::max(0, seen));
      }
    }
  }
  return out;
}

}  // namespace bifocal::test
