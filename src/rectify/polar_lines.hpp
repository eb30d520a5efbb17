// SPDX-License-Identifier: BSD-3-Clause
// Pairs of corresponding epipolar half lines. All points are in px from the centre of their image.
#pragma once

#include <bifocal/camera.hpp>
#include <bifocal/geometry.hpp>

#include <array>
#include <numbers>
#include <span>
#include <vector>

#include "rectify/rank_two.hpp"

namespace bifocal::rectification {

inline constexpr double kFullCircle = 2 * std::numbers::pi;

// px. An epipole that is farther away, or at infinity, is moved to this distance, which moves every
// row by less than 1e-4 px.
inline constexpr double kFarthestEpipole = 1e12;

struct PolarView {
  double half_width = 0, half_height = 0;  // from the centre to the outermost pixels' centres
  Vec2 epipole{};
  double radius = 0;  // distance of the epipole from the centre
  Vec2 towards{};     // unit vector from the epipole to the centre
  bool has_epipole = false;

  PolarView(int width, int height, const Vec3& e);

  // Returns the angle at the epipole between the directions to the image centre and to a point. The
  // result is exact for far epipoles, whose directions nearly coincide.
  [[nodiscard]] double angle(const Vec2& p) const;
};

// Half epipolar line with parameter t. t = 0 is as far from the epipole as the image centre, t =
// -radius is the epipole.
struct HalfLine {
  Vec2 anchor{}, direction{};  // a point, and the unit vector away from the epipole
  double offset = 0;           // t of the anchor
  double begin = 0, end = 0;   // t at the ends of the part in the image
  bool is_seen = false;        // whether such a part exists

  [[nodiscard]] Vec2 at(double t) const {
    const double s = t - offset;
    return {anchor[0] + s * direction[0], anchor[1] + s * direction[1]};
  }
  [[nodiscard]] double distance(const Vec2& p) const;
};
struct LinePair {
  std::array<HalfLine, 2> sides;
};

// Angles of half lines about epipole 1, from the direction to the image centre.
struct Arc {
  double low = -std::numbers::pi, high = std::numbers::pi;
  bool is_full_circle = true;
};

class Pencil {
 public:
  // F has rank 2 and is in px from the image centres.
  Pencil(const Mat3& F, const PolarView& one, const PolarView& two);

  // Determines by a vote of the matches (px from the image centres) which half lines of image 2
  // correspond to half lines of image 1. Returns false if the vote is a tie.
  [[nodiscard]] bool orient(std::span<const PointPair> matches);
  // Finds the half lines that cross both images. Returns false if no half line does.
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

// Returns half lines of the arc whose neighbours are at most `step` px apart in both images, or an
// empty list if `limit` half lines are not enough.
[[nodiscard]] std::vector<LinePair> walk(const Pencil& pencil, const Arc& arc, double step,
                                         std::size_t limit);

}  // namespace bifocal::rectification
