// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/rectify.hpp>

#include <fmt/format.h>

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
  // The columns are those of the Jacobian, times the same number.
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

namespace {

std::string refusal(RectifyOutcome outcome) {
  switch (outcome) {
    case RectifyOutcome::epipole_near_image:
      return "an epipole is in or near a picture, so that no plane makes the rows parallel";
    case RectifyOutcome::too_wide:
      return "the views differ too much for a plane";
    case RectifyOutcome::no_common_rows:
      return "on a plane the pictures have no rows in common";
    default:
      return "there is no planar rectification";
  }
}

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

RectificationChoice choose_rectification(const Rectification& planar,
                                         const PolarRectification& polar) {
  constexpr double kTolerated = 1.3, kMargin = 1.1;
  RectificationChoice choice{false, stretch(planar), stretch(polar), {}};
  const double flat = choice.planar_stretch, round = choice.polar_stretch;
  choice.is_polar =
      polar.width > 0 && (planar.width == 0 || (flat > kTolerated && flat > kMargin * round));
  if (choice.is_polar && planar.width == 0) {
    choice.reason = fmt::format("polar: {}", refusal(planar.outcome));
  } else if (polar.width == 0) {
    choice.reason =
        fmt::format("planar: there is no polar rectification ({})", to_string(polar.outcome));
  } else {
    choice.reason = fmt::format(
        "{}: a planar rectification scales pixels unevenly by a factor of {:.2f}, a polar one by "
        "{:.2f}",
        choice.is_polar ? "polar" : "planar", flat, round);
  }
  return choice;
}

}  // namespace bifocal
