// SPDX-License-Identifier: BSD-3-Clause
// Descriptors by plain double-precision code, and a level to test them on.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "features/sift/describe.hpp"
#include "features/sift/octave.hpp"
#include "features/sift/orient.hpp"

namespace bifocal::test {

using namespace features;
inline constexpr double kPi = std::numbers::pi;

// A smooth level: the sum of two waves.
struct Waves {
  Plane plane;
  Level level;
  explicit Waves(int width = 64, int height = 64) : plane(width, height) {
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        plane.row(y)[x] = static_cast<float>(0.5 + 0.2 * std::sin(0.31 * x + 0.12 * y) +
                                             0.2 * std::cos(0.23 * y - 0.17 * x));
      }
    }
    level = {plane.data.data(), width, height, plane.stride, 63};
  }
};

// Direction of a vector, scaled from a full circle to [0, turn).
inline double turned(double x, double y, double turn) {
  const double a = std::atan2(y, x) / (2 * kPi) * turn;
  return a < 0 ? a + turn : a;
}

inline double bilinear(const Level& l, double x, double y) {
  x = std::clamp(x, 0.0, l.width - 1.0), y = std::clamp(y, 0.0, l.height - 1.0);
  const int i = std::min(static_cast<int>(x), l.width - 2),
            j = std::min(static_cast<int>(y), l.height - 2);
  const double fx = x - i, fy = y - j;
  return (1 - fy) * ((1 - fx) * l.at(i, j) + fx * l.at(i + 1, j)) +
         fy * ((1 - fx) * l.at(i, j + 1) + fx * l.at(i + 1, j + 1));
}

// Distributes each sample's gradient among all 128 bins by its distance to their centres.
inline std::vector<double> plain_description(const Level& l, double x, double y, double sigma,
                                             double angle_deg, const KeypointShape& A = {}) {
  std::vector<double> d(128);
  const double c = std::cos(angle_deg * kPi / 180), s = std::sin(angle_deg * kPi / 180),
               bin = SiftRules::sift_bin_width() * sigma;
  const auto place = [&](double u, double v) {
    const double a = bin * (c * u - s * v), b = bin * (s * u + c * v);
    return std::pair(x + A.xx * a + A.xy * b, y + A.xy * a + A.yy * b);
  };
  const auto value = [&](double u, double v) {
    return bilinear(l, place(u, v).first, place(u, v).second);
  };
  for (double v = -2.375; v < 2.5; v += 0.25) {
    for (double u = -2.375; u < 2.5; u += 0.25) {
      const auto [px, py] = place(u, v);
      if (px < 0 || py < 0 || px > l.width - 1 || py > l.height - 1) continue;
      const double gx = value(u + 0.25, v) - value(u - 0.25, v),
                   gy = value(u, v + 0.25) - value(u, v - 0.25);
      const double weight = std::hypot(gx, gy) * std::exp(-(u * u + v * v) / 8);
      const double o = turned(gx, gy, 8);
      for (int i = 0; i < 128; ++i) {
        const double turn = std::min(std::abs(o - i % 8), 8 - std::abs(o - i % 8));
        d[std::size_t(i)] += weight * std::max(0.0, 1 - turn) *
                             std::max(0.0, 1 - std::abs(u - (i / 8 % 4 - 1.5))) *
                             std::max(0.0, 1 - std::abs(v - (i / 32 - 1.5)));
      }
    }
  }
  return d;
}

}  // namespace bifocal::test
