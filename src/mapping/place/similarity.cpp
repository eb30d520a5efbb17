// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/place/similarity.hpp"

#include <algorithm>
#include <cmath>

namespace bifocal::mapping {
namespace {

Vec3 mean_of(std::span<const Vec3> points, std::span<const double> weights) {
  Vec3 out{};
  double total = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (weights[i] == 0) continue;
    out = sum(out, scaled(points[i], weights[i]));
    total += weights[i];
  }
  return scaled(out, 1 / total);
}

// The pose from the moved world.
colmap::ModelPose moved_pose(const colmap::ModelPose& pose, const Similarity& s) {
  const Pose old = colmap::pose_of(pose);
  const Mat3 R = times(old.R, transposed(s.R));
  return colmap::model_pose({R, difference(scaled(old.t, s.scale), bifocal::times(R, s.t))});
}

}  // namespace

double extent_across(std::span<const Vec3> points, std::span<const double> weights) {
  const Vec3 mean = mean_of(points, weights);
  Mat3 scatter{};
  double total = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (weights[i] == 0) continue;
    const Vec3 d = difference(points[i], mean);
    for (std::size_t k = 0; k < 9; ++k) scatter[k] += weights[i] * d[k / 3] * d[k % 3];
    total += weights[i];
  }
  if (total == 0) return 0;
  // The largest eigenvalue by powers of the matrix, which converge from above by their traces.
  const double trace = scatter[0] + scatter[4] + scatter[8];
  if (!(trace > 0)) return 0;
  Mat3 power = scatter;
  for (int round = 0; round < 40; ++round) {
    const double size = power[0] + power[4] + power[8];
    for (double& v : power) v /= size;
    power = times(power, power);
  }
  const double largest = [&] {
    const Mat3 product = times(scatter, power);
    return (product[0] + product[4] + product[8]) / (power[0] + power[4] + power[8]);
  }();
  return std::sqrt(std::max(0.0, trace - largest) / total);
}

std::optional<Similarity> similarity_of(std::span<const Vec3> from, std::span<const Vec3> to,
                                        std::span<const double> weights) {
  if (std::ranges::count_if(weights, [](double w) { return w > 0; }) < 3) return {};
  const Vec3 from_mean = mean_of(from, weights), to_mean = mean_of(to, weights);
  Mat3 covariance{};
  double spread = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (weights[i] == 0) continue;
    const Vec3 a = difference(from[i], from_mean), b = difference(to[i], to_mean);
    for (std::size_t k = 0; k < 9; ++k) covariance[k] += weights[i] * b[k / 3] * a[k % 3];
    spread += weights[i] * dot(a, a);
  }
  const double total = norm({covariance[0], covariance[4], covariance[8]});
  if (!std::isfinite(spread) || !std::isfinite(total) || !(spread > 0)) return {};
  constexpr double kLeastExtent = 1e-6;  // relative
  for (const std::span<const Vec3> points : {from, to}) {
    const Vec3 mean = points.data() == from.data() ? from_mean : to_mean;
    double farthest = 0;
    for (std::size_t i = 0; i < points.size(); ++i)
      if (weights[i] > 0) farthest = std::max(farthest, norm(difference(points[i], mean)));
    if (!(extent_across(points, weights) > kLeastExtent * farthest)) return {};
  }
  Similarity out;
  out.R = nearest_rotation(covariance);
  double along = 0;
  for (std::size_t k = 0; k < 9; ++k) along += out.R[k] * covariance[k];
  out.scale = along / spread;
  if (!(out.scale > 0)) return {};
  out.t = difference(to_mean, scaled(bifocal::times(out.R, from_mean), out.scale));
  return out;
}

void transform(colmap::Model& model, const Similarity& similarity) {
  for (colmap::ModelImage& image : model.images)
    image.cam_from_world = moved_pose(image.cam_from_world, similarity);
  for (colmap::ModelFrame& frame : model.frames)
    frame.rig_from_world = moved_pose(frame.rig_from_world, similarity);
  for (colmap::ModelRig& rig : model.rigs)
    for (colmap::RigSensor& sensor : rig.sensors)
      if (sensor.sensor_from_rig)
        sensor.sensor_from_rig->translation =
            scaled(sensor.sensor_from_rig->translation, similarity.scale);
  for (colmap::ModelPoint& point : model.points) point.xyz = moved(similarity, point.xyz);
}

}  // namespace bifocal::mapping
