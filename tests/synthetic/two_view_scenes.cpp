// SPDX-License-Identifier: BSD-3-Clause
#include "synthetic/two_view_scenes.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "synthetic/random.hpp"

namespace bifocal::synthetic {
namespace {

constexpr double kWidth = kSceneWidth, kHeight = kSceneHeight, kDegree = std::numbers::pi / 180;

Vec3 rotated(const Mat3& A, const Vec3& v) {
  Vec3 out{};
  for (size_t i = 0; i < 3; ++i)
    out[i] = A[3 * i] * v[0] + A[3 * i + 1] * v[1] + A[3 * i + 2] * v[2];
  return out;
}

// Makes `count` pairs visible in both cameras, with their depths; fewer if the views overlap
// little. `normal`: of the plane at depth 8.
std::vector<DepthPair> visible_pairs(const TwoViewScene& scene, size_t count, const Vec3* normal,
                                     double distortion, std::mt19937_64& random) {
  const Intrinsics& k = scene.camera;
  std::vector<DepthPair> pairs;
  for (size_t tries = 0; tries < 300 * count && pairs.size() < count; ++tries) {
    double x = uniform(random, 0, kWidth), y = uniform(random, 0, kHeight);
    if (distortion != 0) {
      const Vec2 straight = without_lens(x, y, distortion);
      x = straight[0], y = straight[1];
    }
    const Vec3 ray = {(x - k.cx) / k.fx, (y - k.cy) / k.fy, 1};
    double z = uniform(random, 4, 12);
    if (normal) z = 8 / (ray[0] * (*normal)[0] + ray[1] * (*normal)[1] + (*normal)[2]);
    Vec3 Y = rotated(scene.truth.R, {ray[0] * z, ray[1] * z, z});
    for (size_t i = 0; i < 3; ++i) Y[i] += scene.truth.t[i];
    const double u = k.fx * Y[0] / Y[2] + k.cx, v = k.fy * Y[1] / Y[2] + k.cy;
    const Vec2 seen = distortion != 0 ? through_lens(u, v, distortion) : Vec2{u, v};
    if (z > 0.5 && Y[2] > 0.5 && seen[0] >= 0 && seen[0] < kWidth && seen[1] >= 0 &&
        seen[1] < kHeight)
      pairs.push_back({x, y, u, v, z, Y[2]});
  }
  return pairs;
}

// Returns K (R + t n' / 8) K^-1.
Mat3 plane_homography(const TwoViewScene& s, const Vec3& n) {
  const Intrinsics& k = s.camera;
  Mat3 H{};
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = 0; j < 3; ++j) H[3 * i + j] = s.truth.R[3 * i + j] + s.truth.t[i] * n[j] / 8;
    H[3 * i + 2] -= H[3 * i] * k.cx / k.fx + H[3 * i + 1] * k.cy / k.fy;
    H[3 * i] /= k.fx;
    H[3 * i + 1] /= k.fy;
  }
  for (size_t j = 0; j < 3; ++j) {
    H[j] = k.fx * H[j] + k.cx * H[6 + j];
    H[3 + j] = k.fy * H[3 + j] + k.cy * H[6 + j];
  }
  return H;
}

PointPair without_depths(const DepthPair& p) { return {p.x1, p.y1, p.x2, p.y2}; }

PointPair seen_through_lens(const PointPair& p, double distortion) {
  const Vec2 first = through_lens(p.x1, p.y1, distortion),
             second = through_lens(p.x2, p.y2, distortion);
  return {first[0], first[1], second[0], second[1]};
}

}  // namespace

Vec2 without_lens(double x, double y, double distortion) {
  const double u = (x - kWidth / 2) / kSceneHalfDiagonal,
               v = (y - kHeight / 2) / kSceneHalfDiagonal;
  const double scale = kSceneHalfDiagonal / (1 + distortion * (u * u + v * v));
  return {kWidth / 2 + scale * u, kHeight / 2 + scale * v};
}

// The root of k r' r^2 - r + r' = 0 that equals r' for k = 0.
Vec2 through_lens(double x, double y, double distortion) {
  const double u = (x - kWidth / 2) / kSceneHalfDiagonal,
               v = (y - kHeight / 2) / kSceneHalfDiagonal;
  const double root = std::sqrt(1 - 4 * distortion * (u * u + v * v));
  const double scale = 2 * kSceneHalfDiagonal / (1 + root);
  return {kWidth / 2 + scale * u, kHeight / 2 + scale * v};
}

TwoViewScene make_scene(const SceneOptions& o, std::mt19937_64& random) {
  const auto inliers = static_cast<size_t>(std::lround(o.points * o.inliers));
  std::normal_distribution<double> noise(0, 1);
  for (;;) {
    TwoViewScene s;
    const double angle = uniform(random, 0, 30 * kDegree);
    const Vec3 axis = o.upright ? Vec3{0, 1, 0} : random_direction(random);
    s.truth.R = rotation_about(axis, angle);
    const Vec3 centre = rotated(s.truth.R, random_direction(random));
    const double baseline = o.baseline * uniform(random, 0.7, 1.5);
    for (size_t i = 0; i < 3; ++i) s.truth.t[i] = -centre[i] * baseline;
    Vec3 normal = {uniform(random, -0.4, 0.4), uniform(random, -0.4, 0.4), 1};
    const double length = std::hypot(normal[0], normal[1], 1);
    for (double& v : normal) v /= length;
    auto seen = visible_pairs(s, inliers + 200, o.planar ? &normal : nullptr, o.distortion, random);
    if (seen.size() < inliers + 200) continue;
    if (o.planar) s.H = plane_homography(s, normal);
    const auto on_plane = static_cast<size_t>(std::lround(o.on_plane * double(inliers)));
    const auto plane = visible_pairs(s, on_plane, &normal, o.distortion, random);
    if (plane.size() < on_plane) continue;
    std::copy(plane.begin(), plane.end(), seen.begin() + 200);
    for (size_t i = 0; i < seen.size(); ++i) {
      (i < 200 ? s.clean : s.points).push_back(without_depths(seen[i]));
      if (i >= 200) s.depths.push_back({seen[i].depth1, seen[i].depth2});
    }
    for (PointPair& p : s.points) {
      if (o.distortion != 0) p = seen_through_lens(p, o.distortion);
      for (double* v : {&p.x1, &p.y1, &p.x2, &p.y2}) *v += o.noise * noise(random);
    }
    while (s.points.size() < static_cast<size_t>(o.points)) {
      s.points.push_back({uniform(random, 0, kWidth), uniform(random, 0, kHeight),
                          uniform(random, 0, kWidth), uniform(random, 0, kHeight)});
    }
    s.depths.resize(s.points.size());
    s.labels.assign(s.points.size(), 0);
    std::fill_n(s.labels.begin(), inliers, 1);
    for (size_t i = s.points.size(); i > 1; --i) {
      const size_t j = std::uniform_int_distribution<size_t>(0, i - 1)(random);
      std::swap(s.points[i - 1], s.points[j]);
      std::swap(s.depths[i - 1], s.depths[j]);
      std::swap(s.labels[i - 1], s.labels[j]);
    }
    return s;
  }
}

}  // namespace bifocal::synthetic
