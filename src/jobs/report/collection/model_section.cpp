// SPDX-License-Identifier: BSD-3-Clause
#include "jobs/report/collection/model_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "jobs/report/collection/control_section.hpp"
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
  // A pyramid from the centre to the corners of the image.
  void add_camera(const CameraView& camera, double size, const std::string& name) {
    const Vec3 end = plus(camera.centre, camera.ahead, size),
               down = cross(camera.ahead, camera.right);
    const auto [x, y] = at(camera.centre);
    std::string border, edges;
    for (const auto& [right, below] :
         {std::pair{-0.5, -0.38}, {0.5, -0.38}, {0.5, 0.38}, {-0.5, 0.38}}) {
      const auto [u, v] = at(plus(plus(end, camera.right, right * size), down, below * size));
      border += fmt::format("{}{:.1f} {:.1f}", border.empty() ? "M" : "L", u, v);
      edges += fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}", x, y, u, v);
    }
    svg_ += fmt::format("<path class=\"camera\" d=\"{}z{}\"><title>{}</title></path>", border,
                        edges, escaped(name));
  }
  void add_line(const Vec3& from, const Vec3& to, const char* kind) {
    const auto [x0, y0] = at(from);
    const auto [x1, y1] = at(to);
    svg_ += fmt::format("<path class=\"{}\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>", kind, x0, y0, x1,
                        y1);
  }
  // A triangle, and the line of its residual.
  void add_control(const DrawnControl& control, bool has_name) {
    const auto [x, y] = at(control.place);
    svg_ += fmt::format(
        "<path class=\"{}\" d=\"M{:.1f} {:.1f}l5.5 9.5h-11z\"><title>{}</title></path>",
        control.is_check ? "control check" : "control", x, y - 6.3, escaped(control.text));
    add_line(control.place, control.end, "residual");
    if (has_name)
      svg_ += fmt::format("<text class=\"control-name\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", x + 8,
                          y + 4, escaped(control.name));
  }
  // A bar of a round length in metres, in the lower left corner.
  void add_scale() {
    const double length = round_number(0.3 * kWidth / scale_), y = height() - kMargin;
    svg_ += fmt::format(
        "<path class=\"bar\" d=\"M{0:.1f} {1:.1f}v4h{2:.1f}v-4\"/><text x=\"{3:.1f}\" "
        "y=\"{4:.1f}\">{5:g} m</text>",
        kMargin, y, length * scale_, kMargin + 4, y - 2, length);
  }
  // An arrow that points upward, in the upper right corner.
  void add_north() {
    const double x = kWidth - kMargin - 8;
    svg_ += fmt::format(
        "<path class=\"bar\" d=\"M{0:.1f} {1:.1f}l-5 14 5 -4 5 4z\"/><text x=\"{2:.1f}\" "
        "y=\"{3:.1f}\">N</text>",
        x, kMargin, x - 5, kMargin + 28);
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

// Adds lines from the cameras to the positions of their images.
void add_positions(const NamedModel& named, const std::vector<CameraView>& cameras,
                   Drawing& drawing) {
  std::unordered_map<std::string_view, const Vec3*> centres;
  for (std::size_t i = 0; i < cameras.size(); ++i)
    centres.emplace(named.model.images[i].name, &cameras[i].centre);
  for (const auto& [name, position] : named.positions)
    if (const auto found = centres.find(name); found != centres.end())
      drawing.add_line(*found->second, position, "position");
}

// Adds control points, and returns their sentence of the caption.
std::string add_controls(const NamedModel& named, double extent, Drawing& above, Drawing& side) {
  const DrawnControls controls = drawn_controls(named, extent);
  if (controls.points.empty()) return {};
  for (const DrawnControl& control : controls.points) {
    above.add_control(control, true);
    side.add_control(control, false);
  }
  return fmt::format(
      " Green triangles are control points, hollow ones check points; purple lines lead to where "
      "the model has them{}.",
      controls.factor > 1 ? fmt::format(", {:g} times longer", controls.factor) : "");
}

// Adds the cameras and at most `most` points of a model from above and from the side.
void add_drawings(Page& page, const NamedModel& named, std::size_t most) {
  const colmap::Model& model = named.model;
  const std::vector<CameraView> cameras = cameras_of(model);
  const std::vector<const colmap::ModelPoint*> points = drawn_points(model, most);
  std::vector<Vec3> centres, places;
  for (const CameraView& camera : cameras) centres.push_back(camera.centre);
  for (const DrawnControl& control : drawn_controls(named, 1).points)
    centres.push_back(control.place);
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
  if (model.georeference) {
    add_positions(named, cameras, above);
    add_positions(named, cameras, side);
    above.add_scale(), side.add_scale();
  }
  const std::string controls =
      add_controls(named, std::max(across.size(), away.size()), above, side);
  if (axes.is_north) above.add_north();
  page.markup(fmt::format("<div class=\"models\">{}{}</div>\n", above.figure("From above"),
                          side.figure(axes.is_north ? "From the south" : "From the side")));
  page.paragraph(fmt::format(
      "Cameras and {} of {} points of {}. {}{}{} Points far from the others are not drawn; the "
      "pointer "
      "over a camera shows its name.",
      points.size(), model.points.size(), named.folder, axes.text(),
      named.positions.empty() ? "" : " Blue lines lead from the cameras to the given positions.",
      controls));
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

// The place of a model, and the differences of its positions.
std::string place_text(const colmap::Georeference& place) {
  std::string text = "metres";
  if (place.origin)
    text += fmt::format(
        ", east, north and up of latitude {:.6f}, longitude {:.6f}, altitude {:.1f} m",
        place.origin->latitude_deg, place.origin->longitude_deg, place.origin->altitude_m);
  if (place.control_points > 0)
    return text + fmt::format("; by {} control points", place.control_points);
  text +=
      fmt::format("; {} positions, which differ by {:.2f} m east, {:.2f} m north and {:.2f} m up",
                  place.positions, place.residuals[0], place.residuals[1], place.residuals[2]);
  if (!place.outliers.empty())
    text += fmt::format(" without {} that contradict the others", place.outliers.size());
  return text + (place.is_adjusted ? "; they acted in the adjustment"
                                   : "; they did not act in the adjustment");
}

Rows place_rows(const std::vector<NamedModel>& models) {
  Rows rows;
  for (const NamedModel& named : models)
    if (named.model.georeference)
      rows.push_back({named.folder, place_text(*named.model.georeference)});
  return rows;
}

// Images whose positions differ most from their cameras.
Rows position_rows(const std::vector<NamedModel>& models) {
  constexpr std::size_t kMost = 20;
  std::vector<std::pair<double, Rows::value_type>> found;
  for (const NamedModel& named : models) {
    if (!named.model.georeference) continue;
    std::unordered_map<std::string_view, Vec3> centres;
    const std::vector<CameraView> cameras = cameras_of(named.model);
    for (std::size_t i = 0; i < cameras.size(); ++i)
      centres.emplace(named.model.images[i].name, cameras[i].centre);
    for (const auto& [name, position] : named.positions) {
      const auto at = centres.find(name);
      if (at == centres.end()) continue;
      const Vec3 d = plus(position, at->second, -1);
      found.push_back(
          {norm(d),
           {name, fmt::format("{:+.2f} m east, {:+.2f} m north, {:+.2f} m up", d[0], d[1], d[2])}});
    }
  }
  std::ranges::stable_sort(found, std::greater(), [](const auto& item) { return item.first; });
  Rows rows;
  for (std::size_t i = 0; i < std::min(kMost, found.size()); ++i) rows.push_back(found[i].second);
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
  if (const Rows rows = place_rows(models); !rows.empty()) {
    page.list("Places of the models", rows);
    page.list("Positions that differ most from their images", position_rows(models));
  }
  for (const NamedModel& named : models) add_control_table(page, named);
  page.list("Doubts of the models", doubt_rows(models));
  for (std::size_t m = 0; m < std::min(models.size(), kMostDrawings); ++m)
    add_drawings(page, models[m], m == 0 ? kMostModelPoints : kMostModelPoints / 4);
  page.list("Models that are not drawn", undrawn_rows(models));
  page.list("Images in no model", unregistered_rows(models, graph));
}

}  // namespace bifocal::jobs
