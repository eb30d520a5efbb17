// SPDX-License-Identifier: BSD-3-Clause
#include "report/collection/model_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bifocal/geometry.hpp>
#include <cmath>
#include <cstdint>

namespace bifocal::cli {
namespace {

constexpr std::size_t kMostModelPoints = 6000;  // drawn
constexpr double kWidth = 560, kMostHeight = 620, kMargin = 14, kCameraSize = 0.035;

double dot(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Vec3 row(const Mat3& R, std::size_t i) { return {R[3 * i], R[3 * i + 1], R[3 * i + 2]}; }
Vec3 plus(const Vec3& a, const Vec3& b, double scale) {
  return {a[0] + scale * b[0], a[1] + scale * b[1], a[2] + scale * b[2]};
}
Vec3 unit(const Vec3& a, const Vec3& otherwise) {
  const double length = std::sqrt(dot(a, a));
  return length > 1e-9 ? plus({0, 0, 0}, a, 1 / length) : otherwise;
}

struct CameraView {
  Vec3 centre, right, ahead;
};

// Axes of the pictures: `up` is the mean upward direction of the images, `across` the direction
// normal to `up` in which the cameras and points extend most, and `away` points upward in the
// picture from above.
struct Axes {
  Vec3 up, across, away;
};

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

Axes axes_of(const colmap::Model& model, const std::vector<Vec3>& places) {
  Vec3 up{0, 0, 0}, mean{0, 0, 0};
  for (const colmap::ModelImage& image : model.images)
    up = plus(up, row(colmap::pose_of(image.cam_from_world).R, 1), -1);
  up = unit(up, {0, -1, 0});
  const Vec3 other = std::abs(up[0]) < 0.7 ? Vec3{1, 0, 0} : Vec3{0, 0, 1};
  const Vec3 a = unit(plus(other, up, -dot(other, up)), {1, 0, 0}), b = cross(up, a);
  for (const Vec3& X : places) mean = plus(mean, X, 1 / static_cast<double>(places.size()));
  double aa = 0, ab = 0, bb = 0;
  for (const Vec3& X : places) {
    const Vec3 d = plus(X, mean, -1);
    const double u = dot(a, d), v = dot(b, d);
    aa += u * u, ab += u * v, bb += v * v;
  }
  const double angle = 0.5 * std::atan2(2 * ab, aa - bb);
  const Vec3 across = plus(plus({0, 0, 0}, a, std::cos(angle)), b, std::sin(angle));
  return {up, across, cross(up, across)};
}

// The interval of a coordinate that has 96 % of the points, and all cameras.
struct Extent {
  double low = 0, high = 1;

  Extent(std::vector<double> points, const std::vector<double>& cameras) {
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
  [[nodiscard]] double size() const { return high - low; }
  [[nodiscard]] bool has(double x) const { return x >= low && x <= high; }
};

// Chosen evenly.
std::vector<const colmap::ModelPoint*> drawn_points(const colmap::Model& model) {
  std::vector<const colmap::ModelPoint*> points;
  const std::size_t step = (model.points.size() + kMostModelPoints - 1) / kMostModelPoints;
  for (std::size_t i = 0; i < model.points.size(); i += step) points.push_back(&model.points[i]);
  return points;
}

std::vector<double> along(const Vec3& axis, const std::vector<Vec3>& places) {
  std::vector<double> values;
  for (const Vec3& X : places) values.push_back(dot(axis, X));
  return values;
}

// A parallel projection: `right` to the right, `upward` upward.
class Drawing {
 public:
  Drawing(const Vec3& right, const Vec3& upward, const Extent& across, const Extent& up)
      : right_(right),
        upward_(upward),
        across_(across),
        up_(up),
        scale_(std::min((kWidth - 2 * kMargin) / across.size(),
                        (kMostHeight - 2 * kMargin) / up.size())),
        left_(0.5 * (kWidth - across.size() * scale_)) {}

  [[nodiscard]] double height() const { return up_.size() * scale_ + 2 * kMargin; }
  [[nodiscard]] std::array<double, 2> at(const Vec3& X) const {
    return {left_ + (dot(right_, X) - across_.low) * scale_,
            kMargin + (up_.high - dot(upward_, X)) * scale_};
  }
  void add_point(const Vec3& X, const std::array<std::uint8_t, 3>& rgb) {
    if (!across_.has(dot(right_, X)) || !up_.has(dot(upward_, X))) return;
    const auto [x, y] = at(X);
    svg_ += fmt::format("<path d=\"M{:.1f} {:.1f}h1.4\" stroke=\"#{:02x}{:02x}{:02x}\"/>", x, y,
                        rgb[0], rgb[1], rgb[2]);
  }
  void add_camera(const CameraView& camera, double size, const std::string& name) {
    const Vec3 end = plus(camera.centre, camera.ahead, size);
    const auto [x0, y0] = at(camera.centre);
    const auto [x1, y1] = at(plus(end, camera.right, -0.5 * size));
    const auto [x2, y2] = at(plus(end, camera.right, 0.5 * size));
    svg_ += fmt::format(
        "<path class=\"camera\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f} {:.1f} {:.1f}z\"><title>{}"
        "</title></path>",
        x0, y0, x1, y1, x2, y2, escaped(name));
  }
  [[nodiscard]] std::string figure(const std::string& caption) const {
    return fmt::format(
        "<figure class=\"model\"><svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}\">"
        "{}</svg><figcaption>{}</figcaption></figure>\n",
        kWidth, height(), caption, svg_, caption);
  }

 private:
  Vec3 right_, upward_;
  Extent across_, up_;
  double scale_, left_;
  std::string svg_;
};

std::string figures(const colmap::Model& model) {
  const std::vector<CameraView> cameras = cameras_of(model);
  const std::vector<const colmap::ModelPoint*> points = drawn_points(model);
  std::vector<Vec3> centres, places;
  for (const CameraView& camera : cameras) centres.push_back(camera.centre);
  for (const colmap::ModelPoint* point : points) places.push_back(point->xyz);
  std::vector<Vec3> all = centres;
  all.insert(all.end(), places.begin(), places.end());
  const Axes axes = axes_of(model, all);
  const auto extent = [&](const Vec3& axis) {
    return Extent(along(axis, places), along(axis, centres));
  };
  const Extent across = extent(axes.across), up = extent(axes.up), away = extent(axes.away);
  Drawing above(axes.across, axes.away, across, away), side(axes.across, axes.up, across, up);
  const double size = kCameraSize * std::max(across.size(), away.size());
  for (Drawing* drawing : {&above, &side}) {
    for (const colmap::ModelPoint* point : points) drawing->add_point(point->xyz, point->rgb);
    for (std::size_t i = 0; i < cameras.size(); ++i)
      drawing->add_camera(cameras[i], size, model.images[i].name);
  }
  return above.figure("From above") + side.figure("From the side");
}

Rows rows_of(const std::vector<NamedModel>& models) {
  Rows rows;
  for (const auto& [folder, model] : models) {
    std::size_t observations = 0;
    double sum = 0;
    for (const colmap::ModelPoint& point : model.points) {
      observations += point.track.size();
      sum += point.error * static_cast<double>(point.track.size());
    }
    rows.push_back({folder, fmt::format("{} images, {} points, {} observations, mean reprojection "
                                        "error {:.2f} px",
                                        model.images.size(), model.points.size(), observations,
                                        observations > 0 ? sum / double(observations) : 0)});
  }
  return rows;
}

}  // namespace

void add_models(Page& page, const std::vector<NamedModel>& models) {
  if (models.empty()) return;
  page.heading(models.size() == 1 ? "Sparse model" : "Sparse models");
  page.table("Models", rows_of(models));
  const colmap::Model& first = models.front().model;
  page.markup(fmt::format("<div class=\"models\">{}</div>\n", figures(first)));
  page.paragraph(fmt::format(
      "Cameras and {} of {} points of {}. Up is the mean upward direction of the images. Points "
      "far from the others are not drawn; the pointer over a camera shows its name.",
      drawn_points(first).size(), first.points.size(), models.front().folder));
}

}  // namespace bifocal::cli
