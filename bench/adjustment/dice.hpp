// SPDX-License-Identifier: BSD-3-Clause
// A generator of random numbers that gives the same sequence with every standard library.
#pragma once

#include <bifocal/geometry.hpp>

#include <cmath>
#include <cstdint>
#include <numbers>

namespace bifocal::bench {

// SplitMix64: G. Steele, D. Lea, C. Flood, Fast splittable pseudorandom number generators, OOPSLA
// 2014.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}

  // In [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  // Integer in [0, count).
  int below(int count) { return static_cast<int>(uniform() * count); }
  // Mean 0, standard deviation 1: G. Box, M. Muller, 1958.
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }
  Vec3 normal3(double deviation) {
    const double x = normal(), y = normal(), z = normal();
    return {deviation * x, deviation * y, deviation * z};
  }

 private:
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  std::uint64_t state_;
};

}  // namespace bifocal::bench
