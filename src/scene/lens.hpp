// SPDX-License-Identifier: BSD-3-Clause
// Lane code of lenses for plain numbers, and the lens of a Distortion.
#pragma once

#include <bifocal/camera.hpp>

#include "lane/scalar.hpp"
#include "scene/lens_model.hpp"

namespace bifocal::scene {

template <class Real>
struct lens_lanes {
#include "lane/cpp_begin.h"

#include "scene/camera.list"
#include "scene/lens_model.lane.h"

#include "lane/cpp_end.h"
};
using LensLanes = lens_lanes<double>;

inline constexpr int kAllNumbers = (1 << LENS_SIZE) - 1;  // bits of the numbers of a lens

// A distortion as an invertible map of normalised points. Its Jacobian is symmetric; on a disc
// where it is positive definite the map is one-to-one. Beyond it the map folds over.
class Lens {
 public:
  // Throws Error(usage) if a coefficient is not finite.
  explicit Lens(const Distortion& distortion = {});
  // Radius of the disc, at most 1000; infinite without distortion. It is exact for radial
  // coefficients whose profile s r has a maximum, otherwise a safe lower bound.
  [[nodiscard]] double radius() const { return radius_; }
  // NaN outside the disc and for points that are not finite.
  [[nodiscard]] Vec2 distort(const Vec2& point) const;
  // Returns the point of the disc that distort() maps to `point`, to rounding precision (damped
  // Newton iteration); NaN without such a point.
  [[nodiscard]] Vec2 undistort(const Vec2& point) const;

 private:
  std::array<double, 8> coefficients_;
  double radius_;
};

}  // namespace bifocal::scene
