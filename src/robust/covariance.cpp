// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <bifocal/two_view.hpp>
#include <bifocal/error.hpp>
#include <cmath>
#include <vector>

#include "robust/arguments.hpp"
#include "robust/directions.hpp"
#include "robust/normal_matrix.hpp"
#include "robust/scalar_lanes.hpp"
#include "robust/small_matrices.hpp"

namespace bifocal {
namespace {

using robust::across, robust::axis, robust::Directions, robust::dot, robust::linear_directions,
    robust::motion_directions;
using robust::invert, robust::map_to, robust::Normal, robust::Row9;

// Completes `result` from the sums: its noise, and C, the covariance of the parameters.
bool solve(Normal& normal, double noise, ModelCovariance& result) {
  const auto left = double(normal.constraints) - double(normal.d);
  result.parameters = int(normal.d);
  result.noise = noise > 0 ? noise : left > 0 ? std::sqrt(normal.squares / left) : 0;
  if (!(noise > 0) && !(left > 0)) return false;
  if (left < 0 || !invert(normal.matrix, normal.d)) return false;
  for (double& c : normal.matrix) c *= result.noise * result.noise;
  return result.ok = true;
}

// Coordinates of one image: px = (x - mean) scale, about unit size.
struct Frame {
  double scale = 1, cx = 0, cy = 0;
  [[nodiscard]] Mat3 matrix() const {
    return {scale, 0, -scale * cx, 0, scale, -scale * cy, 0, 0, 1};
  }
  [[nodiscard]] Mat3 inverse() const { return {1 / scale, 0, cx, 0, 1 / scale, cy, 0, 0, 1}; }
};

// The whitened Jacobian row of the gradient B in the directions.
void add_row(Normal& normal, const Row9& B, const Directions& D, double weight) {
  double row[9];
  for (std::size_t k = 0; k < D.size(); ++k) row[k] = weight * dot(B, D[k]);
  normal.add(row);
}

void add_epipolar(Normal& normal, const Mat3& M, const Directions& D, const PointPair& p,
                  const double* px) {
  const double q1[3] = {p.x1, p.y1, 1}, q2[3] = {p.x2, p.y2, 1};
  Row9 B;
  for (std::size_t i = 0; i < 9; ++i) B[i] = q2[i / 3] * q1[i % 3];
  double c = 0, A[4] = {};
  for (std::size_t i = 0; i < 9; ++i) {
    c += M[i] * B[i];
    if (i % 3 < 2) A[i % 3] += M[i] * q2[i / 3] * px[i % 3];
    if (i / 3 < 2) A[2 + i / 3] += M[i] * q1[i % 3] * px[2 + i / 3];
  }
  const double AA = A[0] * A[0] + A[1] * A[1] + A[2] * A[2] + A[3] * A[3];
  if (!(AA > 0)) return;
  normal.squares += c * c / AA;
  add_row(normal, B, D, 1 / std::sqrt(AA));
}

void add_transfer(Normal& normal, const Mat3& M, const Directions& D, const PointPair& p,
                  const double* px) {
  const double q[3] = {p.x1, p.y1, 1}, to[2] = {p.x2, p.y2};
  double h[3] = {};
  for (std::size_t i = 0; i < 9; ++i) h[i / 3] += M[i] * q[i % 3];
  // c[r] = h[r] - to[r] h[2], whitened by L with L L' = A A'.
  Row9 B[2] = {};
  double c[2], A[2][4] = {};
  for (std::size_t r = 0; r < 2; ++r) {
    for (std::size_t k = 0; k < 3; ++k) B[r][3 * r + k] = q[k], B[r][6 + k] = -to[r] * q[k];
    c[r] = h[r] - to[r] * h[2];
    for (std::size_t k = 0; k < 2; ++k) A[r][k] = (M[3 * r + k] - to[r] * M[6 + k]) * px[k];
    A[r][2 + r] = -h[2] * px[2 + r];
  }
  double S[3] = {};  // A A'
  for (std::size_t k = 0; k < 4; ++k)
    S[0] += A[0][k] * A[0][k], S[1] += A[0][k] * A[1][k], S[2] += A[1][k] * A[1][k];
  if (!(S[0] > 0)) return;
  const double l0 = std::sqrt(S[0]), l1 = S[1] / l0, rest = S[2] - l1 * l1;
  if (!(rest > 0)) return;
  const double l2 = std::sqrt(rest), c0 = c[0] / l0, c1 = (c[1] - l1 * c0) / l2;
  normal.squares += c0 * c0 + c1 * c1;
  Row9 second;
  for (std::size_t i = 0; i < 9; ++i) second[i] = (B[1][i] - l1 / l0 * B[0][i]) / l2;
  add_row(normal, B[0], D, 1 / l0);
  add_row(normal, second, D, 1);
}

[[noreturn]] void fail(const std::string& text) {
  throw Error(ErrorCode::usage, "covariance: " + text);
}

void check(std::size_t points, std::span<const std::uint8_t> inliers, double noise) {
  if (!inliers.empty() && inliers.size() != points)
    fail(fmt::format("{} flags for {} points", inliers.size(), points));
  if (!(noise >= 0) || !std::isfinite(noise))
    fail(fmt::format("noise = {}: must be at least 0", noise));
}
template <class Matrix>
void check_finite(const char* name, const Matrix& m) {
  double sum = 0;
  for (const double v : m) sum += v * v;
  if (!(sum > 0) || !std::isfinite(sum))
    fail(fmt::format("{} is {}", name, sum == 0 ? "zero" : "not finite or too large"));
}

std::vector<PointPair> kept(std::span<const PointPair> points,
                            std::span<const std::uint8_t> inliers) {
  std::vector<PointPair> out;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const PointPair& p = points[i];
    if (!inliers.empty() && inliers[i] == 0) continue;
    if (std::isfinite(p.x1 + p.y1 + p.x2 + p.y2)) out.push_back(p);
  }
  return out;
}

Frame frame_of(const std::vector<PointPair>& points, bool second) {
  Frame f;
  double x = 0, y = 0, squares = 0;
  const double n = std::max<double>(1, double(points.size()));
  for (const PointPair& p : points) x += second ? p.x2 : p.x1, y += second ? p.y2 : p.y1;
  f.cx = x / n, f.cy = y / n;
  for (const PointPair& p : points) {
    const double dx = (second ? p.x2 : p.x1) - f.cx, dy = (second ? p.y2 : p.y1) - f.cy;
    squares += dx * dx + dy * dy;
  }
  if (squares > 0) f.scale = std::sqrt(2 * n / squares);
  return f;
}

Mat3 unit(Mat3 m) {
  double sum = 0;
  for (const double v : m) sum += v * v;
  for (double& v : m) v /= std::sqrt(sum);
  return m;
}

// Of a map or F, in coordinates of about unit size, taken back to px.
ModelCovariance of_linear(ModelKind kind, const Mat3& model, std::vector<PointPair> points,
                          double noise) {
  const Frame one = frame_of(points, false), two = frame_of(points, true);
  const bool is_map = kind != ModelKind::fundamental;
  // model = left M right, with M in those coordinates.
  const Mat3 left = is_map ? two.inverse() : transposed(two.matrix()), right = one.matrix();
  const Mat3 into = is_map ? two.matrix() : transposed(two.inverse());
  const Mat3 M = unit(times(times(into, model), one.inverse()));
  const Directions D = linear_directions(kind, M);
  const double px[4] = {one.scale, one.scale, two.scale, two.scale};
  Normal normal(D.size());
  for (PointPair& p : points) {
    p = {(p.x1 - one.cx) * one.scale, (p.y1 - one.cy) * one.scale, (p.x2 - two.cx) * two.scale,
         (p.y2 - two.cy) * two.scale};
    if (is_map)
      add_transfer(normal, M, D, p, px);
    else
      add_epipolar(normal, M, D, p, px);
  }
  ModelCovariance result;
  if (!solve(normal, noise, result)) return result;
  const Mat3 whole = times(times(left, M), right);
  const double size = std::sqrt(dot(whole, whole));
  const Row9 u = unit(whole);
  std::vector<double> moved(9 * D.size());
  for (std::size_t k = 0; k < D.size(); ++k) {
    const Row9 d = times(times(left, D[k]), right);
    const double along = dot(d, u);
    for (std::size_t i = 0; i < 9; ++i) moved[i * D.size() + k] = (d[i] - along * u[i]) / size;
  }
  map_to(normal.matrix, D.size(), moved, result.model);
  return result;
}

// Of a relative pose; `upright`: R turns about y alone.
ModelCovariance of_motion(const Pose& pose, const std::vector<PointPair>& points,
                          const Intrinsics& a, const Intrinsics& b, double noise, bool upright) {
  Mat3 E = times(cross_matrix(pose.t), pose.R);
  for (double& v : E) v *= std::sqrt(0.5);
  const Directions D = motion_directions(pose, upright);
  const double px[4] = {1 / a.fx, 1 / a.fy, 1 / b.fx, 1 / b.fy};
  Normal normal(D.size());
  for (const PointPair& p : points)
    add_epipolar(
        normal, E, D,
        {(p.x1 - a.cx) / a.fx, (p.y1 - a.cy) / a.fy, (p.x2 - b.cx) / b.fx, (p.y2 - b.cy) / b.fy},
        px);
  ModelCovariance result;
  if (!solve(normal, noise, result)) return result;
  const std::size_t d = D.size(), turns = d - 2;
  std::vector<double> of_model(9 * d), of_pose(6 * d);
  const auto steps = across(pose.t);
  for (std::size_t k = 0; k < d; ++k) {
    for (std::size_t i = 0; i < 9; ++i) of_model[i * d + k] = D[k][i];
    if (k < turns)
      of_pose[(upright ? 1 : k) * d + k] = 1;
    else
      for (std::size_t i = 0; i < 3; ++i) of_pose[(3 + i) * d + k] = steps[k - turns][i];
  }
  map_to(normal.matrix, d, of_model, result.model);
  map_to(normal.matrix, d, of_pose, result.pose);
  return result;
}

// diag(a) 1 diag(b) of K'FK with the focal length f in units of the camera's.
Mat3 with_camera(const Mat3& F, const Intrinsics& k) {
  return times(times(transposed(k.matrix()), F), k.matrix());
}
Mat3 without_camera(const Mat3& E, const Intrinsics& k) {
  const Mat3 inverse = {1 / k.fx, 0, -k.cx / k.fx, 0, 1 / k.fy, -k.cy / k.fy, 0, 0, 1};
  return times(times(transposed(inverse), E), inverse);
}

// Of F and the focal length that it tells: in rays, with the direction in which F moves with log f,
// the points' rays being kept: K^-1 E K^-1 times f^2.
ModelCovariance of_shared_focal(const Mat3& F, const std::vector<PointPair>& points,
                                Intrinsics camera, double noise) {
  double length = 0;
  for (const PointPair& p : points)
    length += (std::abs(p.x1 - camera.cx) + std::abs(p.x2 - camera.cx)) / 2;
  length /= std::max<double>(1, double(points.size()));
  if (!(length > 0)) return {};
  const auto at = [&](double f) {
    return Intrinsics{f, f * camera.fy / camera.fx, camera.cx, camera.cy};
  };
  const Mat3 scaled = unit(with_camera(F, at(length)));
  const double f = length * robust::Lanes::focal_length_of(scaled.data());
  if (!std::isfinite(f)) return {};
  camera = at(f);
  const Mat3 E = with_camera(F, camera);
  const EssentialPoses poses = decompose_essential(E);
  const Pose pose = {poses.R[0], poses.t};
  Mat3 M = times(cross_matrix(pose.t), pose.R);
  for (double& v : M) v *= std::sqrt(0.5);
  Directions D = motion_directions(pose, false);
  Row9 zoomed = M;
  for (std::size_t i = 0; i < 9; ++i) zoomed[i] *= double(i % 3 == 2) + double(i / 3 == 2);
  const double along_model = dot(zoomed, M);  // all of it where the axes are parallel
  for (std::size_t i = 0; i < 9; ++i) zoomed[i] -= along_model * M[i];
  D.push_back(zoomed);
  const double px[4] = {1 / camera.fx, 1 / camera.fy, 1 / camera.fx, 1 / camera.fy};
  Normal normal(D.size());
  for (const PointPair& p : points)
    add_epipolar(normal, M, D,
                 {(p.x1 - camera.cx) / camera.fx, (p.y1 - camera.cy) / camera.fy,
                  (p.x2 - camera.cx) / camera.fx, (p.y2 - camera.cy) / camera.fy},
                 px);
  ModelCovariance result;
  if (!solve(normal, noise, result)) return result;
  const Mat3 whole = without_camera(M, camera);
  const double size = std::sqrt(dot(whole, whole));
  const Row9 u = unit(whole);
  std::vector<double> moved(9 * D.size());
  for (std::size_t k = 0; k < D.size(); ++k) {
    const Row9 d = without_camera(D[k], camera);
    const double along = dot(d, u);
    for (std::size_t i = 0; i < 9; ++i) moved[i * D.size() + k] = (d[i] - along * u[i]) / size;
  }
  map_to(normal.matrix, D.size(), moved, result.model);
  result.focal_variance = f * f * normal.matrix.back();
  return result;
}

// The pose, of the two of E, whose R turns about y.
Pose upright_pose(const Mat3& E) {
  const EssentialPoses poses = decompose_essential(E);
  const auto lean = [](const Mat3& R) {
    return std::abs(R[1]) + std::abs(R[3]) + std::abs(R[5]) + std::abs(R[7]);
  };
  const Mat3& R = lean(poses.R[0]) < lean(poses.R[1]) ? poses.R[0] : poses.R[1];
  if (!(lean(R) < 1e-6)) fail("model is not [t]x R of a turn R about y");
  return {R, poses.t};
}

}  // namespace

