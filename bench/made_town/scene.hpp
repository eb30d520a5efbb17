// SPDX-License-Identifier: BSD-3-Clause
// The synthetic town of made_town: two rows of houses along a closed street around the origin.
// The ground is the plane y = 0, y points down, lengths are in m.
#pragma once

#include <bifocal/geometry.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace bifocal::bench {

enum class Look : std::uint8_t { textured, plain, mirror, bars };

// A vertical wall over the segment from a to b of the ground plan (x, z).
struct Wall {
  std::array<double, 2> a{}, b{};
  double height = 0;
  std::uint32_t number = 0;  // of its texture
  Look look = Look::textured;
};

// The middle of the street: a circle, or a circle with three bends.
struct Street {
  double radius = 0;
  double bend = 0, phase = 0;  // amplitude relative to the radius; radians

  [[nodiscard]] double radius_at(double angle) const {
    return radius * (1 + bend * std::cos(3 * angle + phase));
  }
  // Angle from the tangent of the circle to the direction of the street, radians.
  [[nodiscard]] double turn_at(double angle) const {
    return std::atan(3 * bend * std::sin(3 * angle + phase) * radius / radius_at(angle));
  }
};

struct Town {
  Street street;
  std::vector<Wall> walls = {};
  double far = 45;         // largest visible depth
  bool is_smooth = false;  // pixels at edges of surfaces are means of several rays
};

// Returns closed rows of textured facades that differ in distance from the street and in height.
[[nodiscard]] Town plain_town(double radius, std::mt19937& random);

// Returns houses of random width along a street with bends, with gaps after 40 % of the houses. 10
// % of the facades are mirrors, 20 % have no texture, and fences of bars stand in front of 40 %.
[[nodiscard]] Town hard_town(double radius, std::mt19937& random);

// Returns the pose of camera k of `count`. The cameras are 1.6 m above the street and look 50 and
// 15 degrees to the left and to the right of its direction.
[[nodiscard]] Pose camera_pose(int k, int count, const Street& street, std::mt19937& random);

}  // namespace bifocal::bench
