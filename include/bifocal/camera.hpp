// SPDX-License-Identifier: BSD-3-Clause
// Cameras with lens distortion. A ray (X, Y, Z) has the normalised point (x, y) = (X / Z, Y / Z).
// The lens moves it to (x', y') = distort(x, y), whose pixel is (fx x' + cx, fy y' + cy).
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

// Radial and decentring distortion of a normalised point with q = x^2 + y^2 (D. C. Brown,
// Decentering distortion of lenses, Photogrammetric Engineering 32(3), 1966). The radial factor is
// a quotient of polynomials:
//   s  = (1 + k1 q + k2 q^2 + k3 q^3) / (1 + k4 q + k5 q^2 + k6 q^3)
//   x' = s x + 2 p1 x y + p2 (q + 2 x^2)
//   y' = s y + p1 (q + 2 y^2) + 2 p2 x y
// If all coefficients are 0 the camera is a pinhole. The coefficients equal OpenCV's (k1, k2, p1,
// p2, k3, ...) and those in COLMAP's models up to FULL_OPENCV.
struct Distortion {
  double k1 = 0, k2 = 0, p1 = 0, p2 = 0, k3 = 0, k4 = 0, k5 = 0, k6 = 0;

  [[nodiscard]] bool none() const { return *this == Distortion{}; }
  [[nodiscard]] bool operator==(const Distortion&) const = default;
};

// Returns a reason to doubt that K belongs to images of width x height px. Reasons are a principal
// point more than a fifth of a side from the centre, as after a change of the image size, and a
// field of view below 0.5 or above 170 degrees. Empty without a reason, or if the size is
// unknown (0).
[[nodiscard]] std::string intrinsics_doubt(const Intrinsics& K, double width, double height);

// Smallest and largest length of a calibrated baseline, in any unit. Functions that scale by the
// baseline reject other lengths.
inline constexpr double kLeastBaseline = 1e-9, kMostBaseline = 1e12;

// A camera with OpenCV's rational distortion model.
struct Camera {
  Intrinsics intrinsics;
  Distortion distortion;
  int width = 0, height = 0;  // size of its images, px; 0: unknown
};

// Cameras of any lens model. Their pixels are undistorted before estimation, because estimators
// take pinholes.
//
//   const LensCamera camera("OPENCV_FISHEYE", {fx, fy, cx, cy, k1, k2, k3, k4}, 1920, 1080);
//   undistort(std::span(points), camera, camera);                 // px of camera.pinhole()
//   const Intrinsics pinholes[] = {camera.pinhole(), camera.pinhole()};
//   estimate_relative_pose(ModelKind::essential, points, {.cameras = pinholes});

// A camera with one of COLMAP's models. Parameters are f or fx fy, then cx cy, then the lens
// coefficients, in px with (0, 0) at the centre of the first pixel (cx and cy of COLMAP's files are
// larger by 0.5). A ray (X, Y, Z) has the normalised point (x, y) = (X, Y) / Z at radius r. The
// lens maps it to (x', y') as follows:
//   SIMPLE_PINHOLE, PINHOLE                  no distortion
//   SIMPLE_RADIAL (f; k1), RADIAL (f; k1 k2), OPENCV (k1 k2 p1 p2), FULL_OPENCV (... k3 to k6)
//                                            as in Distortion
//   SIMPLE_FISHEYE (f), FISHEYE              radius a = atan r
//   SIMPLE_RADIAL_FISHEYE (f; k1), RADIAL_FISHEYE (f; k1 k2), OPENCV_FISHEYE (k1 k2 k3 k4; the
//   model of OpenCV's namespace fisheye)     radius a (1 + k1 a^2 + k2 a^4 + k3 a^6 + k4 a^8)
//   THIN_PRISM_FISHEYE (k1 k2 p1 p2 k3 k4 sx1 sy1)   the same, then decentring and thin prisms
//   FOV (w)                                  radius atan(2 r tan(w / 2)) / w
//   SIMPLE_DIVISION (f; k), DIVISION (k)     radius r' with r = r' / (1 + k r'^2)
//   EUCM (alpha beta)                        radius r / (alpha sqrt(beta r^2 + 1) + 1 - alpha)
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
// Copies are cheap, and functions may run on several threads.
class LensCamera {
 public:
  // Makes a camera without distortion.
  explicit LensCamera(const Intrinsics& pinhole);
  // Makes a camera with OpenCV's rational model; pinhole() is camera.intrinsics.
  explicit LensCamera(const Camera& camera);
  // Makes a camera of a COLMAP model. width, height: size of its images in px, needed for rectify()
  // and for the scale of pinhole(); if it is 0 (unknown), pinhole() has the focal lengths of the
  // camera. Throws Error(usage) for an unknown model, a wrong number of parameters, parameters that
  // are not finite, and focal lengths that are not positive.
  LensCamera(std::string_view model, std::span<const double> params, std::int64_t width = 0,
             std::int64_t height = 0);

  // Returns the number of parameters of a model; 0 for an unknown name.
  [[nodiscard]] static int parameter_count(std::string_view model);
  [[nodiscard]] static int focal_lengths(std::string_view model);  // 1 or 2; 0: unknown name

  // Name of the model and its parameters in the model's order. A camera made from a Camera or
  // Intrinsics has no name and the parameters fx fy cx cy k1 k2 p1 p2 k3 k4 k5 k6.
  [[nodiscard]] std::string_view model() const;
  [[nodiscard]] std::span<const double> params() const;
  // Whether the camera has distortion; otherwise undistort() leaves pixels unchanged.
  [[nodiscard]] bool has_lens() const;
  // Whether the model is a fisheye, in which distances from the image centre follow the angle off
  // the axis, not its tangent.
  [[nodiscard]] bool is_fisheye() const;
  // Size of the images, px; 0 if unknown.
  [[nodiscard]] std::int64_t width() const { return width_; }
  [[nodiscard]] std::int64_t height() const { return height_; }
  // Intrinsics given by the parameters. They hold near the optical axis, where the distortion
  // is small.
  [[nodiscard]] const Intrinsics& intrinsics() const;
  // Intrinsics for the pixels that undistort() returns. The focal length is chosen so that halfway
  // to the image corner one undistorted px is about one px of the image; errors in px then have the
  // same meaning.
  [[nodiscard]] const Intrinsics& pinhole() const;
  // Converts a pixel of the image to the pixel at which pinhole() sees the same ray. NaN if the
  // pixel is not finite, if the model has no ray for it, and for rays more than 80 degrees off
  // the axis.
  [[nodiscard]] Vec2 undistort(const Vec2& px) const;
  // Converts a pixel of pinhole() to the pixel of the image; the inverse of undistort(). NaN also
  // where the model folds over.
  [[nodiscard]] Vec2 distort(const Vec2& pinhole_px) const;

 private:
  struct Model;
  void set_scale();
  std::shared_ptr<const Model> model_;
  Intrinsics pinhole_;
  std::int64_t width_ = 0, height_ = 0;
};

// Replaces all points by their pixels in the cameras' pinholes. Points without such a pixel become
// NaN, which estimators exclude (EstimateResult::not_finite).
void undistort(std::span<PointPair> points, const LensCamera& camera1, const LensCamera& camera2);
void undistort(std::span<ScenePoint> points, const LensCamera& camera);

}  // namespace bifocal
