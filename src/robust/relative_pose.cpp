// SPDX-License-Identifier: BSD-3-Clause
// Essential matrix, and the pose and scene points that follow from it.
#include <algorithm>
#include <bifocal/robust.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "robust/result.hpp"
#include "robust/scalar_lanes.hpp"
#include "robust/two_view.hpp"

namespace bifocal {
namespace {

using robust::Lanes;

// Rays (x, y, 1) of the inliers.
struct InlierRays {
  std::vector<int> index;  // of the correspondence
  std::vector<double> x1, y1, x2, y2;
};

InlierRays inlier_rays(std::span<const PointPair> points, const Intrinsics& c1,
                       const Intrinsics& c2, const std::vector<std::uint8_t>& inliers) {
  InlierRays rays;
  for (size_t i = 0; i < points.size(); ++i) {
    if (!inliers[i]) continue;
    rays.index.push_back(static_cast<int>(i));
    rays.x1.push_back((points[i].x1 - c1.cx) / c1.fx);
    rays.y1.push_back((points[i].y1 - c1.cy) / c1.fy);
    rays.x2.push_back((points[i].x2 - c2.cx) / c2.fx);
    rays.y2.push_back((points[i].y2 - c2.cy) / c2.fy);
  }
  return rays;
}

void triangulate_inliers(const InlierRays& rays, RelativePoseResult& result) {
  const double* R = result.cam2_from_cam1.R.data();
  const double* t = result.cam2_from_cam1.t.data();
  std::vector<double> parallax;
  for (size_t i = 0; i < rays.index.size(); ++i) {
    const double x1 = rays.x1[i], y1 = rays.y1[i], x2 = rays.x2[i], y2 = rays.y2[i];
    const double tangent = Lanes::parallax_tangent(R, x1, y1, x2, y2);
    const double angle = std::atan(tangent);
    parallax.push_back(tangent < 0 ? angle + std::numbers::pi : angle);
    if (!Lanes::pose_in_front(R, t, x1, y1, x2, y2)) continue;
    ++result.in_front;
    Lanes::triangulate(R, t, x1, y1, x2, y2,
                       result.triangulated[static_cast<size_t>(rays.index[i])].data());
  }
  const auto middle = parallax.begin() + static_cast<std::ptrdiff_t>(parallax.size() / 2);
  std::nth_element(parallax.begin(), middle, parallax.end());
  result.median_parallax_deg = *middle * 180 / std::numbers::pi;
}

void recover_pose(std::span<const PointPair> points, const Intrinsics& c1, const Intrinsics& c2,
                  RelativePoseResult& result) {
  constexpr int kVoters = 200;  // inliers that choose among the four poses
  const InlierRays rays = inlier_rays(points, c1, c2, result.inliers);
  InlierRays voters;
  const size_t n = rays.index.size(), step = std::max<size_t>(1, n / kVoters);
  for (size_t i = 0; i < n; i += step) {
    voters.x1.push_back(rays.x1[i]);
    voters.y1.push_back(rays.y1[i]);
    voters.x2.push_back(rays.x2[i]);
    voters.y2.push_back(rays.y2[i]);
  }
  Lanes::pose_from_essential(result.model.data(), voters.x1.data(), voters.y1.data(),
                             voters.x2.data(), voters.y2.data(), static_cast<int>(voters.x1.size()),
                             result.cam2_from_cam1.R.data(), result.cam2_from_cam1.t.data());
  triangulate_inliers(rays, result);
}

}  // namespace

RelativePoseResult estimate_essential(std::span<const PointPair> pairs, const Intrinsics& camera1,
                                      const Intrinsics& camera2, const RobustOptions& options) {
  robust::check_options(options);
  robust::check_camera("camera1", camera1);
  robust::check_camera("camera2", camera2);
  RelativePoseResult result;
  result.inliers.assign(pairs.size(), 0);
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  result.triangulated.assign(pairs.size(), Vec3{kNaN, kNaN, kNaN});
  const std::array<double, 4> centre = {camera1.cx, camera1.cy, camera2.cx, camera2.cy};
  robust::TwoViewPoints points = robust::two_view_points(pairs, options.seed, &centre);
  result.not_finite = std::move(points.not_finite);
  if (points.count() < 5) {
    result.outcome = Outcome::too_few_points;
    return result;
  }
  const auto problem = robust::essential_problem(points, camera1, camera2, options.threshold);
  const robust::SearchResult found = robust::search(*problem, options);
  robust::fill_result(*problem, points.order, points.frame.length, found, result);
  if (!result.ok()) return result;
  result.model = robust::essential_of(points.frame, camera1, camera2, found.model);
  recover_pose(pairs, camera1, camera2, result);
  return result;
}

}  // namespace bifocal
