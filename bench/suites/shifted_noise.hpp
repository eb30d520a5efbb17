// SPDX-License-Identifier: BSD-3-Clause
// A stereo pair for timing; the time of block matching does not depend on its content.
#pragma once

#include <bifocal/image.hpp>
#include <random>

namespace bifocal::bench {

struct StereoPair {
  ImageU8 left, right;
};

// Noise that is 20 px further to the left in the right image.
inline StereoPair shifted_noise(int width, int height) {
  constexpr int shift = 20;
  std::mt19937 random(1);
  StereoPair pair{ImageU8(width, height), ImageU8(width, height)};
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) pair.left.at(x, y) = static_cast<std::uint8_t>(random());
    for (int x = 0; x + shift < width; ++x) pair.right.at(x, y) = pair.left.at(x + shift, y);
  }
  return pair;
}

}  // namespace bifocal::bench
