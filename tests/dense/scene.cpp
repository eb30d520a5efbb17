// SPDX-License-Identifier: BSD-3-Clause
#include "dense/scene.hpp"

#include <bifocal/io.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "mapping/algebra.hpp"

namespace bifocal::test {
namespace {

// A parallelogram with the corner `at` and the edges u and v.
struct Face {
  Vec3 at, u, v;
};
// x to the right, y down, z ahead, m.
const std::vector<Face>& faces() {
  static const std::vector<Face> all = {
      {{-9, -1.8, 6.6}, {18, 0, 3.6}, {0, 3.4, 0}},      // wall, 11 degrees from the image plane
      {{-9, 1.6, 0}, {18, 0, 0}, {0, 0, 12}},            // floor
      {{-0.9, 0.2, 4.6}, {1.3, 0, -0.5}, {0, 1.4, 0}},   // front of the box
      {{-0.9, 0.2, 4.6}, {0.35, 0, 0.91}, {0, 1.4, 0}},  // its left side
      {{0.4, 0.2, 4.1}, {0.35, 0, 0.91}, {0, 1.4, 0}},   // its right side
      {{-0.9, 0.2, 4.6}, {1.3, 0, -0.5}, {0.35, 0, 0.91}}};  // its top
  return all;
}

double hashed(std::uint32_t x, std::uint32_t y, std::uint32_t layer) {
  std::uint32_t h = x * 0x9e3779b1U ^ y * 0x85ebca6bU ^ layer * 0xc2b2ae35U;
  h = (h ^ (h >> 15)) * 0x2c1b3c6dU;
  h = (h ^ (h >> 12)) * 0x297a2d39U;
  return double(h ^ (h >> 15)) / 4294967295.0;
}

// Value noise, 0 to 1, of the octaves above the size of a pixel. All lengths in m.
double texture(double u, double v, std::uint32_t face, double pixel) {
  double sum = 0.5, weight = 0.1;
  std::uint32_t layer = 16 * face;
  for (double size = 1.28; size > 0.008; size /= 2, ++layer) {
    const double visible = std::clamp(size / (2 * pixel) - 0.5, 0.0, 1.0);
    if (visible == 0) break;
    const double x = u / size + 1000, y = v / size + 1000;
    const double i = std::floor(x), j = std::floor(y), s = x - i, t = y - j;
    const double p = s * s * (3 - 2 * s), q = t * t * (3 - 2 * t);
    const auto a = static_cast<std::uint32_t>(i), b = static_cast<std::uint32_t>(j);
    const double top = std::lerp(hashed(a, b, layer), hashed(a + 1, b, layer), p);
    const double low = std::lerp(hashed(a, b + 1, layer), hashed(a + 1, b + 1, layer), p);
    sum += weight * visible * (std::lerp(top, low, q) - 0.5);
    weight = std::min(2 * weight, 0.5);
  }
  return std::clamp(sum, 0.0, 1.0);
}

struct Hit {
  double depth = std::numeric_limits<double>::quiet_NaN();
  double grey = 0.9;  // of the sky
  Vec3 normal = {0, 0, 0};
};

// Traces the ray eye + depth * d.
Hit trace(const Vec3& eye, const Vec3& d, double focal) {
  Hit hit;
  double nearest = 1e9;
  for (std::size_t k = 0; k < faces().size(); ++k) {
    const Face& f = faces()[k];
    const Vec3 n = cross(f.u, f.v), from = mapping::difference(f.at, eye);
    const double depth = dot(from, n) / dot(d, n);
    if (!(depth > 0.1 && depth < nearest)) continue;
    const Vec3 on = mapping::difference(mapping::sum(eye, mapping::scaled(d, depth)), f.at);
    const double u = dot(on, cross(f.v, n)) / dot(f.u, cross(f.v, n)),
                 v = dot(on, cross(f.u, n)) / dot(f.v, cross(f.u, n));
    if (!(u >= 0 && u <= 1 && v >= 0 && v <= 1)) continue;
    nearest = depth;
    const Vec3 outward = unit(n);
    const double facing = std::abs(dot(outward, unit(d)));
    hit = {depth,
           texture(u * norm(f.u), v * norm(f.v), static_cast<std::uint32_t>(k),
                   depth / focal / std::max(facing, 0.1)),
           dot(outward, d) > 0 ? mapping::scaled(outward, -1) : outward};
  }
  return hit;
}

Mat3 looking(const Vec3& from, const Vec3& at) {
  const Vec3 z = unit(mapping::difference(at, from)), x = unit(cross({0, 1, 0}, z)),
             y = cross(z, x);
  return {x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2]};
}

// Returns the depth of a point and its pixel, or the depth 0 outside of the image.
struct Seen {
  double x, y, z;
};
Seen seen(const DenseView& view, const Vec3& point) {
  const Vec3 p = mapping::moved(view.cam_from_world, point);
  const Seen s{view.camera.fx * p[0] / p[2] + view.camera.cx,
               view.camera.fy * p[1] / p[2] + view.camera.cy, p[2]};
  const bool is_inside =
      s.x >= 0 && s.y >= 0 && s.x <= view.image.width - 1 && s.y <= view.image.height - 1;
  return p[2] > 0 && is_inside ? s : Seen{0, 0, 0};
}

std::vector<int> viewers(const DenseScene& scene, const Vec3& point) {
  std::vector<int> found;
  for (std::size_t j = 0; j < scene.views.size(); ++j) {
    const Seen s = seen(scene.views[j], point);
    if (s.z == 0) continue;
    const float there = scene.depth[j].at(static_cast<int>(s.x + 0.5), static_cast<int>(s.y + 0.5));
    if (std::abs(there - s.z) < 0.02 * s.z) found.push_back(static_cast<int>(j));
  }
  return found;
}

Vec3 point_at(const DenseView& view, double x, double y, double z) {
  const Vec3 p = {(x - view.camera.cx) / view.camera.fx * z,
                  (y - view.camera.cy) / view.camera.fy * z, z};
  return mapping::transposed_times(view.cam_from_world.R,
                                   mapping::difference(p, view.cam_from_world.t));
}

}  // namespace

