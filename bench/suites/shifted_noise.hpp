// SPDX-License-Identifier: BSD-3-Clause
// A stereo pair for timing: what it shows does not change how long block matching takes.
#pragma once

#include <bifocal/image.hpp>
#include <random>

namespace bifocal::bench {

struct StereoPair {
  ImageU8 left, right;
};

// Noise that the right camera sees 20 px further to the left.
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
