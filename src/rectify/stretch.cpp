// SPDX-License-Identifier: BSD-3-Clause
// Chooses between a planar and a polar rectification.
#include <bifocal/rectify.hpp>
#include <bifocal/reasons.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace bifocal {
namespace {

// Mean and variance of the logarithms of local scales.
class Scales {
 public:
  // Adds the scales on a grid of pixels of one photograph.
  void add(const Rectification& r, int side) {
    constexpr int kSteps = 24;
    constexpr double kOffset = 0.25;  // px
    const Camera& input = r.sides[static_cast<std::size_t>(side)].input;
    std::vector<Vec2> px;
    for (int j = 0; j < kSteps; ++j) {
      for (int i = 0; i < kSteps; ++i) {
        const double x = (i + 0.5) / kSteps * (input.width - 1),
                     y = (j + 0.5) / kSteps * (input.height - 1);
        px.insert(px.end(),
                  {{x - kOffset, y}, {x + kOffset, y}, {x, y - kOffset}, {x, y + kOffset}});
      }
    }
    const std::vector<Vec2> places = rectified_points(r, side, px);
    for (std::size_t i = 0; i < places.size(); i += 4) {
      const Vec2 &left = places[i], &right = places[i + 1], &high = places[i + 2],
                 &low = places[i + 3];
      add({right[0] - left[0], right[1] - left[1]}, {low[0] - high[0], low[1] - high[1]});
    }
  }
  [[nodiscard]] double result() const {
    if (!(count_ > 0)) return std::numeric_limits<double>::infinity();
    const double mean = sum_ / count_;
    return std::exp(std::sqrt(std::max(0.0, squares_ / count_ - mean * mean)));
  }

 private:
  // Adds the scales of a Jacobian. a, b: its columns, times a common factor.
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
  if (!r.ok()) return scales.result();
  for (const int side : {0, 1}) scales.add(r, side);
  return scales.result();
}

RectificationChoice choose_rectification(const Rectification& planar, const Rectification& polar) {
  constexpr double kTolerated = 1.3, kMargin = 1.1;
  RectificationChoice choice{false, stretch(planar), stretch(polar), {}};
  const double flat = choice.planar_stretch, round = choice.polar_stretch;
  choice.is_polar = polar.ok() && (!planar.ok() || (flat > kTolerated && flat > kMargin * round));
  if (choice.is_polar && !planar.ok()) {
    choice.reason = fmt::format("polar: {}", reason_text(to_string(planar.outcome)));
  } else if (!polar.ok()) {
    choice.reason = fmt::format("planar: there is no polar rectification ({})",
                                reason_text(to_string(polar.outcome)));
  } else {
    choice.reason = fmt::format(
        "{}: distortion of a planar rectification {:.2f}, of a polar one {:.2f} (1: none)",
        choice.is_polar ? "polar" : "planar", flat, round);
  }
  return choice;
}

}  // namespace bifocal
