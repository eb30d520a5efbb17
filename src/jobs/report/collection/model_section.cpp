// SPDX-License-Identifier: BSD-3-Clause
#include "jobs/report/collection/model_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bifocal/geometry.hpp>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <unordered_set>

namespace bifocal::jobs {
namespace {

constexpr std::size_t kMostModelPoints = 6000;  // drawn of the first model; of others a quarter
constexpr std::size_t kMostDrawings = 8;        // models
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

// Axes of the pictures: `across` is the direction normal to `up` in which the cameras and points
// extend most, and `away` points upward in the picture from above.
struct Axes {
  Vec3 up, across, away;
  bool looks_down = false;  // `up` is opposite to the mean viewing direction of the cameras
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
  const double common = std::sqrt(dot(mean_ahead, mean_ahead));
  if (common < kLeastCommon) return false;
  if (std::sqrt(dot(mean_up, mean_up)) < kLeastRotated) return true;
  const Vec3 ahead = unit(mean_ahead, {0, 0, 1});
  return spread_normal_to(ahead, centres).variance_of_least >
         kLeastFlatness * kLeastFlatness * variance_along(ahead, centres);
}

Axes axes_of(const colmap::Model& model, const std::vector<Vec3>& centres,
             const std::vector<Vec3>& places) {
  Vec3 up{0, 0, 0}, ahead{0, 0, 0};
  const double weight = 1 / static_cast<double>(model.images.size());
  for (const colmap::ModelImage& image : model.images) {
    const Mat3 R = colmap::pose_of(image.cam_from_world).R;
    up = plus(up, row(R, 1), -weight);
    ahead = plus(ahead, row(R, 2), weight);
  }
  const bool looks_down = look_down(up, ahead, centres);
  up = looks_down ? unit(plus({0, 0, 0}, ahead, -1), {0, 0, -1}) : unit(up, {0, -1, 0});
  const Vec3 across = spread_normal_to(up, places).most;
  return {up, across, cross(up, across), looks_down};
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

// Returns at most `most` points, chosen evenly.
std::vector<const colmap::ModelPoint*> drawn_points(const colmap::Model& model, std::size_t most) {
  std::vector<const colmap::ModelPoint*> points;
  const std::size_t step = std::max<std::size_t>(1, (model.points.size() + most - 1) / most);
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

// Adds the cameras and at most `most` points of a model from above and from the side.
void add_drawings(Page& page, const NamedModel& named, std::size_t most) {
  const colmap::Model& model = named.model;
  const std::vector<CameraView> cameras = cameras_of(model);
  const std::vector<const colmap::ModelPoint*> points = drawn_points(model, most);
  std::vector<Vec3> centres, places;
  for (const CameraView& camera : cameras) centres.push_back(camera.centre);
  for (const colmap::ModelPoint* point : points) places.push_back(point->xyz);
  std::vector<Vec3> all = centres;
  all.insert(all.end(), places.begin(), places.end());
  const Axes axes = axes_of(model, centres, all);
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
  page.markup(fmt::format("<div class=\"models\">{}{}</div>\n", above.figure("From above"),
                          side.figure("From the side")));
  page.paragraph(fmt::format(
      "Cameras and {} of {} points of {}. {} Points far from the others are not drawn; the pointer "
      "over a camera shows its name.",
      points.size(), model.points.size(), named.folder,
      axes.looks_down ? "All cameras look in about the same direction, which is drawn as down."
                      : "Up is the mean upward direction of the images."));
}

Rows rows_of(const std::vector<NamedModel>& models) {
  Rows rows;
  for (const NamedModel& named : models) {
    const colmap::Model& model = named.model;
    std::size_t observations = 0;
    double sum = 0;
    for (const colmap::ModelPoint& point : model.points) {
      observations += point.track.size();
      sum += point.error * static_cast<double>(point.track.size());
    }
    rows.push_back(
        {named.folder, fmt::format("{} images, {} points, {} observations, mean reprojection "
                                   "error {:.2f} px",
                                   model.images.size(), model.points.size(), observations,
                                   observations > 0 ? sum / double(observations) : 0)});
  }
  return rows;
}

Rows doubt_rows(const std::vector<NamedModel>& models) {
  Rows rows;
  for (const NamedModel& named : models)
    for (const std::string& doubt : named.doubts) rows.push_back({named.folder, doubt});
  return rows;
}

// Returns the images of the models that are not drawn.
Rows undrawn_rows(const std::vector<NamedModel>& models) {
  Rows rows;
  for (std::size_t m = kMostDrawings; m < models.size(); ++m) {
    std::string names;
    for (const colmap::ModelImage& image : models[m].model.images)
      names += (names.empty() ? "" : ", ") + image.name;
    rows.push_back({models[m].folder, names});
  }
  return rows;
}

// Returns the images of the view graph that are in no model, and the reasons.
Rows unregistered_rows(const std::vector<NamedModel>& models, const ViewGraph& graph) {
  std::unordered_set<std::string_view> registered;
  for (const NamedModel& named : models)
    for (const colmap::ModelImage& image : named.model.images) registered.insert(image.name);
  Rows rows;
  for (const GraphImage& image : graph.images) {
    if (registered.contains(image.name)) continue;
    rows.push_back({image.name, image.component < 0
                                    ? without_pair_text(image)
                                    : pairs_text(image.verified) + " verified, no pose found"});
  }
  return rows;
}

}  // namespace

void add_models(Page& page, const std::vector<NamedModel>& models, const ViewGraph& graph) {
  if (models.empty()) return;
  page.heading(models.size() == 1 ? "Sparse model" : "Sparse models");
  page.table("Models", rows_of(models));
  page.list("Doubts of the models", doubt_rows(models));
  for (std::size_t m = 0; m < std::min(models.size(), kMostDrawings); ++m)
    add_drawings(page, models[m], m == 0 ? kMostModelPoints : kMostModelPoints / 4);
  page.list("Models that are not drawn", undrawn_rows(models));
  page.list("Images in no model", unregistered_rows(models, graph));
}

}  // namespace bifocal::jobs
