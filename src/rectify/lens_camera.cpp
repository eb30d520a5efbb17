// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <bifocal/error.hpp>
#include <bifocal/camera.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace bifocal {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
const double kWidest = 80 * std::numbers::pi / 180;  // off the axis
const double kWidest2 = std::pow(std::tan(kWidest), 2);

enum class Kind { pinhole, brown, fisheye, fov, division, eucm };

// Parameters are in COLMAP's order; f stands for fx and fy. A fisheye has k1..k4 p1 p2 sx sy in the
// places 0..7 of the lens, every other model its parameters in order.
struct Layout {
  const char* name;
  Kind kind;
  int focal_lengths, lens;  // how many parameters
  std::array<int, 8> place = {0, 1, 2, 3, 4, 5, 6, 7};
};
const Layout kLayouts[] = {
    {"SIMPLE_PINHOLE", Kind::pinhole, 1, 0},
    {"PINHOLE", Kind::pinhole, 2, 0},
    {"SIMPLE_RADIAL", Kind::brown, 1, 1},
    {"RADIAL", Kind::brown, 1, 2},
    {"OPENCV", Kind::brown, 2, 4},
    {"FULL_OPENCV", Kind::brown, 2, 8},
    {"OPENCV_FISHEYE", Kind::fisheye, 2, 4},
    {"SIMPLE_RADIAL_FISHEYE", Kind::fisheye, 1, 1},
    {"RADIAL_FISHEYE", Kind::fisheye, 1, 2},
    {"SIMPLE_FISHEYE", Kind::fisheye, 1, 0},
    {"FISHEYE", Kind::fisheye, 2, 0},
    {"THIN_PRISM_FISHEYE", Kind::fisheye, 2, 8, {0, 1, 4, 5, 2, 3, 6, 7}},
    {"FOV", Kind::fov, 2, 1},
    {"SIMPLE_DIVISION", Kind::division, 1, 1},
    {"DIVISION", Kind::division, 2, 1},
    {"EUCM", Kind::eucm, 2, 2},
};

const Layout* layout_of(std::string_view model) {
  for (const Layout& layout : kLayouts)
    if (model == layout.name) return &layout;
  return nullptr;
}

Distortion brown_of(const std::array<double, 8>& k) {
  return {.k1 = k[0],
          .k2 = k[1],
          .p1 = k[2],
          .p2 = k[3],
          .k3 = k[4],
          .k4 = k[5],
          .k5 = k[6],
          .k6 = k[7]};
}

double radial(const std::array<double, 8>& k, double q) {
  return 1 + q * (k[0] + q * (k[1] + q * (k[2] + q * k[3])));
}
double radial_slope(const std::array<double, 8>& k, double q) {
  return k[0] + q * (2 * k[1] + q * (3 * k[2] + q * 4 * k[3]));
}

// The largest angle up to which a larger one lies farther from the centre: the model folds there.
double fold_of(const std::array<double, 8>& k) {
  constexpr int kSteps = 2000;
  for (int i = 1; i <= kSteps; ++i) {
    const double angle = kWidest * i / kSteps, q = angle * angle;
    if (!(radial(k, q) + 2 * q * radial_slope(k, q) > 0)) return kWidest * (i - 1) / kSteps;
  }
  return kWidest;
}

// Moves the point angle * direction as the lens does.
Vec2 fisheye_moved(const std::array<double, 8>& k, const Vec2& angles) {
  const auto [u, v] = angles;
  const double q = u * u + v * v, s = radial(k, q);
  return {u * s + 2 * k[4] * u * v + k[5] * (q + 2 * u * u) + k[6] * q,
          v * s + 2 * k[5] * u * v + k[4] * (q + 2 * v * v) + k[7] * q};
}