ModelCovariance covariance(ModelKind kind, const Mat3& model, std::span<const PointPair> points,
                           std::span<const Intrinsics> cameras,
                           std::span<const std::uint8_t> inliers, double noise) {
  const ProblemInfo info = problem_info(kind);
  if (!info.is_two_view) fail("a pose from scene points is no model of two views");
  if (info.tells_distortion)
    fail(
        fmt::format("a matrix is not all of a {}; without their distortion its points are those of "
                    "a fundamental matrix",
                    to_string(kind)));
  if (int(cameras.size()) != info.cameras)
    fail(fmt::format("{} cameras, {} takes {}", cameras.size(), to_string(kind), info.cameras));
  check(points.size(), inliers, noise);
  check_finite("model", model);
  if (info.cameras == 0) return of_linear(kind, model, kept(points, inliers), noise);
  robust::check_camera(info.cameras == 1 ? "camera" : "camera1", cameras[0]);
  if (robust::without_depths(kind) == ModelKind::shared_focal)
    return of_shared_focal(model, kept(points, inliers), cameras[0], noise);
  robust::check_camera("camera2", cameras[1]);
  const bool upright = kind == ModelKind::upright_essential;
  const EssentialPoses poses = decompose_essential(model);
  const Pose pose = upright ? upright_pose(model) : Pose{poses.R[0], poses.t};
  ModelCovariance result =
      of_motion(pose, kept(points, inliers), cameras[0], cameras[1], noise, upright);
  result.pose = {};  // E has several
  return result;
}

