// SPDX-License-Identifier: BSD-3-Clause
#include "pair/dense_cameras.hpp"

#include <bifocal/two_view.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace bifocal::pair {
namespace {

using Picture = ImageView<const std::uint8_t>;

constexpr double kMaxFocalDeviation = 0.2;  // of the focal length
constexpr double kUsualFocalLength = 1.2;   // of the longer side: 45 degrees across it

std::vector<PointPair> inliers_of(const PairResult& result) {
  std::vector<PointPair> kept;
  for (std::size_t i = 0; i < result.points.size(); ++i)
    if (result.model.inliers[i]) kept.push_back(result.points[i]);
  return kept;
}

Intrinsics camera_of(Picture image, double focal_length) {
  return {focal_length, focal_length, (image.width - 1) / 2.0, (image.height - 1) / 2.0};
}
Intrinsics usual_camera(Picture image) {
  return camera_of(image, kUsualFocalLength * std::max(image.width, image.height));
}

// K2' F K1
Mat3 essential_of(const Mat3& F, const Intrinsics& k1, const Intrinsics& k2) {
  const Mat3 A = k1.matrix(), B = k2.matrix();
  Mat3 E{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t l = 0; l < 3; ++l)
          E[3 * i + j] += B[3 * k + i] * F[3 * k + l] * A[3 * l + j];
  return E;
}

Vec3 ray(const Intrinsics& k, double x, double y) {
  const Vec3 r = {(x - k.cx) / k.fx, (y - k.cy) / k.fy, 1};
  const double n = std::hypot(r[0], r[1], r[2]);
  return {r[0] / n, r[1] / n, r[2] / n};
}

double median_parallax_deg(const DenseCameras& c) {
  std::vector<double> angles;
  for (const PointPair& m : c.matches) {
    const Vec3 a = ray(c.camera1, m.x1, m.y1), b = ray(c.camera2, m.x2, m.y2);
    double cosine = 0;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) cosine += b[i] * c.pose.R[3 * i + j] * a[j];
    angles.push_back(std::acos(std::clamp(cosine, -1.0, 1.0)));
  }
  if (angles.empty()) return 0;
  const auto middle = angles.begin() + static_cast<std::ptrdiff_t>(angles.size() / 2);
  std::nth_element(angles.begin(), middle, angles.end());
  return *middle * 180 / std::numbers::pi;
}

// Both pictures of one camera whose focal length the matches tell?
bool estimate_focal_length(Queue& queue, Picture image1, Picture image2, const PairOptions& options,
                           DenseCameras& out) {
  if (image1.width != image2.width || image1.height != image2.height) return false;
  const RelativePoseResult found = estimate_relative_pose(
      ModelKind::shared_focal, out.matches,
      {.cameras = std::array{camera_of(image1, 1)}, .options = options.robust, .queue = &queue});
  // A shared focal length explains what a fundamental matrix does, or the cameras are two.
  constexpr double kLeastShare = 0.95;
  if (!found.ok() || !(found.focal_deviation < kMaxFocalDeviation * found.focal_length) ||
      found.inlier_count < kLeastShare * static_cast<double>(out.matches.size()))
    return false;
  out.camera1 = out.camera2 = camera_of(image1, found.focal_length);
  out.pose = found.pose;
  out.source = CameraSource::estimated;
  out.focal_deviation = found.focal_deviation;
  return true;
}

}  // namespace

DenseCameras dense_cameras(Queue& queue, Picture image1, Picture image2, const PairOptions& options,
                           const PairResult& result) {
  DenseCameras out;
  out.matches = inliers_of(result);
  if (result.kind == ModelKind::essential) {
    out.camera1 = *options.camera1;
    out.camera2 = *options.camera2;
    out.pose = *result.cam2_from_cam1;
    out.median_parallax_deg = result.median_parallax_deg;
    return out;
  }
  const bool is_given = options.camera1 && options.camera2;
  if (is_given || !estimate_focal_length(queue, image1, image2, options, out)) {
    out.camera1 = options.camera1.value_or(usual_camera(image1));
    out.camera2 = options.camera2.value_or(usual_camera(image2));
    const Mat3 E = essential_of(result.model.model, out.camera1, out.camera2);
    out.pose = recover_pose(E, out.matches, out.camera1, out.camera2).cam2_from_cam1;
    out.source = is_given ? CameraSource::given : CameraSource::assumed;
    out.F = result.model.model;
  }
  out.median_parallax_deg = median_parallax_deg(out);
  return out;
}

}  // namespace bifocal::pair
