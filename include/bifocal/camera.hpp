// SPDX-License-Identifier: BSD-3-Clause
// Cameras with a lens. A ray (X, Y, Z) has the normalised point (x, y) = (X / Z, Y / Z); the lens
// moves it to distort(x, y); the pixel is (fx x + cx, fy y + cy) of what it was moved to.
#pragma once

#include <array>

#include <bifocal/geometry.hpp>

namespace bifocal {

using Vec2 = std::array<double, 2>;

// Radial and decentring distortion of a normalised point at q = x^2 + y^2 (D. C. Brown,
// Decentering distortion of lenses, Photogrammetric Engineering 32(3), 1966), the radial factor
// a quotient of polynomials:
//   s  = (1 + k1 q + k2 q^2 + k3 q^3) / (1 + k4 q + k5 q^2 + k6 q^3)
//   x' = s x + 2 p1 x y + p2 (q + 2 x^2)
//   y' = s y + p1 (q + 2 y^2) + 2 p2 x y
// All zero: a pinhole. Coefficients of OpenCV (k1, k2, p1, p2, k3, ...) and of COLMAP's models up
// to FULL_OPENCV mean the same.
struct Distortion {
  double k1 = 0, k2 = 0, p1 = 0, p2 = 0, k3 = 0, k4 = 0, k5 = 0, k6 = 0;

  [[nodiscard]] bool none() const { return *this == Distortion{}; }
  [[nodiscard]] bool operator==(const Distortion&) const = default;
};

struct Camera {
  Intrinsics intrinsics;
  Distortion distortion;
  int width = 0, height = 0;  // of its pictures, px; 0 unknown
};

// A distortion as a map that has an inverse. Its Jacobian is symmetric, so on a disc where that is
// positive definite no two points go to the same place; beyond, the model folds over and its values
// mean nothing. Made once a camera, then cheap to copy; functions may run on several threads.
class Lens {
 public:
  // Throws Error(usage) when a coefficient is not finite.
  explicit Lens(const Distortion& distortion = {});
  // Radius of that disc, of normalised points: infinite without distortion, else at most 1000. The
  // bound is exact for radial coefficients where the profile s r turns back, and on the safe side
  // with decentring or a growing s.
  [[nodiscard]] double radius() const { return radius_; }
  // Closed form; NaN outside the disc and for what is not finite.
  [[nodiscard]] Vec2 distort(const Vec2& point) const;
  // The point of the disc that distort() moves here, by damped Newton iteration (at most 60 steps,
  // 4 as a rule) to the rounding of the numbers; NaN where the disc has none.
  [[nodiscard]] Vec2 undistort(const Vec2& point) const;

 private:
  std::array<double, 8> coefficients_;
  double radius_;
};

}  // namespace bifocal
