// SPDX-License-Identifier: BSD-3-Clause
#include "scene.hpp"

#include <algorithm>
#include <cstddef>
#include <numbers>

#include "mapping/algebra.hpp"

namespace bifocal::bench {
namespace {

constexpr double kHouse = 5, kStreet = 6;                          // facades, half the street
constexpr double kHouseDepth = 4, kGarden = 0.8, kGapShare = 0.4;  // of the hard variant
constexpr double kDegree = std::numbers::pi / 180, kCircle = 2 * std::numbers::pi;

// Returns increasing angles that divide a circle into houses of 3.5 to 8 m.
std::vector<double> house_ends(double radius, std::mt19937& random) {
  std::uniform_real_distribution<double> width(3.5, 8);
  std::vector<double> ends{0};
  while (ends.back() < kCircle) ends.push_back(ends.back() + width(random) / radius);
  const double stretch = kCircle / ends.back();
  for (double& end : ends) end *= stretch;
  return ends;
}

// Returns the looks of `count` facades in random order.
std::vector<Look> facade_looks(std::size_t count, std::mt19937& random) {
  std::vector<Look> looks(count, Look::textured);
  const std::size_t mirrors = (count + 5) / 10, plain = (count + 2) / 5;
  std::fill_n(looks.begin(), mirrors, Look::mirror);
  std::fill_n(looks.begin() + static_cast<std::ptrdiff_t>(mirrors), plain, Look::plain);
  std::shuffle(looks.begin(), looks.end(), random);
  return looks;
}

}  // namespace

Town plain_town(double radius, std::mt19937& random) {
  std::uniform_real_distribution<double> offset(-1.5, 1.5), height(5, 11);
  std::vector<Wall> walls;
  for (const double side : {-1.0, 1.0}) {
    const double middle = radius + side * kStreet;
    const int count = std::max(3, static_cast<int>(2 * std::numbers::pi * middle / kHouse));
    std::vector<double> radii(static_cast<std::size_t>(count)), heights(radii.size());
    for (double& r : radii) r = middle + offset(random);
    for (double& h : heights) h = height(random);
    const auto at = [&](double k, double r) {
      const double angle = 2 * std::numbers::pi * k / count;
      return std::array{r * std::cos(angle), r * std::sin(angle)};
    };
    for (std::size_t k = 0; k < radii.size(); ++k) {
      const std::size_t next = (k + 1) % radii.size();
      const auto number = static_cast<std::uint32_t>(walls.size() + 1);
      const double here = double(k), there = double(k + 1);
      walls.push_back({at(here, radii[k]), at(there, radii[k]), heights[k], number});
      walls.push_back({at(there, radii[k]), at(there, radii[next]),
                       std::max(heights[k], heights[next]), number + 1});
    }
  }
  return {.street = {.radius = radius}, .walls = std::move(walls)};
}

Town hard_town(double radius, std::mt19937& random) {
  std::uniform_real_distribution<double> offset(-1.2, 1.2), height(4, 10), gap(1.5, 3), low(1, 1.8);
  std::uniform_real_distribution<double> share(0, 1);
  Town town{.street = {radius, 0.06, kCircle * share(random)}, .far = 200, .is_smooth = true};
  auto number = static_cast<std::uint32_t>(random() % 1000000);
  for (const double side : {-1.0, 1.0}) {
    const double middle = radius + side * kStreet;
    const std::vector<double> ends = house_ends(middle, random);
    const std::vector<Look> looks = facade_looks(ends.size() - 1, random);
    for (std::size_t k = 0; k < looks.size(); ++k) {
      const double from = ends[k];
      const double to = ends[k + 1] - (share(random) < kGapShare ? gap(random) / middle : 0);
      const double front = side * kStreet + offset(random), back = front + side * kHouseDepth;
      const auto corner = [&](double angle, double away) {
        const double r = town.street.radius_at(angle) + away;
        return std::array{r * std::cos(angle), r * std::sin(angle)};
      };
      const double h = height(random);
      town.walls.push_back({corner(from, front), corner(to, front), h, ++number, looks[k]});
      town.walls.push_back({corner(to, front), corner(to, back), h, ++number});
      town.walls.push_back({corner(to, back), corner(from, back), h, ++number});
      town.walls.push_back({corner(from, back), corner(from, front), h, ++number});
      if (share(random) < 0.4) {
        const double fence = front - side * kGarden;
        town.walls.push_back(
            {corner(from, fence), corner(to, fence), low(random), ++number, Look::bars});
      }
    }
  }
  return town;
}

Pose camera_pose(int k, int count, const Street& street, std::mt19937& random) {
  std::normal_distribution<double> away(0, 0.3), tilt(0, 2 * kDegree);
  constexpr std::array kViews{-50.0, 15.0, 50.0, -15.0};
  const double angle = 2 * std::numbers::pi * k / count, r = street.radius_at(angle) + away(random);
  const double heading = angle + std::numbers::pi / 2 +
                         kViews[static_cast<std::size_t>(k % 4)] * kDegree + tilt(random) +
                         street.turn_at(angle);
  const Vec3 centre{r * std::cos(angle), -1.6 + 0.3 * away(random), r * std::sin(angle)};
  const double pitch = -6 * kDegree + tilt(random), roll = tilt(random);
  // The rows of the level camera are its x, y and z axes in the world.
  const Mat3 level{std::sin(heading), 0, -std::cos(heading), 0, 1, 0,
                   std::cos(heading), 0, std::sin(heading)};
  const Mat3 up{1, 0, 0, 0, std::cos(pitch), std::sin(pitch), 0, -std::sin(pitch), std::cos(pitch)};
  const Mat3 aside{std::cos(roll), -std::sin(roll), 0, std::sin(roll), std::cos(roll), 0, 0, 0, 1};
  return mapping::pose_at(times(aside, times(up, level)), centre);
}

}  // namespace bifocal::bench
