// SPDX-License-Identifier: BSD-3-Clause
// Converts points of one side of a polar rectification.
#pragma once

#include <bifocal/rectify.hpp>

#include <vector>

#include "rectify/polar_lines.hpp"

namespace bifocal::rectification {

// Converts px of the photograph to px of the rectified image. An object is built once per side,
// which must outlive it.
class PolarPoints {
 public:
  PolarPoints(const Rectification& r, const RectifiedSide& side);
  [[nodiscard]] Vec2 operator()(const Vec2& px) const;

 private:
  [[nodiscard]] Vec2 between(std::size_t row, const Vec2& px) const;

  // Angle about the epipole, which stays exact where the rows are nearly parallel.
  [[nodiscard]] double angle(const Vec2& px) const;

  const RectifiedSide& side_;
  Vec2 centre_;
  PolarView view_;
  std::vector<double> angles_;  // of the rows, ascending
  double first_angle_ = 0;      // angle where the full circle of a cyclic rectification begins
  bool is_cyclic_;
  bool is_descending_ = false;  // the angles of the rows descend and are stored negated
};

// Converts px of the rectified image to px of the photograph.
[[nodiscard]] Vec2 polar_to_photograph(const RectifiedSide& side, const Vec2& rectified);

}  // namespace bifocal::rectification
