// SPDX-License-Identifier: BSD-3-Clause
#include "collection/colmap/model/undistorted_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bifocal/colmap/undistort.hpp>
#include <bifocal/error.hpp>
#include <cmath>

namespace bifocal::colmap {
namespace model {
namespace {

// The part of an axis in which no pixel is blank, around the principal point `centre`.
struct Interval {
  double low, high;

  Interval(double centre, double size)
      : low(centre - 2 * std::max(centre, 0.5)),
        high(centre + 2 * std::max(size - 1 - centre, 0.5)) {}
  void begin_at(double x) {
    if (std::isfinite(x)) low = std::max(low, x);
  }
  void end_at(double x) {
    if (std::isfinite(x)) high = std::min(high, x);
  }
  [[nodiscard]] double first() const { return std::ceil(low - 1e-6); }
  [[nodiscard]] double count() const { return std::floor(high + 1e-6) - first() + 1; }
};

[[noreturn]] void refuse_lens(Id id) {
  throw Error(ErrorCode::usage, fmt::format("camera {}: its lens leaves no undistorted pixel", id));
}

void set_size(UndistortedView& view, const Interval& across, const Interval& down, Id id) {
  if (!(across.count() >= 1) || !(down.count() >= 1)) refuse_lens(id);
  view.pinhole = view.lens.intrinsics();
  view.pinhole.cx -= across.first(), view.pinhole.cy -= down.first();
  view.width = static_cast<int>(across.count()), view.height = static_cast<int>(down.count());
}

// Whether the photograph has the pixel (x, y) of the output.
bool is_seen(const UndistortedView& view, double x, double y) {
  constexpr double kRounding = 0.5 / 256;  // of SamplingMap
  const Intrinsics &from = view.pinhole, &to = view.lens.pinhole();
  const Vec2 p = view.lens.distort(
      {to.fx * ((x - from.cx) / from.fx) + to.cx, to.fy * ((y - from.cy) / from.fy) + to.cy});
  return p[0] >= -kRounding && p[1] >= -kRounding &&
         p[0] < static_cast<double>(view.lens.width()) - 1 + kRounding &&
         p[1] < static_cast<double>(view.lens.height()) - 1 + kRounding;
}

// Shares of blank pixels of the first and last column and of the first and last row.
std::array<double, 4> blank_shares(const UndistortedView& view) {
  std::array<double, 4> shares{};
  for (int y = 0; y < view.height; ++y) {
    shares[0] += is_seen(view, 0, y) ? 0 : 1.0 / view.height;
    shares[1] += is_seen(view, view.width - 1, y) ? 0 : 1.0 / view.height;
  }
  for (int x = 0; x < view.width; ++x) {
    shares[2] += is_seen(view, x, 0) ? 0 : 1.0 / view.width;
    shares[3] += is_seen(view, x, view.height - 1) ? 0 : 1.0 / view.width;
  }
  return shares;
}

// Cuts sides until they have no blank pixel. Lenses that fold over have no ray for the corners of
// their images, so the borders of the image do not limit the rectangle.
void cut_blank_sides(UndistortedView& view, Id id) {
  constexpr int kSteps = 256;  // to cut a side completely
  while (true) {
    const std::array<double, 4> shares = blank_shares(view);
    const auto worst = std::ranges::max_element(shares) - shares.begin();
    if (shares[static_cast<std::size_t>(worst)] == 0) return;
    int& size = worst < 2 ? view.width : view.height;
    const int cut = std::max(1, size / kSteps);
    if (worst == 0) view.pinhole.cx -= cut;
    if (worst == 2) view.pinhole.cy -= cut;
    size -= cut;
    if (size < 1) refuse_lens(id);
  }
}

}  // namespace

Vec2 undistorted(const LensCamera& lens, const Vec2& px) {
  const Intrinsics &from = lens.pinhole(), &to = lens.intrinsics();
  const Vec2 p = lens.undistort(px);
  return {to.fx * ((p[0] - from.cx) / from.fx) + to.cx,
          to.fy * ((p[1] - from.cy) / from.fy) + to.cy};
}

UndistortedView undistorted_view(const ModelCamera& camera) {
  UndistortedView view{lens_camera_of(camera), {}, 0, 0, {}};
  const auto width = static_cast<int>(camera.width), height = static_cast<int>(camera.height);
  if (width < 1 || height < 1 || width != camera.width || height != camera.height)
    throw Error(ErrorCode::usage, fmt::format("camera {}: its images have {} x {} px", camera.id,
                                              camera.width, camera.height));
  const Intrinsics& K = view.lens.intrinsics();
  Interval across(K.cx, width), down(K.cy, height);
  if (!view.lens.has_lens()) {
    view.pinhole = K, view.width = width, view.height = height;
    return view;
  }
  for (int y = 0; y < height; ++y) {
    across.begin_at(undistorted(view.lens, {0, static_cast<double>(y)})[0]);
    across.end_at(undistorted(view.lens, {width - 1.0, static_cast<double>(y)})[0]);
  }
  for (int x = 0; x < width; ++x) {
    down.begin_at(undistorted(view.lens, {static_cast<double>(x), 0})[1]);
    down.end_at(undistorted(view.lens, {static_cast<double>(x), height - 1.0})[1]);
  }
  set_size(view, across, down, camera.id);
  cut_blank_sides(view, camera.id);
  return view;
}

ModelCamera undistorted_camera(const ModelCamera& camera, const UndistortedView& view) {
  ModelCamera out = camera;
  out.model = model_number("PINHOLE");
  out.width = view.width, out.height = view.height;
  const Intrinsics& K = view.pinhole;
  out.params = {K.fx, K.fy, K.cx, K.cy};
  return out;
}

}  // namespace model

ModelCamera undistorted_camera(const ModelCamera& camera) {
  return model::undistorted_camera(camera, model::undistorted_view(camera));
}

}  // namespace bifocal::colmap
