// SPDX-License-Identifier: BSD-3-Clause
// Cameras with a lens. A ray (X, Y, Z) has the normalised point (x, y) = (X / Z, Y / Z); the lens
// moves it to distort(x, y); the pixel is (fx x + cx, fy y + cy) of what it was moved to.
#pragma once

#include <bifocal/geometry.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

// Returns a reason to doubt that K belongs to images of width x height px, in words: a principal
// point more than a fifth of a side from the centre, as after a change of the image size, or a
// field of view below 0.5 or above 170 degrees. Empty without one, or if the size is unknown (0).
[[nodiscard]] std::string intrinsics_doubt(const Intrinsics& K, double width, double height);

// Lengths of a calibrated baseline, in any unit; functions that scale by it refuse others.
inline constexpr double kLeastBaseline = 1e-9, kMostBaseline = 1e12;

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

// Cameras of every lens model: pixels undistorted on the way into estimators that take pinholes.
//
//   const LensCamera camera("OPENCV_FISHEYE", {fx, fy, cx, cy, k1, k2, k3, k4}, 1920, 1080);
//   undistort(std::span(points), camera, camera);                 // px of camera.pinhole()
//   const Intrinsics pinholes[] = {camera.pinhole(), camera.pinhole()};
//   estimate_relative_pose(ModelKind::essential, points, {.cameras = pinholes});

// Models by COLMAP's names; parameters are f or fx fy, then cx cy, then those of the lens, px with
// (0, 0) the centre of the first pixel (COLMAP's cx and cy are larger by 0.5). A ray (X, Y, Z) has
// the normalised point (x, y) = (X, Y) / Z at r, which the lens moves to (x', y'):
//   SIMPLE_PINHOLE, PINHOLE                  not at all
//   SIMPLE_RADIAL (f; k1), RADIAL (f; k1 k2), OPENCV (k1 k2 p1 p2), FULL_OPENCV (... k3 to k6)
//                                            as Distortion does (camera.hpp)
//   SIMPLE_FISHEYE (f), FISHEYE              to a distance of a = atan r
//   SIMPLE_RADIAL_FISHEYE (f; k1), RADIAL_FISHEYE (f; k1 k2), OPENCV_FISHEYE (k1 k2 k3 k4; what
//   OpenCV's namespace fisheye has)          to a (1 + k1 a^2 + k2 a^4 + k3 a^6 + k4 a^8)
//   THIN_PRISM_FISHEYE (k1 k2 p1 p2 k3 k4 sx1 sy1)   the same, then decentred and by thin prisms
//   FOV (w)                                  to atan(2 r tan(w / 2)) / w
//   SIMPLE_DIVISION (f; k), DIVISION (k)     to r' with r = r' / (1 + k r'^2)
//   EUCM (alpha beta)                        to r / (alpha sqrt(beta r^2 + 1) + 1 - alpha)
// Papers:
//   D. C. Brown, Decentering distortion of lenses, Photogrammetric Engineering 32(3), 1966;
//   J. Kannala, S. Brandt, A generic camera model and calibration method for conventional,
//   wide-angle, and fish-eye lenses, PAMI 28(8), 2006;  F. Devernay, O. Faugeras, Straight lines
//   have to be straight, MVA 13, 2001 (FOV);  J. Weng, P. Cohen, M. Herniou, Camera calibration
//   with distortion models and accuracy evaluation, PAMI 14(10), 1992 (thin prisms);  A.
//   Fitzgibbon, Simultaneous linear estimation of multiple view geometry and lens distortion, CVPR
//   2001 (division);  B. Khomutenko, G. Garcia, P. Martinet, An enhanced unified camera model, RA-L
//   1(1), 2016 (EUCM).
//
// Cheap to copy; functions may run on several threads.
class LensCamera {
 public:
  // This makes a pinhole.
  explicit LensCamera(const Intrinsics& pinhole);
  // OpenCV's rational lens; pinhole() is camera.intrinsics.
  explicit LensCamera(const Camera& camera);
  // width, height: of the pictures, px, for rectify() and the scale of pinhole(); 0 unknown: its
  // focal lengths are the camera's. Throws Error(usage) for another model, numbers that are not
  // finite or not as many as the model has, and focal lengths that are not positive.
  LensCamera(std::string_view model, std::span<const double> params, std::int64_t width = 0,
             std::int64_t height = 0);

  // A model has so many parameters; 0 for a name that is none.
  [[nodiscard]] static int parameter_count(std::string_view model);
  [[nodiscard]] static int focal_lengths(std::string_view model);  // 1 or 2 of them; 0

  // Name of the model, and its parameters in the model's order. Made from a Camera or Intrinsics:
  // no name, and fx fy cx cy k1 k2 p1 p2 k3 k4 k5 k6.
  [[nodiscard]] std::string_view model() const;
  [[nodiscard]] std::span<const double> params() const;
  // Else px stay what they are.
  [[nodiscard]] bool has_lens() const;
  // This is true of the fisheye models, whose lengths in the picture are angles and not their
  // tangents.
  [[nodiscard]] bool is_fisheye() const;
  // These are the sides of the pictures, px; 0 where they are unknown.
  [[nodiscard]] std::int64_t width() const { return width_; }
  [[nodiscard]] std::int64_t height() const { return height_; }
  // These are the intrinsics that the parameters tell where the lens moves little: near the axis.
  [[nodiscard]] const Intrinsics& intrinsics() const;
  // These are the intrinsics of the px that undistort() gives. The focal length is chosen so that a
  // px of the result is about one of the picture, halfway to its corner, for errors in px to mean
  // the same.
  [[nodiscard]] const Intrinsics& pinhole() const;
  // The px at which pinhole() sees what this camera sees at px. NaN where the model has no ray, and
  // for rays more than 80 degrees off the axis, which no pinhole sees; px that are not finite.
  [[nodiscard]] Vec2 undistort(const Vec2& px) const;
  // This goes the other way. The result is NaN also where the model folds over.
  [[nodiscard]] Vec2 distort(const Vec2& pinhole_px) const;

 private:
  struct Model;
  void set_scale();
  std::shared_ptr<const Model> model_;
  Intrinsics pinhole_;
  std::int64_t width_ = 0, height_ = 0;
};

// Moves all points to where the pinholes see them. Those without a place there become NaN, which
// estimators leave out (EstimateResult::not_finite).
void undistort(std::span<PointPair> points, const LensCamera& camera1, const LensCamera& camera2);
void undistort(std::span<ScenePoint> points, const LensCamera& camera);

}  // namespace bifocal