Rendered render(const LensCamera& camera, const Pose& pose, std::uint32_t seed) {
  const auto width = static_cast<int>(camera.width()), height = static_cast<int>(camera.height());
  const Intrinsics& K = camera.pinhole();
  const Vec3 eye = mapping::centre_of(pose);
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, 2);
  Rendered out{ImageU8(width, height), ImageF(width, height), {}};
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const Vec2 p = camera.undistort({double(x), double(y)});
      const Vec3 ray = {(p[0] - K.cx) / K.fx, (p[1] - K.cy) / K.fy, 1};
      const Hit hit = trace(eye, mapping::transposed_times(pose.R, ray), K.fx);
      out.grey.at(x, y) =
          static_cast<std::uint8_t>(std::clamp(255 * hit.grey + noise(random) + 0.5, 0.0, 255.0));
      out.depth.at(x, y) = static_cast<float>(hit.depth);
      out.normal.push_back(times(pose.R, hit.normal));
    }
  return out;
}

int DenseScene::seen_by(std::size_t view, int x, int y) const {
  const float z = depth[view].at(x, y);
  return std::isnan(z) ? 0
                       : static_cast<int>(viewers(*this, point_at(views[view], x, y, z)).size());
}

std::vector<Pose> scene_poses(int count) {
  std::vector<Pose> poses;
  for (int i = 0; i < count; ++i) {
    const double x = 0.4 * (i - 0.5 * (count - 1));
    const Vec3 centre = {x, i % 2 == 0 ? -0.2 : 0.1, 0.06 * x * x};
    poses.push_back(mapping::pose_at(looking(centre, {0.2 * x, 0, 6}), centre));
  }
  return poses;
}

