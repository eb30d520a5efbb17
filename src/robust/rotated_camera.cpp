// SPDX-License-Identifier: BSD-3-Clause
#include "robust/rotated_camera.hpp"

#include <algorithm>
#include <bifocal/robust.hpp>
#include <cmath>
#include <limits>
#include <optional>

#include "robust/scalar_math.hpp"

namespace bifocal::robust {
namespace {

// Largest median parallax that a wrong focal length can explain.
constexpr double kMostParallaxDeg = 6;
// Fraction of the inliers of the pose that the rotation must explain.
constexpr double kExplained = 0.95;

Intrinsics zoomed(const Intrinsics& k, double scale) {
  return {k.fx * scale, k.fy * scale, k.cx, k.cy};
}

// Returns K2^-1 H K1, scaled to determinant 1, with the given focal lengths times `scale`. If
// H is the homography of a rotation and the scaled focal lengths are correct, the result is
// that rotation.
Mat3 rotation_of(const Mat3& H, const Intrinsics& c1, const Intrinsics& c2, double scale) {
  Mat3 N = times(zoomed(c2, scale).inverse_matrix(), times(H, zoomed(c1, scale).matrix()));
  const double factor = 1 / std::cbrt(determinant(N));
  for (double& v : N) v *= factor;
  return N;
}

// Squared distance of N N' from the identity.
double orthogonality_error(const Mat3& N) {
  const Mat3 square = times(N, transposed(N));
  double sum = 0;
  for (int i = 0; i < 9; ++i) {
    const double d = square[size_t(i)] - (i % 4 == 0 ? 1 : 0);
    sum += d * d;
  }
  return sum;
}

// Returns the rotation nearest to N: the orthogonal factor of its polar decomposition.
//   N. Higham, Computing the polar decomposition with applications, SIAM J. Sci. Stat. Comput.
//   7(4), 1986.
Mat3 rotation_near(Mat3 N) {
  for (int step = 0; step < 20; ++step) {
    const Mat3 transposed_inverse = transposed(inverse(N));
    for (std::size_t i = 0; i < 9; ++i) N[i] = 0.5 * (N[i] + transposed_inverse[i]);
  }
  return N;
}

// Returns the scale of the focal lengths for which H is nearest to a rotation, by
// golden-section minimisation.
double nearest_scale(const Mat3& H, const Intrinsics& c1, const Intrinsics& c2) {
  const auto cost = [&](double s) { return orthogonality_error(rotation_of(H, c1, c2, s)); };
  double low = 1 - kFocalDoubt, high = 1 + kFocalDoubt;
  constexpr double kGolden = 0.6180339887498949;
  for (int step = 0; step < 40; ++step) {
    const double a = high - kGolden * (high - low), b = low + kGolden * (high - low);
    (cost(a) < cost(b) ? high : low) = cost(a) < cost(b) ? b : a;
  }
  return 0.5 * (low + high);
}

std::vector<PointPair> inliers_of(std::span<const PointPair> points, const EstimateResult& found) {
  std::vector<PointPair> kept;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (found.inliers[i]) kept.push_back(points[i]);
  return kept;
}

// Returns the homography of a rotation as an estimate, with its inliers.
EstimateResult map_found(std::span<const PointPair> points, const Mat3& map, double threshold) {
  EstimateResult r;
  r.outcome = Outcome::ok;
  r.model = map;
  double squares = 0;
  for (const PointPair& p : points) {
    const double e = ScalarMath::transfer_squared(map.data(), p.x1, p.y1, p.x2, p.y2);
    r.inliers.push_back(e < threshold * threshold ? 1 : 0);
    r.num_inliers += r.inliers.back();
    squares += r.inliers.back() ? e : 0;
  }
  r.rms = std::sqrt(squares / std::max(1, r.num_inliers));
  return r;
}

}  // namespace

void doubt_translation(std::span<const PointPair> points, const Intrinsics& camera1,
                       const Intrinsics& camera2, double threshold, RelativePoseResult& found) {
  if (!found.ok() || !(found.median_parallax_deg < kMostParallaxDeg)) return;
  const std::vector<PointPair> inliers = inliers_of(points, found);
  const double enough = kExplained * found.num_inliers;
  const EstimateResult plane =
      estimate(ModelKind::homography, inliers,
               {.options = {.threshold = threshold, .min_inlier_ratio = 0.5}});
  if (!plane.ok() || plane.num_inliers < enough) return;
  const double scale = nearest_scale(plane.model, camera1, camera2);
  const Mat3 R = rotation_near(rotation_of(plane.model, camera1, camera2, scale));
  EstimateResult rotation = map_found(
      points,
      times(zoomed(camera2, scale).matrix(), times(R, zoomed(camera1, scale).inverse_matrix())),
      threshold);
  if (rotation.num_inliers < enough) return;
  rotation.noise = found.noise;
  const Intrinsics cameras[] = {camera1, camera2};
  if (choose_model(points, rotation, found, ModelKind::essential, threshold, cameras).kind !=
      ModelKind::homography)
    return;
  found.outcome = Outcome::rotation_only;
  found.model = {};
  found.pose = {R, {0, 0, 0}};
  found.inliers = std::move(rotation.inliers);
  found.num_inliers = rotation.num_inliers;
  found.rms = rotation.rms;
  found.in_front = 0;
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  found.triangulated.assign(points.size(), Vec3{kNaN, kNaN, kNaN});
}

}  // namespace bifocal::robust
