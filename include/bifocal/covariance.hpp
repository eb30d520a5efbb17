// SPDX-License-Identifier: BSD-3-Clause
// A fitted model can be trusted as far as its covariance says, to first order, from the noise of
// the points that it was fitted to.
//   R. Hartley, A. Zisserman, Multiple View Geometry in Computer Vision, 2nd ed., 2003, 5.2.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include <bifocal/geometry.hpp>
#include <bifocal/robust.hpp>

namespace bifocal {

// The covariance holds at the least-squares model of refine() (two_view.hpp), which estimators end
// with, too. With the constraints c(x, p) = 0 of a point x and a model p, A = dc/dx, B = dc/dp, and
// coordinates of independent noise s, it is in a chart of the model's d parameters is
//   s^2 (sum B' (A A')^-1 B)^-1,
// mapped to the numbers below by the chart's Jacobian. So matrices of 9 or 6 numbers have the rank
// d: none along what does not change the model (its scale, rank and singular values, the length of
// t). It holds where the model is linear over the noise and the points are all inliers: a threshold
// that cuts errors off makes `noise` too small, one that lets wrong ones in too large.
struct ModelCovariance {
  bool ok = false;     // else the points leave parameters open, or are too few to tell the noise
  int parameters = 0;  // d: 8 of H, 7 of F, 5 of E, 3 of an upright E, 4, 6, 6 of a pose, and 6 of
                       // an F with the focal length that both pictures share
  double noise = 0;    // px, s: as given, or sqrt(sum of squared errors / (points codimension - d))
  // Row-major [9][9], of the row-major numbers of the model scaled to |model| = 1 (of a pose: zeros
  // but for relative ones, whose model is E).
  std::array<double, 81> model{};
  // Row-major [6][6], of (w, t) of a pose: R is exp([w]x) R to first order, w in radians (X2 turned
  // about the axis w), t as it is. Zeros for models that are no pose.
  std::array<double, 36> pose{};
  // px^2, of the focal length fx of shared_focal, to first order: where matches on one plane leave
  // it open, which focal_deviation says, this does not show it.
  double focal_variance = 0;
};

// Returns the covariance of a model of two views, with cameras as its kind takes them. Points whose
// flag is 0, or that are not finite, are left out (no flags: all). noise: px, the standard
// deviation of every coordinate; 0: estimated. Throws Error(usage) naming a model that is none, a
// camera, a number of flags, and a noise below 0; for an upright E that is not [t]x R of a turn
// about y.
[[nodiscard]] ModelCovariance covariance(ModelKind kind, const Mat3& model,
                                         std::span<const PointPair> points,
                                         std::span<const Intrinsics> cameras = {},
                                         std::span<const std::uint8_t> inliers = {},
                                         double noise = 0);
// Returns that of a relative pose, |t| = 1, and of its essential matrix.
[[nodiscard]] ModelCovariance covariance(const Pose& cam2_from_cam1,
                                         std::span<const PointPair> points,
                                         const Intrinsics& camera1, const Intrinsics& camera2,
                                         std::span<const std::uint8_t> inliers = {},
                                         double noise = 0);
// Returns that of an absolute pose. Points behind the camera are left out.
[[nodiscard]] ModelCovariance covariance(const Pose& cam_from_world,
                                         std::span<const ScenePoint> points,
                                         const Intrinsics& camera,
                                         std::span<const std::uint8_t> inliers = {},
                                         double noise = 0);

}  // namespace bifocal
