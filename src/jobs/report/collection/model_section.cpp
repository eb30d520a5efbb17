// SPDX-License-Identifier: BSD-3-Clause
#include "jobs/report/collection/model_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <unordered_set>

#include "jobs/report/collection/scene_axes.hpp"

namespace bifocal::jobs {
namespace {

constexpr std::size_t kMostDrawings = 8;  // models
constexpr double kWidth = 560, kMostHeight = 620, kMargin = 14, kCameraSize = 0.035;

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
  const Axes axes = axes_of(model, places);
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
      points.size(), model.points.size(), named.folder, axes.text()));
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
