// SPDX-License-Identifier: BSD-3-Clause
#include "synthetic/random.hpp"

#include <cmath>

namespace bifocal::synthetic {

double uniform(std::mt19937_64& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

Vec3 random_direction(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  Vec3 d = {normal(random), normal(random), normal(random)};
  const double length = std::hypot(d[0], d[1], d[2]);
  for (double& v : d) v /= length;
  return d;
}

Mat3 rotation_about(const Vec3& axis, double angle) {
  const double s = std::sin(angle), c = 1 - std::cos(angle);
  const auto& [x, y, z] = axis;
  return {1 - c * (y * y + z * z), c * x * y - s * z,       c * x * z + s * y,
          c * x * y + s * z,       1 - c * (x * x + z * z), c * y * z - s * x,
          c * x * z - s * y,       c * y * z + s * x,       1 - c * (x * x + y * y)};
}

}  // namespace bifocal::synthetic
