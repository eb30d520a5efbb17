// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/dense.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "dense/engine.hpp"

namespace bifocal {
namespace {

[[noreturn]] void refuse(std::size_t i, const DenseView& view, const std::string& what) {
  throw Error(ErrorCode::usage,
              fmt::format("view {}{}{}: {}", i, view.name.empty() ? "" : ", ", view.name, what));
}

void check_view(std::size_t i, const DenseView& view) {
  if (view.image.empty()) refuse(i, view, "an image without pixels");
  if (view.image.channels != 1 && view.image.channels != 3)
    refuse(i, view, fmt::format("{} channels, must be 1 or 3", view.image.channels));
  constexpr int kMostSide = 4000;
  if (std::max(view.image.width, view.image.height) > kMostSide)
    refuse(i, view,
           fmt::format("{} x {} px; a side may have {}", view.image.width, view.image.height,
                       kMostSide));
  const Intrinsics& K = view.camera;
  if (!K.valid() || !std::isfinite(K.fx + K.fy + K.cx + K.cy))
    refuse(
        i, view,
        fmt::format("camera {} {} {} {}, focal lengths must be positive", K.fx, K.fy, K.cx, K.cy));
  for (const double v : view.cam_from_world.R)
    if (!std::isfinite(v)) refuse(i, view, "its rotation is not finite");
  for (const double v : view.cam_from_world.t)
    if (!std::isfinite(v)) refuse(i, view, "its translation is not finite");
}

void check_points(std::size_t views, std::span<const DensePoint> points) {
  for (std::size_t p = 0; p < points.size(); ++p) {
    for (const double v : points[p].xyz)
      if (!std::isfinite(v))
        throw Error(ErrorCode::usage, fmt::format("point {}: its position is not finite", p));
    for (const int view : points[p].views)
      if (view < 0 || static_cast<std::size_t>(view) >= views)
        throw Error(ErrorCode::usage,
                    fmt::format("point {}: view {}, but there are {} views", p, view, views));
  }
}

// Every view of a point once, in ascending order, as plan_views() needs them.
std::vector<DensePoint> with_sorted_views(std::span<const DensePoint> points) {
  std::vector<DensePoint> sorted(points.begin(), points.end());
  for (DensePoint& point : sorted) {
    std::ranges::sort(point.views);
    point.views.erase(std::ranges::unique(point.views).begin(), point.views.end());
  }
  return sorted;
}

}  // namespace

DenseResult dense_depth(Queue& queue, std::span<const DenseView> views,
                        std::span<const DensePoint> points, const DenseOptions& options) {
  dense::check_ranges(options);
  for (std::size_t i = 0; i < views.size(); ++i) check_view(i, views[i]);
  check_points(views.size(), points);
  std::vector<dense::Placed> placed;
  for (const DenseView& view : views)
    placed.push_back({view.camera, view.cam_from_world, {view.image.width, view.image.height}});
  const std::vector<dense::PlannedView> plan =
      dense::plan_views(placed, with_sorted_views(points), options);
  std::array<std::vector<std::vector<float>>, dense::kPasses> planes;
  planes.fill(std::vector<std::vector<float>>(views.size()));
  DenseResult result;
  const dense::Storage storage{
      .read = [&](int i) { return views[static_cast<std::size_t>(i)].image; },
      .undistort = [](int, ImageU8&& image) { return std::move(image); },
      .has_planes = [](int, int) { return false; },
      .write_planes =
          [&](int i, int pass, std::span<const float> values) {
            planes[static_cast<std::size_t>(pass)][static_cast<std::size_t>(i)].assign(
                values.begin(), values.end());
          },
      .read_planes =
          [&](int i, int pass, std::span<float> values) {
            std::ranges::copy(planes[static_cast<std::size_t>(pass)][static_cast<std::size_t>(i)],
                              values.begin());
          },
      .write_map = [](int, const DenseMap&, const ImageU8&) {},
      .take =
          [&](int, DenseMap&& map, std::span<const FusedPoint> points_of_view) {
            result.maps.push_back(std::move(map));
            result.cloud.insert(result.cloud.end(), points_of_view.begin(), points_of_view.end());
          }};
  dense::run(queue, plan, storage, options);
  return result;
}

DenseResult dense_depth(std::span<const DenseView> views, std::span<const DensePoint> points,
                        const DenseOptions& options) {
  Queue queue;
  return dense_depth(queue, views, points, options);
}

}  // namespace bifocal