// Finds the point (u, v) = angle * direction of the distorted (x, y) by Newton's method.
Vec2 fisheye_angles(const std::array<double, 8>& k, double fold, const Vec2& distorted) {
  const auto [x, y] = distorted;
  const double size = std::hypot(x, y), draw = std::min(1.0, 0.9 * fold / std::max(size, 1e-300));
  double u = x * draw, v = y * draw;
  for (int i = 0; i < 50; ++i) {
    const double q = u * u + v * v, s = radial(k, q), slope = radial_slope(k, q);
    const Vec2 moved = fisheye_moved(k, {u, v});
    const double ru = moved[0] - x, rv = moved[1] - y;
    const double uu = s + 2 * u * u * slope + 2 * k[4] * v + 6 * k[5] * u + 2 * k[6] * u;
    const double uv = 2 * u * v * slope + 2 * k[4] * u + 2 * k[5] * v + 2 * k[6] * v;
    const double vu = 2 * u * v * slope + 2 * k[5] * v + 2 * k[4] * u + 2 * k[7] * u;
    const double vv = s + 2 * v * v * slope + 2 * k[5] * u + 6 * k[4] * v + 2 * k[7] * v;
    if (std::hypot(ru, rv) <= 1e-14 * (1 + size)) break;
    const double determinant = uu * vv - uv * vu;
    double du = (vv * ru - uv * rv) / determinant, dv = (uu * rv - vu * ru) / determinant;
    const double step = std::hypot(du, dv), most = 0.5 * fold;
    if (!(step <= 1e300)) return {kNaN, kNaN};
    if (step > most) du *= most / step, dv *= most / step;
    u -= du, v -= dv;
  }
  const Vec2 moved = fisheye_moved(k, {u, v});
  const bool found =
      std::hypot(moved[0] - x, moved[1] - y) <= 1e-9 * (1 + size) && u * u + v * v < fold * fold;
  return found ? Vec2{u, v} : Vec2{kNaN, kNaN};
}

Vec2 scaled(const Vec2& p, double by) { return {by * p[0], by * p[1]}; }

}  // namespace

struct LensCamera::Model {
  std::string_view name;
  std::vector<double> params;
  Kind kind = Kind::pinhole;
  Intrinsics camera;          // of the picture, without its lens
  std::array<double, 8> k{};  // of the lens
  Lens lens;                  // of Kind::brown
  double fold = 0;            // of Kind::fisheye

  // (X / Z, Y / Z) of the ray through a distorted point.
  [[nodiscard]] Vec2 ray(const Vec2& p) const {
    const double r2 = p[0] * p[0] + p[1] * p[1], r = std::sqrt(r2);
    switch (kind) {
      case Kind::pinhole:
        return p;
      case Kind::brown:
        return lens.undistort(p);
      case Kind::fisheye: {
        const Vec2 angles = fisheye_angles(k, fold, p);
        const double angle = std::hypot(angles[0], angles[1]);
        return scaled(angles, angle > 0 ? std::tan(angle) / angle : 1);
      }
      case Kind::fov: {
        if (std::abs(k[0]) < 1e-9 || r == 0) return p;
        if (!(std::abs(r * k[0]) < std::numbers::pi / 2)) return {kNaN, kNaN};
        return scaled(p, std::tan(r * k[0]) / (2 * std::tan(k[0] / 2)) / r);
      }
      case Kind::division:
        return scaled(p, 1 + k[0] * r2 > 0 ? 1 / (1 + k[0] * r2) : kNaN);
      case Kind::eucm: {
        const double below = 1 - (2 * k[0] - 1) * k[1] * r2;
        const double z = (1 - k[0] * k[0] * k[1] * r2) / (k[0] * std::sqrt(below) + 1 - k[0]);
        return scaled(p, z > 0 ? 1 / z : kNaN);
      }
    }
    return {kNaN, kNaN};
  }

  // Moves the normalised point p of a ray as the lens does.
  [[nodiscard]] Vec2 moved(const Vec2& p) const {
    const double r2 = p[0] * p[0] + p[1] * p[1], r = std::sqrt(r2);
    switch (kind) {
      case Kind::pinhole:
        return p;
      case Kind::brown:
        return lens.distort(p);
      case Kind::fisheye: {
        const double angle = std::atan(r);
        if (!(angle < fold)) return {kNaN, kNaN};
        return fisheye_moved(k, scaled(p, r > 0 ? angle / r : 1));
      }
      case Kind::fov: {
        if (std::abs(k[0]) < 1e-9 || r == 0) return p;
        return scaled(p, std::atan(2 * r * std::tan(k[0] / 2)) / k[0] / r);
      }
      case Kind::division: {
        const double inside = 1 - 4 * k[0] * r2;
        return scaled(p, inside >= 0 ? 2 / (1 + std::sqrt(inside)) : kNaN);
      }
      case Kind::eucm: {
        const double below = k[0] * std::sqrt(k[1] * r2 + 1) + 1 - k[0];
        return scaled(p, below > 0 ? 1 / below : kNaN);
      }
    }
    return {kNaN, kNaN};
  }

  [[nodiscard]] Vec2 ray_of_pixel(const Vec2& px) const {
    const Vec2 p = ray({(px[0] - camera.cx) / camera.fx, (px[1] - camera.cy) / camera.fy});
    return p[0] * p[0] + p[1] * p[1] < kWidest2 ? p : Vec2{kNaN, kNaN};
  }

