// SPDX-License-Identifier: BSD-3-Clause
#include "robust/turned_camera.hpp"

#include <algorithm>
#include <bifocal/robust.hpp>
#include <cmath>
#include <limits>
#include <optional>

#include "robust/scalar_lanes.hpp"

namespace bifocal::robust {
namespace {

// A larger parallax takes more than a wrong focal length.
constexpr double kMostParallaxDeg = 6;
// Of the inliers of the pose, that the turn has to explain.
constexpr double kExplained = 0.95;

Mat3 product(const Mat3& a, const Mat3& b) {
  Mat3 out;
  Lanes::mat3_mul(a.data(), b.data(), out.data());
  return out;
}
Mat3 matrix_of(const Intrinsics& k, double scale) {
  return {k.fx * scale, 0, k.cx, 0, k.fy * scale, k.cy, 0, 0, 1};
}
Mat3 inverse_of(const Intrinsics& k, double scale) {
  const double fx = k.fx * scale, fy = k.fy * scale;
  return {1 / fx, 0, -k.cx / fx, 0, 1 / fy, -k.cy / fy, 0, 0, 1};
}

// A matrix without a scale: K2^-1 H K1 with focal lengths `scale` times the given ones; a rotation
// for the turn H of cameras of these.
Mat3 turn_of(const Mat3& H, const Intrinsics& c1, const Intrinsics& c2, double scale) {
  Mat3 N = product(inverse_of(c2, scale), product(H, matrix_of(c1, scale)));
  const double factor = 1 / std::cbrt(Lanes::mat3_determinant(N.data()));
  for (double& v : N) v *= factor;
  return N;
}

// Squared distance of N N' from the identity.
double skewness(const Mat3& N) {
  const Mat3 square = product(N, transposed(N));
  double sum = 0;
  for (int i = 0; i < 9; ++i) {
    const double d = square[size_t(i)] - (i % 4 == 0 ? 1 : 0);
    sum += d * d;
  }
  return sum;
}

// The rotation nearest to N: the orthogonal factor of its polar decomposition.
//   N. Higham, Computing the polar decomposition with applications, SIAM J. Sci. Stat. Comput.
//   7(4), 1986.
Mat3 rotation_near(Mat3 N) {
  for (int step = 0; step < 20; ++step) {
    // The inverse of the transpose is the matrix of cofactors over the determinant.
    const double* a = N.data();
    const double d = Lanes::mat3_determinant(a);
    const Mat3 cofactors = {
        a[4] * a[8] - a[5] * a[7], a[5] * a[6] - a[3] * a[8], a[3] * a[7] - a[4] * a[6],
        a[2] * a[7] - a[1] * a[8], a[0] * a[8] - a[2] * a[6], a[1] * a[6] - a[0] * a[7],
        a[1] * a[5] - a[2] * a[4], a[2] * a[3] - a[0] * a[5], a[0] * a[4] - a[1] * a[3]};
    for (std::size_t i = 0; i < 9; ++i) N[i] = 0.5 * (N[i] + cofactors[i] / d);
  }
  return N;
}

// The scale of the focal lengths for which H is nearest to a turn.
double nearest_scale(const Mat3& H, const Intrinsics& c1, const Intrinsics& c2) {
  const auto cost = [&](double s) { return skewness(turn_of(H, c1, c2, s)); };
  double low = 1 - kFocalDoubt, high = 1 + kFocalDoubt;
  constexpr double kGolden = 0.6180339887498949;
  for (int step = 0; step < 40; ++step) {
    const double a = high - kGolden * (high - low), b = low + kGolden * (high - low);
    (cost(a) < cost(b) ? high : low) = cost(a) < cost(b) ? b : a;
  }
  return 0.5 * (low + high);
}

std::vector<PointPair> inliers_of(std::span<const PointPair> points, const RobustResult& found) {
  std::vector<PointPair> kept;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (found.inliers[i]) kept.push_back(points[i]);
  return kept;
}

// The map of a turn, as a homography that was found.
RobustResult map_found(std::span<const PointPair> points, const Mat3& map, double threshold) {
  RobustResult r;
  r.outcome = Outcome::ok;
  r.model = map;
  double squares = 0;
  for (const PointPair& p : points) {
    const double e = Lanes::transfer_squared(map.data(), p.x1, p.y1, p.x2, p.y2);
    r.inliers.push_back(e < threshold * threshold ? 1 : 0);
    r.inlier_count += r.inliers.back();
    squares += r.inliers.back() ? e : 0;
  }
  r.rms = std::sqrt(squares / std::max(1, r.inlier_count));
  return r;
}

}  // namespace

void doubt_translation(std::span<const PointPair> points, const Intrinsics& camera1,
                       const Intrinsics& camera2, double threshold, RelativePoseResult& pose) {
  if (!pose.ok() || !(pose.median_parallax_deg < kMostParallaxDeg)) return;
  const std::vector<PointPair> inliers = inliers_of(points, pose);
  const double enough = kExplained * pose.inlier_count;
  const RobustResult plane =
      estimate_homography(inliers, {.threshold = threshold, .min_inlier_ratio = 0.5});
  if (!plane.ok() || plane.inlier_count < enough) return;
  const double scale = nearest_scale(plane.model, camera1, camera2);
  const Mat3 R = rotation_near(turn_of(plane.model, camera1, camera2, scale));
  RobustResult turn =
      map_found(points, product(matrix_of(camera2, scale), product(R, inverse_of(camera1, scale))),
                threshold);
  if (turn.inlier_count < enough) return;
  turn.noise = pose.noise;
  const Intrinsics cameras[] = {camera1, camera2};
  if (choose_model(points, turn, pose, ModelKind::essential, threshold, cameras).kind !=
      ModelKind::homography)
    return;
  pose.outcome = Outcome::rotation_only;
  pose.model = {};
  pose.cam2_from_cam1 = {R, {0, 0, 0}};
  pose.inliers = std::move(turn.inliers);
  pose.inlier_count = turn.inlier_count;
  pose.rms = turn.rms;
  pose.in_front = 0;
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  pose.triangulated.assign(points.size(), Vec3{kNaN, kNaN, kNaN});
}

}  // namespace bifocal::robust
