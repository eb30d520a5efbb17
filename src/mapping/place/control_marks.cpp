// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/place/control_marks.hpp"

#include <bifocal/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <unordered_map>

namespace bifocal::mapping {
namespace {

constexpr double kUnseen = std::numeric_limits<double>::infinity();
constexpr int kRounds = 3;  // of adjustment and choice of marks

struct Ray {
  std::size_t mark = 0;
  Vec3 centre, direction;  // in the world, the direction of length 1
  double focal = 0;        // px per rad
};

std::string_view last_part(std::string_view name) {
  return name.substr(name.rfind('/') + 1);  // npos + 1 is 0
}

std::unordered_map<colmap::Id, const colmap::ModelCamera*> cameras_of(const colmap::Model& model) {
  std::unordered_map<colmap::Id, const colmap::ModelCamera*> out;
  for (const colmap::ModelCamera& camera : model.cameras) out.emplace(camera.id, &camera);
  return out;
}

// The closest point of two rays; NaN for parallel ones.
Vec3 middle(const Ray& a, const Ray& b) {
  const Vec3 w = difference(b.centre, a.centre);
  const double c = dot(a.direction, b.direction), p = dot(w, a.direction), q = dot(w, b.direction);
  const double s = (p - c * q) / (1 - c * c), t = (c * p - q) / (1 - c * c);
  return scaled(sum(sum(a.centre, scaled(a.direction, s)), sum(b.centre, scaled(b.direction, t))),
                0.5);
}

// Distance of a point from a ray in px.
double error_of(const Ray& ray, const Vec3& X) {
  const Vec3 v = difference(X, ray.centre);
  const double depth = dot(ray.direction, v);
  if (!(depth > 0)) return kUnseen;
  return ray.focal * norm(cross(ray.direction, v)) / depth;
}

// The point of two rays with which the most agree: the least sum of squares up to the limit.
// `has_angle` becomes whether any two rays meet at the smallest angle.
Vec3 best_point(const std::vector<Ray>& rays, const ControlOptions& options, bool& has_angle) {
  const double limit = options.max_mark_error * options.max_mark_error;
  double least = kUnseen;
  Vec3 best{kNone, kNone, kNone};
  has_angle = false;
  for (std::size_t i = 0; i < rays.size(); ++i)
    for (std::size_t j = i + 1; j < rays.size(); ++j) {
      if (!(angle_between(rays[i].direction, rays[j].direction) >=
            options.min_angle_deg * kRadPerDeg))
        continue;
      has_angle = true;
      const Vec3 X = middle(rays[i], rays[j]);
      double cost = 0;
      for (const Ray& ray : rays) {
        const double e = error_of(ray, X);
        cost += std::min(e * e, limit);
      }
      if (cost < least) least = cost, best = X;
    }
  return best;
}

// A problem of all points whose cameras and poses are constant, with the observations of all marks
// in images of the model. places: the mark of each observation.
AdjustProblem point_problem(const colmap::Model& model, const ControlPoints& control,
                            const std::vector<int>& images, std::vector<std::size_t>& places) {
  AdjustProblem problem;
  std::unordered_map<colmap::Id, int> cameras;
  for (const colmap::ModelCamera& camera : model.cameras) {
    cameras.emplace(camera.id, static_cast<int>(problem.cameras.size()));
    problem.cameras.push_back(
        {std::string(colmap::model_name(camera.model)), camera.params, {}, true});
  }
  for (const colmap::ModelImage& image : model.images)
    problem.images.push_back(
        {colmap::pose_of(image.cam_from_world), cameras.at(image.camera_id), true});
  for (std::size_t k = 0; k < control.marks.size(); ++k) {
    if (images[k] < 0) continue;
    places.push_back(k);
    const ControlMark& mark = control.marks[k];
    problem.observations.push_back({images[k], mark.point, mark.x, mark.y});
  }
  return problem;
}

std::vector<std::vector<Ray>> rays_of(const colmap::Model& model, const ControlPoints& control,
                                      const std::vector<int>& images) {
  const auto cameras = cameras_of(model);
  std::vector<std::vector<Ray>> rays(control.points.size());
  for (std::size_t k = 0; k < control.marks.size(); ++k) {
    if (images[k] < 0) continue;
    const ControlMark& mark = control.marks[k];
    const colmap::ModelImage& image = model.images[static_cast<std::size_t>(images[k])];
    const LensCamera lens = colmap::lens_camera_of(*cameras.at(image.camera_id));
    const Intrinsics& K = lens.pinhole();
    const Vec2 px = lens.undistort({mark.x, mark.y});
    if (!std::isfinite(px[0])) continue;
    const Pose pose = colmap::pose_of(image.cam_from_world);
    const Vec3 ray{(px[0] - K.cx) / K.fx, (px[1] - K.cy) / K.fy, 1};
    rays[static_cast<std::size_t>(mark.point)].push_back(
        {k, centre_of(pose), unit(transposed_times(pose.R, ray)), K.fx});
  }
  return rays;
}

// Adjusts the points by the marks that agree, and decides again which do.
void refine(AdjustProblem& problem, const std::vector<std::size_t>& places,
            const ControlOptions& options, ControlReport& report) {
  for (int round = 0; round < kRounds; ++round) {
    AdjustProblem chosen = problem;
    std::erase_if(chosen.observations, [&, k = std::size_t{0}](const auto&) mutable {
      return !report.marks[places[k++]].agrees;
    });
    (void)adjust(chosen, {.loss = AdjustLoss::trivial});
    problem.points = chosen.points;
    const std::vector<double> errors = colmap::reprojection_errors(problem);
    bool has_changed = false;
    for (std::size_t k = 0; k < places.size(); ++k) {
      ControlMarkReport& mark = report.marks[places[k]];
      mark.error_px = errors[k];
      const bool agrees = errors[k] <= options.max_mark_error;
      has_changed = has_changed || agrees != mark.agrees;
      mark.agrees = agrees;
    }
    if (!has_changed) return;
  }
}

void set_use(const ControlPoint& point, int marks, bool has_angle, ControlPointReport& out) {
  out.use = point.is_check ? ControlUse::check : ControlUse::control;
  if (2 * out.marks <= marks || out.marks < 2) out.use = ControlUse::contradictory_marks;
  if (!has_angle) out.use = ControlUse::narrow;
  if (marks < 2) out.use = ControlUse::too_few_marks;
  if (!is_determined(out.use)) out.position = {kNone, kNone, kNone}, out.rms_px = kNone;
}

// Place of the image that a mark names, by its whole name, or by its last part if only one has it.
class Names {
 public:
  explicit Names(const colmap::Model& model) {
    for (std::size_t i = 0; i < model.images.size(); ++i) {
      const std::string& name = model.images[i].name;
      whole_.emplace(name, static_cast<int>(i));
      const auto [found, is_new] = last_.emplace(last_part(name), static_cast<int>(i));
      if (!is_new) found->second = -1;
    }
  }
  [[nodiscard]] int find(std::string_view name) const {
    if (const auto found = whole_.find(name); found != whole_.end()) return found->second;
    const auto found = last_.find(name);
    return found == last_.end() ? -1 : found->second;
  }

