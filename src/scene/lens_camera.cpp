// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <bifocal/error.hpp>
#include <bifocal/camera.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "scene/camera_models.hpp"
#include "scene/lens.hpp"

namespace bifocal {
namespace {

using namespace scene;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
const double kWidest = 80 * std::numbers::pi / 180;  // off the axis

// Model of a LensCamera without a name.
constexpr CameraModel kUnnamed =
    camera_model_row("", -1, LENS_BROWN, "fx fy cx cy k1 k2 p1 p2 k3 k4 k5 k6");

Distortion brown_of(const double* k) {
  return {.k1 = k[0],
          .k2 = k[1],
          .p1 = k[2],
          .p2 = k[3],
          .k3 = k[4],
          .k4 = k[5],
          .k5 = k[6],
          .k6 = k[7]};
}

// Returns the largest angle up to which a fisheye's map has an inverse, whatever the direction. The
// Jacobian of the radial part has the eigenvalues s across the radius and s + a ds/da along it at
// the angle a; the least eigenvalues of the decentring and of the thin prisms are -6 |p| a and
// -2 |sx, sy| a (symmetric part). The map is monotonic while the sum is positive definite.
double fold_of(const double* k) {
  constexpr int kSteps = 2000;
  const double decentring = 6 * std::hypot(k[4], k[5]) + 2 * std::hypot(k[6], k[7]);
  for (int i = 1; i <= kSteps; ++i) {
    const double angle = kWidest * i / kSteps, q = angle * angle;
    const double across = LensLanes::fisheye_scale(k, q);
    const double along = across + 2 * q * LensLanes::fisheye_slope(k, q);
    if (!(std::min(across, along) > decentring * angle)) return kWidest * (i - 1) / kSteps;
  }
  return kWidest;
}

void set_pinhole(const Intrinsics& camera, lens_model& m) {
  m.pinhole_fx = camera.fx, m.pinhole_fy = camera.fy;
  m.pinhole_cx = camera.cx, m.pinhole_cy = camera.cy;
}

// Returns the numbers of a camera with finite parameters.
lens_model numbers_of(const CameraModel& model, std::span<const double> params) {
  lens_model m = lens_numbers(model, params);
  const bool is_undistorted = std::ranges::all_of(m.k, [](double v) { return v == 0; });
  if (is_undistorted && (m.kind == LENS_BROWN || m.kind == LENS_DIVISION)) m.kind = LENS_PINHOLE;
  if (m.kind == LENS_FISHEYE) m.reach = fold_of(m.k);
  if (m.kind != LENS_BROWN) return m;
  const double radius = Lens(brown_of(m.k)).radius();
  m.reach = radius * radius;
  return m;
}

}  // namespace

struct LensCamera::Model {
  std::string_view name;
  std::vector<double> params;
  lens_model numbers;
  Intrinsics camera;  // intrinsics of the image without its lens

  Model(const CameraModel& model, std::span<const double> given)
      : name(model.name),
        params(given.begin(), given.end()),
        numbers(numbers_of(model, given)),
        camera{numbers.fx, numbers.fy, numbers.cx, numbers.cy} {}

  // Distorts the normalised point p of a ray as the lens does.
  [[nodiscard]] Vec2 moved(const Vec2& p) const {
    LensLanes::lens_image image;
    LensLanes::lens_image_of(numbers.kind, numbers.k, kAllNumbers, numbers.reach, p[0], p[1],
                             &image);
    return image.is_seen ? Vec2{image.x, image.y} : Vec2{kNaN, kNaN};
  }

  // Returns (X / Z, Y / Z) of the ray through a pixel.
  [[nodiscard]] Vec2 ray_of_pixel(const Vec2& px) const {
    Vec2 out;
    LensLanes::lens_ray_of_pixel(&numbers, px[0], px[1], out.data());
    return out;
  }

