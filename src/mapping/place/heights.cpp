// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/place/heights.hpp"

#include <vector>

#include "math/median.hpp"

namespace bifocal::mapping {
namespace {

constexpr double kLooksDown = 30 * kRadPerDeg;
constexpr double kMostFactor = 1.5;

}  // namespace

std::optional<Heights> heights_of(const Scene& scene) {
  std::vector<double> cameras, altitudes, levels, points;
  for (const MapPosition& p : scene.graph->positions) {
    const View& view = scene.view(p.image);
    if (!view.is_registered || !p.altitude) continue;
    if (-view.cam_from_world.R[8] < std::cos(kLooksDown)) return {};
    cameras.push_back(centre_of(view.cam_from_world)[2]);
    altitudes.push_back(*p.altitude);
    levels.push_back(cameras.back() - altitudes.back());
  }
  for (std::size_t k = 0; k < scene.tracks.size(); ++k)
    if (scene.tracks.is_point[k] != 0) points.push_back(scene.tracks.points[k][2]);
  if (cameras.size() < 3 || points.empty()) return {};
  Heights h{.camera = upper_median(cameras), .ground = upper_median(points)};
  h.altitude = upper_median(altitudes), h.level = upper_median(levels);
  const auto spread = [](std::vector<double> values, double middle) {
    for (double& v : values) v = std::abs(v - middle);
    return 1.4826 * upper_median(values);
  };
  h.relief = spread(points, h.ground), h.deviation = spread(levels, h.level);
  if (!(h.altitude > 0) || !(h.camera > h.ground)) return {};
  if (h.factor() > kMostFactor || h.factor() < 1 / kMostFactor) return {};
  return h;
}

}  // namespace bifocal::mapping