DenseScene scene_of(const std::vector<LensCamera>& cameras, const std::vector<Pose>& poses) {
  constexpr int kPointsOfView = 80;
  DenseScene scene;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    Rendered r = render(cameras[i], poses[i], static_cast<std::uint32_t>(i));
    scene.views.push_back({"", std::move(r.grey), cameras[i].pinhole(), poses[i]});
    scene.depth.push_back(std::move(r.depth));
    scene.normal.push_back(std::move(r.normal));
  }
  std::mt19937 random(5);
  for (std::size_t i = 0; i < poses.size(); ++i)
    for (int k = 0; k < kPointsOfView; ++k) {
      const ImageF& depth = scene.depth[i];
      const int x = static_cast<int>(random() % static_cast<unsigned>(depth.width)),
                y = static_cast<int>(random() % static_cast<unsigned>(depth.height));
      if (std::isnan(depth.at(x, y))) continue;
      const Vec3 point = point_at(scene.views[i], x, y, depth.at(x, y));
      std::vector<int> by = viewers(scene, point);
      if (by.size() >= 2) scene.points.push_back({point, std::move(by), 0.2});
    }
  return scene;
}

const DenseScene& dense_scene() {
  static const DenseScene scene =
      scene_of(std::vector(5, LensCamera("PINHOLE", std::array{146., 146., 79.5, 59.5}, 160, 120)),
               scene_poses(5));
  return scene;
}

const DenseScene& small_scene() {
  static const DenseScene scene =
      scene_of(std::vector(4, LensCamera("PINHOLE", std::array{66., 66., 35.5, 26.5}, 72, 54)),
               scene_poses(4));
  return scene;
}

colmap::ModelCamera small_camera() {
  colmap::ModelCamera camera;
  camera.id = 1, camera.model = colmap::model_number("PINHOLE");
  camera.width = 72, camera.height = 54, camera.params = {66, 66, 35.5, 26.5};
  return camera;
}

colmap::Model write_scene(const std::filesystem::path& photographs,
                          const std::vector<std::string>& names,
                          const colmap::ModelCamera& camera) {
  const LensCamera lens(colmap::model_name(camera.model), camera.params, camera.width,
                        camera.height);
  const std::vector<Pose> poses = scene_poses(static_cast<int>(names.size()));
  const Intrinsics& K = lens.pinhole();
  const LensCamera pinhole("PINHOLE", std::array{K.fx, K.fy, K.cx, K.cy}, camera.width,
                           camera.height);
  const DenseScene scene = scene_of(std::vector<LensCamera>(names.size(), pinhole), poses);
  colmap::Model model;
  model.cameras = {camera};
  for (std::size_t i = 0; i < names.size(); ++i) {
    model.images.push_back(
        {static_cast<colmap::Id>(i + 1), names[i], camera.id, colmap::model_pose(poses[i]), {}});
    std::filesystem::create_directories((photographs / names[i]).parent_path());
    write_png(photographs / names[i], render(lens, poses[i], static_cast<std::uint32_t>(i)).grey);
  }
  for (const DensePoint& point : scene.points) {
    colmap::ModelPoint& out = model.points.emplace_back();
    out.id = model.points.size(), out.xyz = point.xyz, out.error = point.error;
    for (const int view : point.views) {
      const auto i = static_cast<std::size_t>(view);
      colmap::ModelImage& image = model.images[i];
      const Seen s = seen(scene.views[i], point.xyz);
      const Vec2 px = lens.distort({s.x, s.y});
      out.track.push_back({image.id, static_cast<std::uint32_t>(image.observations.size())});
      image.observations.push_back({px[0], px[1], out.id});
    }
  }
  return model;
}

std::map<std::string, std::string> bytes_of(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  std::map<std::string, std::string> bytes;
  if (!fs::exists(folder)) return bytes;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      bytes[entry.path().lexically_relative(folder).string()] = read_file(entry.path());
  return bytes;
}

}  // namespace bifocal::test
