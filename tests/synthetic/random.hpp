// SPDX-License-Identifier: BSD-3-Clause
// Random numbers and rotations for scenes.
#pragma once

#include <bifocal/geometry.hpp>
#include <random>

namespace bifocal::synthetic {

[[nodiscard]] double uniform(std::mt19937_64& random, double low, double high);
// Returns a vector of length 1, uniform on the sphere.
[[nodiscard]] Vec3 random_direction(std::mt19937_64& random);
// Returns the rotation about a unit axis by an angle in radians (Rodrigues' formula).
[[nodiscard]] Mat3 rotation_about(const Vec3& axis, double angle);

}  // namespace bifocal::synthetic
