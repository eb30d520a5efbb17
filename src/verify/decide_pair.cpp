// SPDX-License-Identifier: BSD-3-Clause
#include "verify/decide.hpp"

#include <bifocal/error.hpp>
#include <bifocal/two_view.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "math/median.hpp"
#include "verify/inlier_points.hpp"

namespace bifocal::colmap {
namespace {

struct Decision {
  Configuration configuration;
  const FoundModel* inliers_of;
};

Decision planar_or(Configuration otherwise, const FoundModel& model, const PairView& pair,
                   const TwoViewGeometryOptions& o) {
  if (pair.H.count() <= o.max_H_inlier_ratio * model.count()) return {otherwise, &model};
  return {Configuration::planar_or_panoramic, pair.H.count() > model.count() ? &pair.H : &model};
}

// Returns the fundamental matrix to use: with the focal length shared by both images if that model
// has nearly as many inliers as F, otherwise F.
const FoundModel& epipolar_of(const PairView& pair, const TwoViewGeometryOptions& o) {
  const int s = pair.shared.estimate.outcome == Outcome::ok ? pair.shared.count() : 0;
  const bool shared = s >= o.min_inliers && s > o.min_E_F_inlier_ratio * pair.F.count();
  return shared ? pair.shared : pair.F;
}

Decision decide(const PairView& pair, const TwoViewGeometryOptions& o) {
  const int least = o.min_inliers;
  const FoundModel& F = epipolar_of(pair, o);
  const int e = pair.E.count(), f = F.count(), h = pair.H.count();
  if (e >= least && e > o.min_E_F_inlier_ratio * f)
    return planar_or(Configuration::calibrated, e >= f ? pair.E : F, pair, o);
  if (f >= least) return planar_or(Configuration::uncalibrated, F, pair, o);
  if (h >= least) return {Configuration::planar_or_panoramic, &pair.H};
  return {Configuration::degenerate, nullptr};
}

// Detects text that a camera or a program prints on its images: most inliers lie at the border of
// both images and have the same shift. In that case the medians of the shifts are close to it.
bool is_watermark(const PairView& pair, std::span<const std::uint8_t> inliers, int count,
                  const TwoViewGeometryOptions& o) {
  const double least = o.watermark_min_inlier_ratio * count;
  std::vector<std::size_t> at_border;
  for (std::size_t i = 0; i < inliers.size(); ++i)
    if (inliers[i] && pair.at_border[i]) at_border.push_back(i);
  if (at_border.empty() || static_cast<double>(at_border.size()) < least) return false;
  const auto points = pair.points->get().subspan(pair.first);
  std::vector<double> dx, dy;
  for (const std::size_t i : at_border) {
    const PointPair& p = points[i];
    dx.push_back(p.x2 - p.x1);
    dy.push_back(p.y2 - p.y1);
  }
  std::vector<double> sorted_x = dx, sorted_y = dy;
  const double x = upper_median(sorted_x), y = upper_median(sorted_y);
  std::ptrdiff_t similar_motions = 0;
  for (std::size_t i = 0; i < dx.size(); ++i)
    similar_motions += std::hypot(dx[i] - x, dy[i] - y) <= o.watermark_max_error;
  return static_cast<double>(similar_motions) >= least;
}

std::optional<Mat3> matrix_of(const FoundModel& model) {
  if (model.estimate.outcome != Outcome::ok) return std::nullopt;
  return model.estimate.model;
}

// Returns the motion consistent with H that has most points in front of both cameras.
std::optional<Pose> pose_from_plane(const Mat3& H, std::span<const PointPair> points,
                                    const Intrinsics& camera1, const Intrinsics& camera2) {
  std::optional<Pose> best;
  std::ptrdiff_t most = -1;
  for (const PlaneMotion& motion : decompose_homography(H, camera1, camera2, points)) {
    Pose pose = motion.cam2_from_cam1;
    const double length = std::hypot(pose.t[0], pose.t[1], pose.t[2]);
    if (length > 0)
      for (double& t : pose.t) t /= length;
    const auto placed = triangulate(points, camera1, camera2, pose);
    const auto in_front = std::count_if(placed.begin(), placed.end(),
                                        [](const Vec3& X) { return !std::isnan(X[2]); });
    if (in_front > most) most = in_front, best = pose;
  }
  return best;
}

// For known cameras: distinguishes planes from rotations, and finds the pose if E has none.
void relate(const PairView& pair, std::span<const std::uint8_t> inliers, DecidedPair& out) {
  const bool has_plane = out.configuration == Configuration::planar_or_panoramic;
  if (!has_plane && (out.configuration != Configuration::uncalibrated || !out.F)) return;
  const Intrinsics &a = pair.camera1->pinhole, &b = pair.camera2->pinhole;
  const std::vector<PointPair> points =
      verify::inlier_points(pair.undistorted->get().subspan(pair.first), inliers);
  if (!has_plane) {
    const Mat3 E = times(transposed(b.matrix()), times(*out.F, a.matrix()));
    out.cam2_from_cam1 = recover_pose(E, points, a, b).cam2_from_cam1;
    return;
  }
  if (pair.E.estimate.outcome == Outcome::rotation_only) {
    out.configuration = Configuration::panoramic;
    out.cam2_from_cam1 = pair.E.estimate.pose;
    return;
  }
  out.configuration = Configuration::planar;
  if (pair.E.estimate.outcome == Outcome::ok)
    out.cam2_from_cam1 = pair.E.estimate.pose;
  else if (out.H)
    out.cam2_from_cam1 = pose_from_plane(*out.H, points, a, b);
}

// Like relate(); a matrix that cannot be decomposed, for example K2' F K1 of rank 1 with focal
// lengths of 10^9 and 1 px, leaves the pair without a pose.
void relate_if_possible(const PairView& pair, std::span<const std::uint8_t> inliers,
                        DecidedPair& out) {
  try {
    relate(pair, inliers, out);
  } catch (const Error& e) {
    if (e.code() != ErrorCode::usage) throw;
    out.pose_fault = e.what();
  }
}

// Sets the focal length of a camera shared by both images, and E, if the two views determine them.
void add_focal(const PairView& pair, const TwoViewGeometryOptions& options, DecidedPair& out) {
  const Estimate& found = pair.shared.estimate;
  if (!(found.focal_deviation < 0.25 * found.focal_length)) return;
  out.focal_length = found.focal_length;
  out.E = times(cross_matrix(found.pose.t), found.pose.R);
  for (double& v : *out.E) v *= std::sqrt(0.5);
  if (options.relative_pose && out.configuration == Configuration::uncalibrated)
    out.cam2_from_cam1 = found.pose;
}

}  // namespace

verify::inner_area inner_area_of(const ViewCamera& camera, double size) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (camera.width <= 0 || camera.height <= 0) return {-kInfinity, kInfinity, kInfinity};
  const auto w = static_cast<double>(camera.width), h = static_cast<double>(camera.height);
  const double border = size * std::hypot(w, h);
  return {border, w - border, h - border};
}

DecidedPair decide_pair(const PairView& pair, const TwoViewGeometryOptions& options,
                        std::span<std::uint8_t> inliers) {
  DecidedPair out;
  const Decision decision = decide(pair, options);
  if (!decision.inliers_of) return out;
  out.configuration = decision.configuration;
  std::copy(decision.inliers_of->inliers.begin(), decision.inliers_of->inliers.end(),
            inliers.begin());
  out.num_inliers = decision.inliers_of->count();
  const FoundModel& epipolar = epipolar_of(pair, options);
  out.F = matrix_of(epipolar);
  out.E = matrix_of(pair.E);
  out.H = matrix_of(pair.H);
  if (&epipolar == &pair.shared) add_focal(pair, options, out);
  const bool known = pair.camera1->has_prior_focal_length && pair.camera2->has_prior_focal_length;
  if (out.configuration == Configuration::calibrated && out.E)
    out.cam2_from_cam1 = pair.E.estimate.pose;
  else if (options.relative_pose && known)
    relate_if_possible(pair, inliers, out);
  if (options.detect_watermark && is_watermark(pair, inliers, out.num_inliers, options))
    out.configuration = Configuration::watermark;
  return out;
}

}  // namespace bifocal::colmap
