// SPDX-License-Identifier: BSD-3-Clause
#include "jobs/depth_files.hpp"

#include <fmt/format.h>
#include <bifocal/draw.hpp>
#include <bifocal/io.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace bifocal::jobs {
namespace {

double value_at(std::vector<float>& values, double share) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto place =
      values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

std::string cameras_text(const DensePair& dense) {
  switch (dense.cameras) {
    case CameraSource::given:
      return "";
    case CameraSource::estimated:
      return fmt::format(", with a focal length estimated from the matches to {:.1f} %",
                         100 * dense.focal_deviation / dense.camera1.fx);
    case CameraSource::assumed:
      return fmt::format(
          ", up to an unknown stretch: the focal length is unknown, {:.0f} px is assumed",
          dense.camera1.fx);
  }
  return "";
}

}  // namespace

DepthSummary summary_of(const DepthMap& map) {
  std::vector<float> depths, deviations;
  for (std::size_t i = 0; i < map.depth.pixels.size(); ++i) {
    const float z = map.depth.pixels[i];
    if (!std::isfinite(z)) continue;
    depths.push_back(z);
    deviations.push_back(map.deviation.pixels[i] / z);
  }
  DepthSummary s;
  if (!map.depth.pixels.empty())
    s.known =
        100.0 * static_cast<double>(depths.size()) / static_cast<double>(map.depth.pixels.size());
  s.near = value_at(depths, 0.02);
  s.median = value_at(depths, 0.5);
  s.far = value_at(depths, 0.98);
  s.relative_deviation = value_at(deviations, 0.5);
  return s;
}

std::string depth_text(const DensePair& dense, std::size_t written) {
  const DepthSummary s = summary_of(dense.depth);
  const std::string deviation =
      dense.has_deviation ? fmt::format(", deviation {:.1f} % (median)", 100 * s.relative_deviation)
                          : "";
  return fmt::format(
      "rectified {}\ndepth of {:.0f} % of the first photograph's pixels{}\n"
      "depths from {:.2f} to {:.2f} baselines{}; cloud: {} points{}\n",
      dense.choice.reason, s.known, cameras_text(dense), s.near, s.far, deviation,
      dense.cloud.size(),
      written < dense.cloud.size() ? fmt::format(", {} of them in cloud.ply", written) : "");
}

ImageU8 depth_picture(const DepthMap& map, Colour unknown) {
  const DepthSummary s = summary_of(map);
  const double far = 1 / s.far, range = std::max(1 / s.near - far, 1e-12);
  return painted(
      map, [&](double z, double) { return 0.04 + 0.92 * (1 / z - far) / range; }, unknown);
}

}  // namespace bifocal::jobs