  // The lens magnifies areas by this, px to px at the picture's own focal length; it is the median
  // halfway to the corners.
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
  auto model = std::make_shared<Model>();
  model->camera = pinhole;
  model->params = {pinhole.fx, pinhole.fy, pinhole.cx, pinhole.cy, 0, 0, 0, 0, 0, 0, 0, 0};
  model_ = std::move(model);
}

LensCamera::LensCamera(const Camera& camera) : LensCamera(camera.intrinsics) {
  width_ = camera.width, height_ = camera.height;
  if (camera.distortion.none()) return;
  auto model = std::make_shared<Model>(*model_);
  model->kind = Kind::brown;
  model->lens = Lens(camera.distortion);
  const Intrinsics& k = camera.intrinsics;
  const Distortion& d = camera.distortion;
  model->params = {k.fx, k.fy, k.cx, k.cy, d.k1, d.k2, d.p1, d.p2, d.k3, d.k4, d.k5, d.k6};
  model_ = std::move(model);
}

LensCamera::LensCamera(std::string_view name, std::span<const double> params, std::int64_t width,
                       std::int64_t height)
    : width_(width), height_(height) {
  const Layout* const layout = layout_of(name);
  if (!layout)
    throw Error(ErrorCode::usage,
                fmt::format("LensCamera: model {}, which is not supported", name));
  if (params.size() != static_cast<std::size_t>(parameter_count(name)))
    throw Error(ErrorCode::usage, fmt::format("LensCamera: {} params, {} has {}", params.size(),
                                              name, parameter_count(name)));
  for (std::size_t i = 0; i < params.size(); ++i)
    if (!std::isfinite(params[i]))
      throw Error(ErrorCode::usage,
                  fmt::format("LensCamera: params[{}] = {}, must be finite", i, params[i]));
  auto model = std::make_shared<Model>();
  model->name = layout->name;
  model->params = {params.begin(), params.end()};
  const auto focal = static_cast<std::size_t>(layout->focal_lengths);
  model->kind = layout->kind;
  model->camera = {params[0], params[focal - 1], params[focal], params[focal + 1]};
  if (!model->camera.valid())
    throw Error(ErrorCode::usage, fmt::format("LensCamera: focal lengths {} {}, must be positive",
                                              params[0], params[focal - 1]));
  for (std::size_t i = focal + 2; i < params.size(); ++i)
    model->k[static_cast<std::size_t>(layout->place[i - focal - 2])] = params[i];
  const bool is_straight =
      std::all_of(model->k.begin(), model->k.end(), [](double v) { return v == 0; });
  if (is_straight && (layout->kind == Kind::brown || layout->kind == Kind::division))
    model->kind = Kind::pinhole;
  if (model->kind == Kind::brown) model->lens = Lens(brown_of(model->k));
  if (model->kind == Kind::fisheye) model->fold = fold_of(model->k);
  model_ = std::move(model);
  set_scale();
}

void LensCamera::set_scale() {
  pinhole_ = model_->camera;
  if (model_->kind == Kind::pinhole || width_ <= 0 || height_ <= 0) return;
  const double scale = model_->magnification(
      std::hypot(static_cast<double>(width_), static_cast<double>(height_)) / 4);
  pinhole_.fx /= scale;
  pinhole_.fy /= scale;
}

int LensCamera::parameter_count(std::string_view model) {
  const Layout* const layout = layout_of(model);
  return layout ? layout->focal_lengths + 2 + layout->lens : 0;
}

int LensCamera::focal_lengths(std::string_view model) {
  const Layout* const layout = layout_of(model);
  return layout ? layout->focal_lengths : 0;
}

std::string_view LensCamera::model() const { return model_->name; }
std::span<const double> LensCamera::params() const { return model_->params; }
bool LensCamera::has_lens() const { return model_->kind != Kind::pinhole; }
bool LensCamera::is_fisheye() const { return model_->kind == Kind::fisheye; }
const Intrinsics& LensCamera::intrinsics() const { return model_->camera; }
const Intrinsics& LensCamera::pinhole() const { return pinhole_; }

Vec2 LensCamera::undistort(const Vec2& px) const {
  if (!has_lens()) return px;
  const Vec2 ray = model_->ray_of_pixel(px);
  return {pinhole_.fx * ray[0] + pinhole_.cx, pinhole_.fy * ray[1] + pinhole_.cy};
}

Vec2 LensCamera::distort(const Vec2& px) const {
  if (!has_lens()) return px;
  const Vec2 ray = {(px[0] - pinhole_.cx) / pinhole_.fx, (px[1] - pinhole_.cy) / pinhole_.fy};
  if (!(ray[0] * ray[0] + ray[1] * ray[1] < kWidest2)) return {kNaN, kNaN};
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
