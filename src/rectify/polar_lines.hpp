// SPDX-License-Identifier: BSD-3-Clause
// Pairs of corresponding epipolar half lines. All places are px from the middle of their picture.
#pragma once

#include <bifocal/camera.hpp>
#include <bifocal/geometry.hpp>

#include <array>
#include <numbers>
#include <span>
#include <vector>

#include "rectify/rank_two.hpp"

namespace bifocal::rectification {

inline constexpr double kFarthestEpipole = 1e12;  // px: one that is farther, or at infinity, is put
                                                  // here, which bends no picture's rows by 1e-4 px

struct PolarView {
  double half_width = 0, half_height = 0;  // to the centres of the outermost pixels
  Vec2 epipole{};
  double radius = 0;  // of the epipole from the middle
  Vec2 towards{};     // unit vector from the epipole to the middle
  bool has_epipole = false;

  PolarView(int width, int height, const Vec3& e);
};

// t = 0 lies as far from the epipole as the middle of the picture, t = -radius in the epipole.
struct HalfLine {
  Vec2 anchor{}, direction{};  // a point, and the unit vector away from the epipole
  double offset = 0;           // t of the anchor
  double begin = 0, end = 0;   // t of the part in the picture
  bool is_seen = false;        // is there such a part?

  [[nodiscard]] Vec2 at(double t) const {
    const double s = t - offset;
    return {anchor[0] + s * direction[0], anchor[1] + s * direction[1]};
  }
  [[nodiscard]] double distance(const Vec2& p) const;
};
struct LinePair {
  std::array<HalfLine, 2> sides;
};

// The angles are those of half lines of picture 1, about its epipole, from the one to its middle.
struct Arc {
  double low = -std::numbers::pi, high = std::numbers::pi;
  bool is_turn = true;
};

class Pencil {
 public:
  // F has rank 2 and is in px from the middles.
  Pencil(const Mat3& F, const PolarView& one, const PolarView& two);

  // Lets the matches (px from the middles) say which half lines of picture 2 belong to those of
  // picture 1. False when no more of them agree than disagree.
  [[nodiscard]] bool orient(std::span<const PointPair> matches);
  // Finds the half lines that cross both pictures. False when there is none.
  [[nodiscard]] bool common_arc(Arc& arc) const;
  [[nodiscard]] LinePair at(double angle) const;
  [[nodiscard]] const PolarView& view(std::size_t side) const { return views_[side]; }

 private:
  [[nodiscard]] HalfLine first(double angle) const;
  [[nodiscard]] HalfLine second(const Vec2& point1) const;
  [[nodiscard]] double angle_of(const Vec2& point2, double sign) const;
  [[nodiscard]] Arc arc_of_first() const;
  [[nodiscard]] Arc arc_of_second() const;

  Mat3 F_;
  std::array<PolarView, 2> views_;
  double sign_ = 1;
};

// Walks from one half line to the next so that no pixel of either picture moves by more than `step`
// px. The result is empty when `limit` half lines are not enough.
[[nodiscard]] std::vector<LinePair> walk(const Pencil& pencil, const Arc& arc, double step,
                                         std::size_t limit);

}  // namespace bifocal::rectification