ModelCovariance covariance(const Pose& pose, std::span<const PointPair> points,
                           const Intrinsics& camera1, const Intrinsics& camera2,
                           std::span<const std::uint8_t> inliers, double noise) {
  check(points.size(), inliers, noise);
  check_finite("R", pose.R);
  check_finite("t", pose.t);
  const Vec3& t = pose.t;
  if (std::abs(std::sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]) - 1) > 1e-6)
    fail("t of a relative pose must have length 1");
  robust::check_camera("camera1", camera1);
  robust::check_camera("camera2", camera2);
  return of_motion(pose, kept(points, inliers), camera1, camera2, noise, false);
}

ModelCovariance covariance(const Pose& pose, std::span<const ScenePoint> points,
                           const Intrinsics& camera, std::span<const std::uint8_t> inliers,
                           double noise) {
  check(points.size(), inliers, noise);
  check_finite("R", pose.R);
  robust::check_camera("camera", camera);
  const std::vector<double> errors = residuals(pose, points, camera);
  Normal normal(6);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!std::isfinite(errors[i]) || (!inliers.empty() && inliers[i] == 0)) continue;
    const double X[3] = {points[i].X, points[i].Y, points[i].Z};
    double turned[3], Y[3];
    for (std::size_t r = 0; r < 3; ++r) {
      turned[r] = pose.R[3 * r] * X[0] + pose.R[3 * r + 1] * X[1] + pose.R[3 * r + 2] * X[2];
      Y[r] = turned[r] + pose.t[r];
    }
    normal.squares += errors[i] * errors[i];
    // Rows of d(px) / d(Y), with dY = w x turned + dt.
    const double gradient[2][3] = {{camera.fx / Y[2], 0, -camera.fx * Y[0] / (Y[2] * Y[2])},
                                   {0, camera.fy / Y[2], -camera.fy * Y[1] / (Y[2] * Y[2])}};
    for (const auto& g : gradient) {
      const double row[6] = {turned[1] * g[2] - turned[2] * g[1],
                             turned[2] * g[0] - turned[0] * g[2],
                             turned[0] * g[1] - turned[1] * g[0],
                             g[0],
                             g[1],
                             g[2]};
      normal.add(row);
    }
  }
  ModelCovariance result;
  if (solve(normal, noise, result))
    std::copy(normal.matrix.begin(), normal.matrix.end(), result.pose.begin());
  return result;
}

}  // namespace bifocal