  // Returns the factor by which removing the lens enlarges lengths at the image's own focal length:
  // the root of the median area ratio over eight pixels at distance `reach` from the
  // principal point.
  [[nodiscard]] double magnification(double reach) const {
    std::vector<double> found;
    for (int i = 0; i < 8; ++i) {
      const double angle = (i + 0.5) * std::numbers::pi / 4;
      const Vec2 px = {camera.cx + reach * std::cos(angle), camera.cy + reach * std::sin(angle)};
      const Vec2 a = ray_of_pixel(px), b = ray_of_pixel({px[0] + 0.5, px[1]}),
                 c = ray_of_pixel({px[0], px[1] + 0.5});
      const double area = 4 * camera.fx * camera.fy *
                          ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
      if (area > 0) found.push_back(area);
    }
    if (found.empty()) return 1;
    std::sort(found.begin(), found.end());
    return std::sqrt(found[found.size() / 2]);
  }
};

LensCamera::LensCamera(const Intrinsics& pinhole) : pinhole_(pinhole) {
  if (!pinhole.valid())
    throw Error(ErrorCode::usage, fmt::format("LensCamera: focal lengths {} {}, must be positive",
                                              pinhole.fx, pinhole.fy));
  const double params[] = {pinhole.fx, pinhole.fy, pinhole.cx, pinhole.cy, 0, 0, 0, 0, 0, 0, 0, 0};
  model_ = std::make_shared<const Model>(kUnnamed, params);
}

LensCamera::LensCamera(const Camera& camera) : LensCamera(camera.intrinsics) {
  width_ = camera.width, height_ = camera.height;
  const Intrinsics& k = camera.intrinsics;
  const Distortion& d = camera.distortion;
  const double params[] = {k.fx, k.fy, k.cx, k.cy, d.k1, d.k2, d.p1, d.p2, d.k3, d.k4, d.k5, d.k6};
  model_ = std::make_shared<const Model>(kUnnamed, params);
}

LensCamera::LensCamera(std::string_view name, std::span<const double> params, std::int64_t width,
                       std::int64_t height)
    : width_(width), height_(height) {
  const CameraModel* const model = supported_model(name);
  if (!model)
    throw Error(ErrorCode::usage,
                fmt::format("LensCamera: model {}, which is not supported", name));
  if (params.size() != static_cast<std::size_t>(model->parameter_count()))
    throw Error(ErrorCode::usage, fmt::format("LensCamera: {} params, {} has {}", params.size(),
                                              name, model->parameter_count()));
  if (width < 0 || height < 0)
    throw Error(
        ErrorCode::usage,
        fmt::format("LensCamera: width {}, height {}: must be at least 1 px, or 0 if unknown",
                    width, height));
  for (std::size_t i = 0; i < params.size(); ++i)
    if (!std::isfinite(params[i]))
      throw Error(ErrorCode::usage,
                  fmt::format("LensCamera: params[{}] = {}, must be finite", i, params[i]));
  model_ = std::make_shared<const Model>(*model, params);
  if (!model_->camera.valid())
    throw Error(ErrorCode::usage, fmt::format("LensCamera: focal lengths {} {}, must be positive",
                                              model_->camera.fx, model_->camera.fy));
  set_scale();
}

void LensCamera::set_scale() {
  pinhole_ = model_->camera;
  if (!has_lens() || width_ <= 0 || height_ <= 0) return;
  auto model = std::make_shared<Model>(*model_);
  const double scale = model->magnification(
      std::hypot(static_cast<double>(width_), static_cast<double>(height_)) / 4);
  pinhole_.fx /= scale;
  pinhole_.fy /= scale;
  set_pinhole(pinhole_, model->numbers);
  model_ = std::move(model);
}

lens_model scene::lens_numbers(const CameraModel& model, std::span<const double> params) {
  const auto centre = static_cast<std::size_t>(model.principal_point());
  lens_model m{};
  m.kind = model.kind;
  m.fx = params[0], m.fy = params[centre - 1], m.cx = params[centre], m.cy = params[centre + 1];
  set_pinhole({m.fx, m.fy, m.cx, m.cy}, m);
  for (std::size_t i = centre + 2; i < params.size(); ++i)
    m.k[model.places[i - centre - 2]] = params[i];
  if (m.kind != LENS_FOV) return m;
  const double tangent = std::tan(m.k[0] / 2);
  m.k[1] = 2 * tangent, m.k[2] = 1 + tangent * tangent;
  return m;
}

lens_model scene::lens_model_of(const LensCamera& camera) {
  const CameraModel* const model = camera_model(camera.model());
  lens_model m = numbers_of(model ? *model : kUnnamed, camera.params());
  set_pinhole(camera.pinhole(), m);
  return m;
}

int LensCamera::parameter_count(std::string_view model) {
  const CameraModel* const found = supported_model(model);
  return found ? found->parameter_count() : 0;
}

int LensCamera::focal_lengths(std::string_view model) {
  const CameraModel* const found = supported_model(model);
  return found ? found->focal_lengths : 0;
}

std::string_view LensCamera::model() const { return model_->name; }
std::span<const double> LensCamera::params() const { return model_->params; }
bool LensCamera::has_lens() const { return model_->numbers.kind != LENS_PINHOLE; }
bool LensCamera::is_fisheye() const { return model_->numbers.kind == LENS_FISHEYE; }
const Intrinsics& LensCamera::intrinsics() const { return model_->camera; }
const Intrinsics& LensCamera::pinhole() const { return pinhole_; }

Vec2 LensCamera::undistort(const Vec2& px) const {
  if (!has_lens()) return px;
  Vec2 out;
  LensLanes::lens_undistort_pixel(&model_->numbers, px[0], px[1], out.data());
  return out;
}

Vec2 LensCamera::distort(const Vec2& px) const {
  if (!has_lens()) return px;
  const Vec2 ray = {(px[0] - pinhole_.cx) / pinhole_.fx, (px[1] - pinhole_.cy) / pinhole_.fy};
  if (!(ray[0] * ray[0] + ray[1] * ray[1] < LensLanes::lens_squared_reach())) return {kNaN, kNaN};
  const Vec2 p = model_->moved(ray);
  const Intrinsics& k = model_->camera;
  return {k.fx * p[0] + k.cx, k.fy * p[1] + k.cy};
}

void undistort(std::span<PointPair> points, const LensCamera& camera1, const LensCamera& camera2) {
  for (PointPair& p : points) {
    check_cancelled();
    const Vec2 a = camera1.undistort({p.x1, p.y1}), b = camera2.undistort({p.x2, p.y2});
    p = {a[0], a[1], b[0], b[1]};
  }
}

void undistort(std::span<ScenePoint> points, const LensCamera& camera) {
  for (ScenePoint& p : points) {
    check_cancelled();
    const Vec2 a = camera.undistort({p.x, p.y});
    p.x = a[0], p.y = a[1];
  }
}

}  // namespace bifocal
