// SPDX-License-Identifier: BSD-3-Clause
#include "jobs/report/collection/cloud_pictures.hpp"

#include <bifocal/io.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace bifocal::jobs {
namespace {

constexpr double kCloudWidth = 720, kMostCloudHeight = 800, kCloudMargin = 8;  // px
constexpr std::int64_t kMostSamples = 100000;  // points that determine the extents

Vec3 place_of(const CloudPoint& p) { return {p.x, p.y, p.z}; }

// Returns at most kMostSamples points, chosen evenly.
std::vector<Vec3> sample_of(const std::filesystem::path& cloud) {
  const std::int64_t step = 1 + read_ply(cloud) / kMostSamples;
  std::vector<Vec3> places;
  std::int64_t k = 0;
  read_ply(cloud, [&](std::span<const CloudPoint> points) {
    for (const CloudPoint& p : points)
      if (k++ % step == 0) places.push_back(place_of(p));
  });
  return places;
}

// Returns the model from which depth was computed; without cameras the first one of the page.
const colmap::Model* origin_of(const std::optional<colmap::Model>& cameras,
                               const std::vector<NamedModel>& models) {
  if (!cameras) return models.empty() ? nullptr : &models.front().model;
  if (cameras->images.empty()) return nullptr;
  const colmap::ModelImage& first = cameras->images.front();
  for (const NamedModel& named : models)
    for (const colmap::ModelImage& image : named.model.images)
      if (image.name == first.name && image.cam_from_world == first.cam_from_world)
        return &named.model;
  return nullptr;
}

Axes axes_of_cloud(const std::optional<colmap::Model>& cameras,
                   const std::vector<NamedModel>& models, const std::vector<Vec3>& sample) {
  const colmap::Model* origin = origin_of(cameras, models);
  if (!origin) return axes_of(cameras.value_or(colmap::Model()), sample);
  std::vector<Vec3> places;
  for (const colmap::ModelPoint* point : drawn_points(*origin, kMostModelPoints))
    places.push_back(point->xyz);
  return axes_of(*origin, places);
}

// The interval of a coordinate without the outermost points: 0.02 % at each end, and points
// farther from the inner 98 % than `most` times their size.
Extent extent_along(const Vec3& axis, const std::vector<Vec3>& sample, double most) {
  std::vector<double> values = along(axis, sample);
  std::ranges::sort(values);
  const auto at = [&](double share) {
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
  };
  const double size = std::max(at(0.99) - at(0.01), 1e-6);
  Extent extent;
  extent.low = std::max(at(0.0002), at(0.01) - most * size) - 0.01 * size;
  extent.high = std::min(at(0.9998), at(0.99) + most * size) + 0.01 * size;
  return extent;
}

// A direction of the pictures with the interval that they show.
struct Side {
  Vec3 axis;
  Extent extent;
};

// A parallel projection with a depth buffer: `right` to the right, `upward` upward.
class Raster {
 public:
  Raster(const Side& right, const Side& upward, double points)
      : right_(right.axis),
        upward_(upward.axis),
        towards_(cross(right.axis, upward.axis)),
        across_(right.extent),
        up_(upward.extent),
        scale_(std::min((kCloudWidth - 2 * kCloudMargin) / across_.size(),
                        (kMostCloudHeight - 2 * kCloudMargin) / up_.size())) {
    const auto px = [&](const Extent& e) {
      return static_cast<int>(std::ceil(e.size() * scale_ + 2 * kCloudMargin));
    };
    rgb_ = ImageU8(px(across_), px(up_), 3, 255);
    nearest_ = Image<double>(rgb_.width, rgb_.height, 1, std::numeric_limits<double>::lowest());
    // Points are squares: twice the side that would cover the picture with even points.
    const double area = across_.size() * up_.size() * scale_ * scale_;
    side_ = std::clamp(static_cast<int>(std::ceil(2 * std::sqrt(area / points))), 1, 6);
  }

  void add(const CloudPoint& point) {
    const Vec3 X = place_of(point);
    const double u = dot(right_, X), v = dot(upward_, X), depth = dot(towards_, X);
    if (!across_.has(u) || !up_.has(v)) return;
    const int x = int(kCloudMargin + (u - across_.low) * scale_ - 0.5 * (side_ - 1)),
              y = int(kCloudMargin + (up_.high - v) * scale_ - 0.5 * (side_ - 1));
    for (int j = std::max(y, 0); j < std::min(y + side_, rgb_.height); ++j)
      for (int i = std::max(x, 0); i < std::min(x + side_, rgb_.width); ++i) {
        if (depth <= nearest_.at(i, j)) continue;
        nearest_.at(i, j) = depth;
        std::uint8_t* p = &rgb_.at(i, j);
        p[0] = point.r, p[1] = point.g, p[2] = point.b;
      }
  }
  [[nodiscard]] ImageU8 picture() { return std::move(rgb_); }

 private:
  Vec3 right_, upward_, towards_;
  Extent across_, up_;
  double scale_;
  int side_ = 1;  // px of a point
  ImageU8 rgb_;
  Image<double> nearest_;
};

}  // namespace

CloudPictures cloud_pictures(const std::filesystem::path& cloud,
                             const std::optional<colmap::Model>& cameras,
                             const std::vector<NamedModel>& models) {
  const std::vector<Vec3> sample = sample_of(cloud);
  CloudPictures out{axes_of_cloud(cameras, models, sample), {}};
  if (sample.empty()) return out;
  const auto points = static_cast<double>(read_ply(cloud));
  const auto side = [&](const Vec3& axis, double most) {
    return Side{axis, extent_along(axis, sample, most)};
  };
  constexpr double kMostAround = 0.25, kMostUp = 2;  // towers are high and have few points
  const Side up = side(out.axes.up, kMostUp), across = side(out.axes.across, kMostAround),
             away = side(out.axes.away, kMostAround);
  std::array<Raster, 3> rasters = {Raster(across, away, points), Raster(across, up, points),
                                   Raster(away, up, points)};
  read_ply(cloud, [&](std::span<const CloudPoint> piece) {
    for (Raster& raster : rasters)
      for (const CloudPoint& point : piece) raster.add(point);
  });
  for (std::size_t k = 0; k < 3; ++k) out.pictures[k] = rasters[k].picture();
  return out;
}

}  // namespace bifocal::jobs
