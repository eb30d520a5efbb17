// SPDX-License-Identifier: BSD-3-Clause
// Plain types of two-view geometry. Matrices are row-major: x2 ~ H x1; x2' F x1 = 0 in pixels; x2'
// E x1 = 0 on normalised points; a pose is cam2_from_cam1: X2 = R X1 + t with |t| = 1.
#pragma once

#include <array>

namespace bifocal {

using Vec3 = std::array<double, 3>;
using Mat3 = std::array<double, 9>;

// A correspondence is (x1, y1) in the first image and (x2, y2) in the second, px.
struct PointPair {
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
};

// A scene point (X, Y, Z) in world units, seen at (x, y) px.
struct ScenePoint {
  double x = 0, y = 0, X = 0, Y = 0, Z = 0;
};

struct Pose {
  Mat3 R = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  Vec3 t = {0, 0, 0};
};

// A pinhole camera without distortion maps to px: x = fx X / Z + cx, y = fy Y / Z + cy.
struct Intrinsics {
  double fx = 0, fy = 0, cx = 0, cy = 0;

  [[nodiscard]] bool valid() const { return fx > 0 && fy > 0; }
  [[nodiscard]] Mat3 matrix() const { return {fx, 0, cx, 0, fy, cy, 0, 0, 1}; }
};

}  // namespace bifocal
