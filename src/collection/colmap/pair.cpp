// SPDX-License-Identifier: BSD-3-Clause
// Conversion between COLMAP's and Bifocal's geometry of a pair: order of the images and origin
// of the pixels.
#include "collection/colmap/pair.hpp"

#include <fmt/format.h>
#include <bifocal/error.hpp>

#include <algorithm>
#include <cmath>

namespace bifocal::colmap {
namespace {

// Returns the inverse of a homography, scaled to the Frobenius norm of `a`, because the scale of a
// homography is arbitrary. Returns zeros for a matrix of zeros.
Mat3 inverse_of_size(const Mat3& a) {
  Mat3 c = adjugate(a);
  double of_a = 0, of_c = 0;
  for (const double v : a) of_a += v * v;
  for (const double v : c) of_c += v * v;
  const double scale = of_c > 0 ? std::copysign(std::sqrt(of_a / of_c), determinant(a)) : 0;
  for (double& v : c) v *= scale;
  return c;
}

constexpr Mat3 shift(double by) { return {1, 0, by, 0, 1, by, 0, 0, 1}; }

}  // namespace

std::uint64_t pair_id(Id image1, Id image2) {
  if (std::max(image1, image2) >= kMaxImages)
    throw Error(ErrorCode::usage, fmt::format("pair_id: image {}, must be below {}",
                                              std::max(image1, image2), kMaxImages));
  if (image1 == image2)
    throw Error(ErrorCode::usage, fmt::format("pair_id: image {} with itself", image1));
  return std::uint64_t{kMaxImages} * std::min(image1, image2) + std::max(image1, image2);
}

std::pair<Id, Id> images_of(std::uint64_t pair_id) {
  const std::uint64_t larger = pair_id % kMaxImages, smaller = pair_id / kMaxImages;
  if (smaller >= larger)
    throw Error(ErrorCode::usage, fmt::format("images_of: {} is no number of a pair", pair_id));
  return {static_cast<Id>(smaller), static_cast<Id>(larger)};
}

std::string_view to_string(Configuration configuration) {
  static constexpr std::string_view kNames[] = {
      "undefined", "degenerate",          "calibrated", "uncalibrated", "planar",
      "panoramic", "planar_or_panoramic", "watermark",  "multiple",     "calibrated_rig"};
  const int k = static_cast<int>(configuration);
  return k >= 0 && k < 10 ? kNames[k] : "unknown";
}

bool is_geometry(Configuration configuration) {
  return configuration != Configuration::undefined && configuration != Configuration::degenerate &&
         configuration != Configuration::watermark;
}

TwoViewGeometry swapped(TwoViewGeometry g) {
  for (IndexPair& m : g.inliers) std::swap(m.index1, m.index2);
  if (g.F) g.F = transposed(*g.F);
  if (g.E) g.E = transposed(*g.E);
  if (g.H) g.H = inverse_of_size(*g.H);
  if (g.cam2_from_cam1) {
    const Mat3 R = transposed(g.cam2_from_cam1->R);
    const Vec3 t = g.cam2_from_cam1->t;
    Pose& pose = *g.cam2_from_cam1;
    pose.R = R;
    for (std::size_t i = 0; i < 3; ++i)
      pose.t[i] = 0 - (R[3 * i] * t[0] + R[3 * i + 1] * t[1] + R[3 * i + 2] * t[2]);
  }
  return g;
}

void shift_pixels(TwoViewGeometry& g, double by) {
  const Mat3 back = shift(-by);
  if (g.F) g.F = times(transposed(back), times(*g.F, back));
  if (g.H) g.H = times(shift(by), times(*g.H, back));
}

// Returns the quaternion by the formula with the largest component, which avoids division by a
// small number; w >= 0.
//   K. Shoemake, Animating rotation with quaternion curves, SIGGRAPH 1985.
std::array<double, 4> quaternion_of(const Mat3& R) {
  const double squares[4] = {1 + R[0] + R[4] + R[8], 1 + R[0] - R[4] - R[8], 1 - R[0] + R[4] - R[8],
                             1 - R[0] - R[4] + R[8]};
  const auto k = static_cast<std::size_t>(std::max_element(squares, squares + 4) - squares);
  const double wx = R[7] - R[5], wy = R[2] - R[6], wz = R[3] - R[1], xy = R[1] + R[3],
               xz = R[2] + R[6], yz = R[5] + R[7];
  const double rows[4][4] = {{squares[0], wx, wy, wz},
                             {wx, squares[1], xy, xz},
                             {wy, xy, squares[2], yz},
                             {wz, xz, yz, squares[3]}};
  std::array<double, 4> q;
  double length = 0;
  for (std::size_t i = 0; i < 4; ++i) length += rows[k][i] * rows[k][i];
  const double scale = std::copysign(1 / std::sqrt(length), rows[k][0]);
  for (std::size_t i = 0; i < 4; ++i) q[i] = rows[k][i] * scale;
  return q;
}

Mat3 rotation_of(const std::array<double, 4>& q) {
  const double s = 2 / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  return {1 - s * (y * y + z * z), s * (x * y - w * z),     s * (x * z + w * y),
          s * (x * y + w * z),     1 - s * (x * x + z * z), s * (y * z - w * x),
          s * (x * z - w * y),     s * (y * z + w * x),     1 - s * (x * x + y * y)};
}

}  // namespace bifocal::colmap
