// SPDX-License-Identifier: BSD-3-Clause
// Adds the triangulated scene points to a relative pose.
#include <algorithm>
#include <bifocal/error.hpp>
#include <bifocal/two_view.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "robust/ransac.hpp"
#include "math/median.hpp"
#include "robust/scalar_math.hpp"
#include "robust/rotated_camera.hpp"

namespace bifocal {
namespace {

using robust::ScalarMath;

// Rays (x, y, 1) of the inliers.
struct InlierRays {
  std::vector<int> index;  // indices of the correspondences
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
  const double* R = result.pose.R.data();
  const double* t = result.pose.t.data();
  std::vector<double> parallax;
  for (size_t i = 0; i < rays.index.size(); ++i) {
    const double x1 = rays.x1[i], y1 = rays.y1[i], x2 = rays.x2[i], y2 = rays.y2[i];
    const double tangent = ScalarMath::parallax_tangent(R, x1, y1, x2, y2);
    const double angle = std::atan(tangent);
    parallax.push_back(tangent < 0 ? angle + std::numbers::pi : angle);
    if (result.outcome == Outcome::rotation_only ||
        !ScalarMath::pose_in_front(R, t, x1, y1, x2, y2)) {
      continue;
    }
    ++result.in_front;
    ScalarMath::triangulate(R, t, x1, y1, x2, y2,
                            result.triangulated[static_cast<size_t>(rays.index[i])].data());
  }
  result.median_parallax_deg = upper_median(parallax) * 180 / std::numbers::pi;
}

void check_relative(const char* where, ModelKind kind) {
  const ProblemInfo info = problem_info(kind);
  if (info.is_two_view && info.has_pose) return;
  throw Error(ErrorCode::usage, fmt::format("{}: {} has no relative pose", where, to_string(kind)));
}

}  // namespace

RelativePoseResult with_scene_points(ModelKind kind, EstimateResult found,
                                     std::span<const PointPair> points,
                                     std::span<const Intrinsics> cameras, double threshold) {
  check_relative("with_scene_points", kind);
  if (static_cast<int>(cameras.size()) != problem_info(kind).cameras)
    throw Error(ErrorCode::usage,
                fmt::format("with_scene_points {}: {} cameras, must be {}", to_string(kind),
                            cameras.size(), problem_info(kind).cameras));
  if (found.inliers.size() != points.size())
    throw Error(ErrorCode::usage, fmt::format("with_scene_points: {} flags for {} points",
                                              found.inliers.size(), points.size()));
  RelativePoseResult result{std::move(found)};
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  result.triangulated.assign(points.size(), Vec3{kNaN, kNaN, kNaN});
  if (result.num_inliers == 0) return result;
  Intrinsics camera1 = cameras.front(), camera2 = cameras.back();
  if (problem_info(kind).estimates_focal_length) {
    camera1.fy *= result.focal_length / camera1.fx;
    camera1.fx = result.focal_length;
    camera2 = camera1;
  }
  triangulate_inliers(inlier_rays(points, camera1, camera2, result.inliers), result);
  if (threshold > 0 && robust::ransac_steps(kind).doubts_translation)
    robust::doubt_translation(points, camera1, camera2, threshold, result);
  return result;
}

RelativePoseResult estimate_relative_pose(Queue& queue, ModelKind kind,
                                          std::span<const PointPair> points,
                                          const EstimateInput& input) {
  check_relative("estimate_relative_pose", kind);
  return with_scene_points(kind, estimate(queue, kind, points, input), points, input.cameras,
                           input.options.threshold);
}

RelativePoseResult estimate_relative_pose(ModelKind kind, std::span<const PointPair> points,
                                          const EstimateInput& input) {
  Queue cpu;
  return estimate_relative_pose(cpu, kind, points, input);
}

RelativePoseResult estimate_relative_pose(ModelKind kind, std::span<const DepthPair> points,
                                          const EstimateInput& input) {
  Queue cpu;
  return estimate_relative_pose(cpu, kind, points, input);
}

RelativePoseResult estimate_relative_pose(Queue& queue, ModelKind kind,
                                          std::span<const DepthPair> points,
                                          const EstimateInput& input) {
  check_relative("estimate_relative_pose", kind);
  std::vector<PointPair> pairs;
  pairs.reserve(points.size());
  for (const DepthPair& p : points) pairs.push_back({p.x1, p.y1, p.x2, p.y2});
  return with_scene_points(kind, estimate(queue, kind, points, input), pairs, input.cameras,
                           input.options.threshold);
}

Mat3 fundamental_from_essential(const Mat3& E, const Intrinsics& camera1,
                                const Intrinsics& camera2) {
  return times(times(transposed(camera2.inverse_matrix()), E), camera1.inverse_matrix());
}

Mat3 essential_from_fundamental(const Mat3& F, const Intrinsics& camera1,
                                const Intrinsics& camera2) {
  return times(transposed(camera2.matrix()), times(F, camera1.matrix()));
}

}  // namespace bifocal