 private:
  std::unordered_map<std::string_view, int> whole_, last_;
};

}  // namespace

std::vector<int> images_of_marks(const colmap::Model& model, const ControlPoints& control) {
  const Names names(model);
  const auto cameras = cameras_of(model);
  std::vector<int> out;
  for (const ControlMark& mark : control.marks) {
    if (mark.point < 0 || static_cast<std::size_t>(mark.point) >= control.points.size())
      throw Error(ErrorCode::usage, fmt::format("control: a mark of point {}, there are {} points",
                                                mark.point, control.points.size()));
    const int image = names.find(mark.image);
    out.push_back(image);
    if (image < 0) continue;
    const auto camera = cameras.find(model.images[static_cast<std::size_t>(image)].camera_id);
    if (camera == cameras.end())
      throw Error(ErrorCode::usage, fmt::format("model: image {} has no camera", mark.image));
    const double width = static_cast<double>(camera->second->width),
                 height = static_cast<double>(camera->second->height);
    if (!(mark.x >= -0.5 && mark.y >= -0.5 && mark.x <= width - 0.5 && mark.y <= height - 0.5))
      throw Error(
          ErrorCode::input,
          fmt::format("{}, line {}: the mark ({}, {}) is outside of {} of {:.0f} x {:.0f} px",
                      control.file, mark.line, mark.x, mark.y, mark.image, width, height));
  }
  if (std::ranges::none_of(out, [](int image) { return image >= 0; }))
    throw Error(
        ErrorCode::input,
        fmt::format("{}: no mark is in an image of the model; {} is not in it", control.file,
                    control.marks.empty() ? "an image" : control.marks[0].image));
  return out;
}

void triangulate(const colmap::Model& model, const ControlPoints& control,
                 const ControlOptions& options, const std::vector<int>& images,
                 ControlReport& report) {
  report.points.assign(control.points.size(), {});
  report.marks.assign(control.marks.size(), {.error_px = kNone});
  const std::vector<std::vector<Ray>> rays = rays_of(model, control, images);
  std::vector<std::size_t> places;
  AdjustProblem problem = point_problem(model, control, images, places);
  std::vector<bool> has_angle;
  for (const std::vector<Ray>& of_point : rays) {
    bool has = false;
    problem.points.push_back(best_point(of_point, options, has));
    has_angle.push_back(has);
    for (const Ray& ray : of_point)
      report.marks[ray.mark].agrees =
          error_of(ray, problem.points.back()) <= options.max_mark_error;
  }
  refine(problem, places, options, report);

  std::vector<int> marks(control.points.size());
  for (const std::size_t k : places) {
    const auto point = static_cast<std::size_t>(control.marks[k].point);
    report.marks[k].is_in_model = true;
    ++marks[point];
    if (!report.marks[k].agrees) continue;
    ++report.points[point].marks;
    report.points[point].rms_px += report.marks[k].error_px * report.marks[k].error_px;
  }
  for (std::size_t i = 0; i < control.points.size(); ++i) {
    ControlPointReport& point = report.points[i];
    point.position = problem.points[i];
    point.rms_px = std::sqrt(point.rms_px / std::max(1, point.marks));
    for (const Ray& ray : rays[i])
      point.px_size += norm(difference(point.position, ray.centre)) /
                       (ray.focal * static_cast<double>(rays[i].size()));
    set_use(control.points[i], marks[i], has_angle[i], point);
  }
}

}  // namespace bifocal::mapping
