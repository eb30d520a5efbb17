// SPDX-License-Identifier: BSD-3-Clause
// The origin of pixels. In memory the centre of the first pixel is (0, 0); in COLMAP's databases
// and models it is (0.5, 0.5). scripts/check-includes lists the files that may convert.
#pragma once

#include <span>

#include "scene/camera_models.hpp"

namespace bifocal::scene {

inline constexpr double kHalfPixel = 0.5;  // COLMAP's pixel coordinates minus Bifocal's

template <class Number>
void from_colmap(Number& x, Number& y) {
  x -= static_cast<Number>(kHalfPixel), y -= static_cast<Number>(kHalfPixel);
}
template <class Number>
void to_colmap(Number& x, Number& y) {
  x += static_cast<Number>(kHalfPixel), y += static_cast<Number>(kHalfPixel);
}

// Convert the principal point of a camera that LensCamera has.
inline void from_colmap(const CameraModel& model, std::span<double> params) {
  const auto at = static_cast<std::size_t>(model.principal_point());
  from_colmap(params[at], params[at + 1]);
}
inline void to_colmap(const CameraModel& model, std::span<double> params) {
  const auto at = static_cast<std::size_t>(model.principal_point());
  to_colmap(params[at], params[at + 1]);
}

}  // namespace bifocal::scene
