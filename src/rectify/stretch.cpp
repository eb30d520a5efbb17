// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/polar.hpp>

#include <cmath>
#include <limits>

#include "rectify/polar_places.hpp"

namespace bifocal {
namespace {

// Mean and variance of the logarithms of the scales.
class Scales {
 public:
  // The rectified place of a pixel of one picture by `place`, over a grid of its pixels.
  template <class Place>
  void add(int width, int height, const Place& place) {
    constexpr int kSteps = 24;
    constexpr double kAside = 0.25;  // px
    for (int j = 0; j < kSteps; ++j) {
      for (int i = 0; i < kSteps; ++i) {
        const double x = (i + 0.5) / kSteps * (width - 1), y = (j + 0.5) / kSteps * (height - 1);
        const Vec2 left = place({x - kAside, y}), right = place({x + kAside, y}),
                   high = place({x, y - kAside}), low = place({x, y + kAside});
        add({right[0] - left[0], right[1] - left[1]}, {low[0] - high[0], low[1] - high[1]});
      }
    }
  }
  [[nodiscard]] double result() const {
    if (!(count_ > 0)) return std::numeric_limits<double>::infinity();
    const double mean = sum_ / count_;
    return std::exp(std::sqrt(std::max(0.0, squares_ / count_ - mean * mean)));
  }

 private:
  // Columns of the Jacobian, times the same number.
  void add(const Vec2& a, const Vec2& b) {
    const double trace = a[0] * a[0] + a[1] * a[1] + b[0] * b[0] + b[1] * b[1];
    const double area = std::abs(a[0] * b[1] - a[1] * b[0]);
    const double root = std::sqrt(std::max(0.0, trace * trace / 4 - area * area));
    const double large = std::log(trace / 2 + root) / 2, small = std::log(area) - large;
    if (!std::isfinite(large) || !std::isfinite(small)) return;
    sum_ += large + small;
    squares_ += large * large + small * small;
    count_ += 2;
  }
  double sum_ = 0, squares_ = 0, count_ = 0;
};

}  // namespace

double stretch(const Rectification& r) {
  Scales scales;
  if (r.width == 0) return scales.result();
  for (const int side : {0, 1}) {
    const Camera& input = side == 0 ? r.input1 : r.input2;
    scales.add(input.width, input.height,
               [&](const Vec2& px) { return rectified_point(r, side, px); });
  }
  return scales.result();
}

double stretch(const PolarRectification& r) {
  Scales scales;
  if (r.width == 0) return scales.result();
  for (const int side : {0, 1}) {
    const PolarSide& s = r.sides[static_cast<std::size_t>(side)];
    const rectification::PolarPlaces places(r, side);
    scales.add(s.photograph_width, s.photograph_height, places);
  }
  return scales.result();
}

}  // namespace bifocal
