// SPDX-License-Identifier: BSD-3-Clause
#include "jobs/report/collection/scene_axes.hpp"

#include <algorithm>
#include <cmath>

namespace bifocal::jobs {
namespace {

Vec3 unit(const Vec3& a, const Vec3& otherwise) {
  const double length = norm(a);
  return length > 1e-9 ? plus({0, 0, 0}, a, 1 / length) : otherwise;
}

// The directions normal to an axis in which places extend most and least, with the variances.
struct Spread {
  Vec3 most, least;
  double variance_of_most = 0, variance_of_least = 0;
};

double variance_along(const Vec3& axis, const std::vector<Vec3>& places) {
  double sum = 0, squares = 0;
  for (const Vec3& X : places) sum += dot(axis, X);
  const auto count = static_cast<double>(places.size());
  for (const Vec3& X : places) squares += std::pow(dot(axis, X) - sum / count, 2);
  return squares / count;
}

Spread spread_normal_to(const Vec3& axis, const std::vector<Vec3>& places) {
  const Vec3 other = std::abs(axis[0]) < 0.7 ? Vec3{1, 0, 0} : Vec3{0, 0, 1};
  const Vec3 a = unit(plus(other, axis, -dot(other, axis)), {1, 0, 0}), b = cross(axis, a);
  Vec3 mean{0, 0, 0};
  for (const Vec3& X : places) mean = plus(mean, X, 1 / static_cast<double>(places.size()));
  double aa = 0, ab = 0, bb = 0;
  for (const Vec3& X : places) {
    const Vec3 d = plus(X, mean, -1);
    const double u = dot(a, d), v = dot(b, d);
    aa += u * u, ab += u * v, bb += v * v;
  }
  const double angle = 0.5 * std::atan2(2 * ab, aa - bb);
  const Vec3 most = plus(plus({0, 0, 0}, a, std::cos(angle)), b, std::sin(angle));
  const Vec3 least = cross(axis, most);
  return {most, least, variance_along(most, places), variance_along(least, places)};
}

// Whether the cameras look down, as from an aircraft: they all look in one direction, and their
// centres extend in both directions normal to it and hardly along it, or the images are rotated
// about it. Photographs of a facade look in one direction as well, but from places at one height.
bool look_down(const Vec3& mean_up, const Vec3& mean_ahead, const std::vector<Vec3>& centres) {
  constexpr double kLeastCommon = 0.9;   // length of the mean direction: within about 25 degrees
  constexpr double kLeastRotated = 0.5;  // below: the images have no common upward direction
  constexpr double kLeastFlatness = 2;   // ratio of standard deviations
  const double common = norm(mean_ahead);
  if (common < kLeastCommon) return false;
  if (norm(mean_up) < kLeastRotated) return true;
  const Vec3 ahead = unit(mean_ahead, {0, 0, 1});
  return spread_normal_to(ahead, centres).variance_of_least >
         kLeastFlatness * kLeastFlatness * variance_along(ahead, centres);
}

}  // namespace

std::vector<CameraView> cameras_of(const colmap::Model& model) {
  std::vector<CameraView> cameras;
  for (const colmap::ModelImage& image : model.images) {
    const Pose pose = colmap::pose_of(image.cam_from_world);
    Vec3 centre{0, 0, 0};
    for (std::size_t i = 0; i < 3; ++i) centre = plus(centre, row(pose.R, i), -pose.t[i]);
    cameras.push_back({centre, row(pose.R, 0), row(pose.R, 2)});
  }
  return cameras;
}

std::string Axes::text() const {
  if (is_north) return "North and up are those of georeference.json.";
  if (!has_cameras) return "The cameras are unknown: up is -y.";
  return looks_down ? "All cameras look in about the same direction, which is drawn as down."
                    : "Up is the mean upward direction of the images.";
}

Axes axes_of(const colmap::Model& model, std::vector<Vec3> places) {
  if (model.georeference)
    return {.up = {0, 0, 1},
            .across = {1, 0, 0},
            .away = {0, 1, 0},
            .has_cameras = !model.images.empty(),
            .is_north = model.georeference->origin.has_value()};
  constexpr double kLeastAhead = 0.05;  // of the mean direction, to choose the side of the pictures
  Vec3 up{0, 0, 0}, ahead{0, 0, 0};
  const double weight = 1 / static_cast<double>(model.images.size());
  std::vector<Vec3> centres;
  for (const CameraView& camera : cameras_of(model)) {
    centres.push_back(camera.centre);
    up = plus(up, cross(camera.right, camera.ahead), weight);
    ahead = plus(ahead, camera.ahead, weight);
  }
  const bool looks_down = look_down(up, ahead, centres);
  up = looks_down ? unit(plus({0, 0, 0}, ahead, -1), {0, 0, -1}) : unit(up, {0, -1, 0});
  places.insert(places.end(), centres.begin(), centres.end());
  Vec3 across = spread_normal_to(up, places).most;
  if (dot(ahead, cross(up, across)) < -kLeastAhead) across = plus({0, 0, 0}, across, -1);
  return {up, across, cross(up, across), looks_down, !centres.empty(), false};
}

Extent::Extent(std::vector<double> points, const std::vector<double>& cameras) {
  std::ranges::sort(points);
  const auto at = [&](double share) {
    return points[static_cast<std::size_t>(share * static_cast<double>(points.size() - 1))];
  };
  if (!points.empty())
    low = at(0.02), high = at(0.98);
  else if (!cameras.empty())
    low = high = cameras.front();
  for (const double x : cameras) low = std::min(low, x), high = std::max(high, x);
  const double more = std::max(0.02 * (high - low), 1e-6);
  low -= more, high += more;
}

std::vector<const colmap::ModelPoint*> drawn_points(const colmap::Model& model, std::size_t most) {
  std::vector<const colmap::ModelPoint*> points;
  const std::size_t step = std::max<std::size_t>(1, (model.points.size() + most - 1) / most);
  for (std::size_t i = 0; i < model.points.size(); i += step) points.push_back(&model.points[i]);
  return points;
}

double round_number(double x) {
  const double unit = std::pow(10, std::floor(std::log10(x)));
  return x >= 5 * unit ? 5 * unit : x >= 2 * unit ? 2 * unit : unit;
}

std::vector<double> along(const Vec3& axis, const std::vector<Vec3>& places) {
  std::vector<double> values;
  for (const Vec3& X : places) values.push_back(dot(axis, X));
  return values;
}

}  // namespace bifocal::jobs
