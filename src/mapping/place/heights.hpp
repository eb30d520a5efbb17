// SPDX-License-Identifier: BSD-3-Clause
// Heights of a flight above the ground, by altitudes above its start.
#pragma once

#include <cmath>
#include <optional>

#include "mapping/scene.hpp"

namespace bifocal::mapping {

inline constexpr double kBarometer = 1.5;  // deviation of altitudes above the start, m

// Heights of the cameras and of the ground below them, where the flight starts in its area.
struct Heights {
  double camera = 0, ground = 0, relief = 0;  // m: z of the cameras, of points, deviation of points
  double altitude = 0;                        // of the cameras above the start
  double level = 0;                           // z of the start, by the cameras
  double deviation = 0;                       // of the altitudes from the cameras

  // Of the heights that the altitudes give to those of the model.
  [[nodiscard]] double factor() const { return altitude / (camera - ground); }
  [[nodiscard]] double relative_deviation() const {
    return std::hypot(relief, kBarometer) / altitude;
  }
};
// Of the registered views of a scene in metres whose cameras look down. Empty if fewer than three
// have altitudes, or if these differ from the model's heights by more than a factor of 1.5.
[[nodiscard]] std::optional<Heights> heights_of(const Scene& scene);

}  // namespace bifocal::mapping
