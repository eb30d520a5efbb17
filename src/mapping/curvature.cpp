// SPDX-License-Identifier: BSD-3-Clause
// The doubt that the cameras of a flight bend to a bowl, as a wrong lens or a rolling shutter bends
// them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "mapping/doubts.hpp"

namespace bifocal::mapping {
namespace {

// Limits: docs/develop/notes/mapping.md#doubts.
constexpr double kLeastSag = 0.03;        // of the radius of the flight
constexpr double kExplainedHeight = 0.5;  // share of the variance of heights
constexpr double kFlat = 0.3;             // heights, of the distances from the middle, both rms
constexpr double kArea = 0.05;            // of the variances of a flight that is no line
constexpr double kLeastBend = 0.03;       // of a corner by the lens, or of f from its prior
constexpr double kLooksDown = 30;         // degrees from the mean direction
constexpr std::size_t kFewestOfFlight = 10;

double product_of(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

void remove_part(std::vector<double>& a, double s, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] -= s * b[i];
}

// Centres of the cameras above the plane that is normal to their mean direction.
struct Flight {
  std::vector<double> x, y, height;
  Vec3 down = {0, 0, 0};
};

// Empty if the cameras do not look in one direction from about one height, or stand on a line: an
// arc in front of a scene is also a bowl.
Flight flight_of(const Scene& scene) {
  std::vector<Vec3> axes, centres;
  Vec3 mean{};
  for (const View& view : scene.views) {
    if (!view.is_registered) continue;
    const Mat3& R = view.cam_from_world.R;
    axes.push_back({R[6], R[7], R[8]});
    centres.push_back(centre_of(view.cam_from_world));
    mean = sum(mean, axes.back());
  }
  if (axes.size() < kFewestOfFlight || norm(mean) == 0) return {};
  const Vec3 down = unit(mean);
  const auto looks_down = [&](const Vec3& axis) {
    return bifocal::dot(axis, down) > std::cos(kLooksDown * kRadPerDeg);
  };
  if (!std::ranges::all_of(axes, looks_down)) return {};
  const Vec3 other = std::abs(down[0]) < 0.6 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
  const Vec3 right = unit(cross(down, other)), ahead = cross(down, right);
  Flight flight;
  flight.down = down;
  for (const Vec3& c : centres) {
    flight.x.push_back(bifocal::dot(c, right));
    flight.y.push_back(bifocal::dot(c, ahead));
    flight.height.push_back(-bifocal::dot(c, down));
  }
  const std::vector<double> one(centres.size(), 1);
  for (std::vector<double>* v : {&flight.x, &flight.y, &flight.height})
    remove_part(*v, product_of(*v, one) / static_cast<double>(centres.size()), one);
  const double xx = product_of(flight.x, flight.x), yy = product_of(flight.y, flight.y),
               xy = product_of(flight.x, flight.y), wide = xx + yy;
  const double apart = std::hypot(xx - yy, 2 * xy);  // of the two variances
  if (wide - apart < kArea * (wide + apart)) return {};
  return product_of(flight.height, flight.height) < kFlat * kFlat * wide ? flight : Flight{};
}

// Depth of the bowl relative to the radius of the flight, by least squares of the heights over
// 1, x, y and x^2 + y^2; 0 if the square explains little.
double sag_of(Flight flight) {
  std::vector<double> square(flight.x.size());
  double farthest = 0;
  for (std::size_t i = 0; i < square.size(); ++i) {
    square[i] = flight.x[i] * flight.x[i] + flight.y[i] * flight.y[i];
    farthest = std::max(farthest, square[i]);
  }
  std::vector<double>&x = flight.x, &y = flight.y;
  const std::vector<double> one(square.size(), 1);
  if (!(product_of(x, x) > 0)) return 0;
  remove_part(y, product_of(x, y) / product_of(x, x), x);
  std::vector<const std::vector<double>*> basis = {&one, &x};
  if (product_of(y, y) > 1e-6 * product_of(x, x)) basis.push_back(&y);
  for (const std::vector<double>* b : basis)
    for (std::vector<double>* v : {&square, &flight.height})
      remove_part(*v, product_of(*v, *b) / product_of(*b, *b), *b);
  const double norm2 = product_of(square, square),
               heights = product_of(flight.height, flight.height);
  const double product = product_of(square, flight.height);
  if (!(norm2 > 0) || product * product < kExplainedHeight * norm2 * heights) return 0;
  return std::abs(product / norm2) * std::sqrt(farthest);
}

}  // namespace

std::optional<Vec3> down_of_flight(const Scene& scene) {
  const Flight flight = flight_of(scene);
  if (flight.x.empty()) return {};
  return flight.down;
}

void doubt_curvature(const DoubtInput& in, std::vector<ModelDoubt>& doubts) {
  const Flight flight = flight_of(in.scene);
  if (flight.x.empty()) return;
  const double sag = sag_of(flight);
  if (sag < kLeastSag) return;
  const bool is_odd = std::ranges::any_of(used_cameras(in.scene), [&](std::size_t c) {
    const colmap::ModelCamera& given = in.scene.graph->cameras[c];
    const LensCamera& lens = *in.scene.cameras[c];
    const bool has_left_prior = given.has_prior_focal_length &&
                                std::abs(lens.params()[0] / given.params[0] - 1) > kLeastBend;
    return has_left_prior || std::abs(bend_of(lens)) > kLeastBend;
  });
  if (!is_odd) return;
  doubts.push_back({DoubtKind::curved,
                    sag,
                    kLeastSag,
                    {},
                    {},
                    fmt::format("the cameras look down from a bowl whose depth is {:.0f} % of the "
                                "radius of the flight, and the lens or the focal length is "
                                "unusual: a level flight bends like this by a wrong lens or a "
                                "rolling shutter",
                                100 * sag)});
}

}  // namespace bifocal::mapping
