// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/rectify.hpp>

#include <vector>

namespace bifocal::rectification {

// rectified_point() of many points of one side, whose rows live as long as this does.
class PolarPlaces {
 public:
  PolarPlaces(const PolarRectification& r, int side);
  [[nodiscard]] Vec2 operator()(const Vec2& px) const;

 private:
  [[nodiscard]] Vec2 between(std::size_t row, const Vec2& px) const;

  const PolarSide& side_;
  std::vector<double> angles_;  // of the rows about the epipole, growing
  double turn_begin_ = 0;       // of a cyclic rectification: the angle at which its one turn begins
  bool is_cyclic_, is_falling_ = false;  // angles of the rows fall: they are stored negated
};

// Throws Error(usage) in the name of `function`.
void check_side(const char* function, int side);

}  // namespace bifocal::rectification
