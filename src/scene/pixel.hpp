// SPDX-License-Identifier: BSD-3-Clause
// The origin of pixels. In memory the centre of the first pixel is (0, 0); in COLMAP's databases
// and models it is (0.5, 0.5). scripts/check-includes lists the readers and writers that convert.
//
// A double x of a file with 0.25 <= x < 2^53 returns to the same bits, because x - 0.5 is exact.
// Other values may change by 2^-54 px or in their last bit: no double in memory stands for them.
#pragma once

#include <cstddef>
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

// Returns cx and cy of a camera of COLMAP's model `number`; empty for a model without a principal
// point, an unknown number, and a number of parameters that the model does not have.
inline std::span<double> principal_point_of(int number, std::span<double> params) {
  const CameraModel* const model = camera_model(number);
  if (!model || params.size() != static_cast<std::size_t>(model->parameter_count())) return {};
  const int at = model->principal_point();
  return at < 0 ? std::span<double>() : params.subspan(static_cast<std::size_t>(at), 2);
}

// Convert the principal point of a camera, if it has one.
inline void from_colmap(int number, std::span<double> params) {
  for (double& v : principal_point_of(number, params)) v -= kHalfPixel;
}
inline void to_colmap(int number, std::span<double> params) {
  for (double& v : principal_point_of(number, params)) v += kHalfPixel;
}

}  // namespace bifocal::scene
