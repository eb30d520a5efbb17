// SPDX-License-Identifier: BSD-3-Clause
// Ray tracing of a synthetic town.
#pragma once

#include <bifocal/geometry.hpp>
#include <bifocal/image.hpp>

#include <cstdint>
#include <vector>

#include "scene.hpp"

namespace bifocal::bench {

// A pinhole camera whose principal point is the centre of its images, px.
struct Lens {
  int width = 1600, height = 1200;
  [[nodiscard]] double focal() const { return width * 4 / 5.0; }
};

// A photograph with the depth along the optical axis (m, NaN: sky) and the normal of the surface in
// each pixel's centre. Normals have 127 for 1, point to the camera and have the camera's axes.
struct Rendered {
  ImageU8 rgb = {};
  std::vector<float> depth = {};
  std::vector<std::int8_t> normal = {};
};

// Value noise of surface `wall` at (u, v), in octaves from `largest` to the size of a pixel.
// Lengths are in m. The result is about 0.5 on average.
[[nodiscard]] double texture(double u, double v, std::uint32_t wall, double pixel,
                             double largest = 1.28);

// number: of the photograph, for its noise and its gain.
[[nodiscard]] Rendered render(const Town& town, const Pose& pose, const Lens& lens,
                              std::uint32_t number);

}  // namespace bifocal::bench
