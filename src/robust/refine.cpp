// SPDX-License-Identifier: BSD-3-Clause
// Errors and least-squares fits of a given model.
#include <fmt/format.h>

#include <algorithm>
#include <bifocal/error.hpp>
#include <bifocal/two_view.hpp>
#include <cmath>
#include <limits>

#include "robust/fit.hpp"

namespace bifocal {
namespace {

using robust::Fit, robust::Model, robust::look, robust::of_kind;

void check_matrix(const char* where, const Mat3& matrix) {
  double sum = 0;
  for (const double v : matrix) sum += v * v;
  if (!(sum > 0) || !std::isfinite(sum))
    throw Error(ErrorCode::usage, fmt::format("{}: the matrix is {}", where,
                                              sum == 0 ? "zero" : "not finite or too large"));
}

robust::Cameras checked_cameras(const char* where, ModelKind kind,
                                std::span<const Intrinsics> cameras) {
  const auto wanted = static_cast<std::size_t>(problem_info(kind).cameras);
  if (cameras.size() != wanted)
    throw Error(ErrorCode::usage, fmt::format("{}: {} cameras, a {} takes {}", where,
                                              cameras.size(), to_string(kind), wanted));
  for (const Intrinsics& camera : cameras) robust::check_camera("camera", camera);
  if (cameras.empty()) return {};
  return robust::cameras_of(cameras[0], cameras[wanted - 1]);
}

void check_two_view(const char* where, ModelKind kind) {
  if (!problem_info(kind).is_two_view)
    throw Error(ErrorCode::usage,
                fmt::format("{}: a {} is no model of two views", where, to_string(kind)));
}

// The model has to be of two views, and its matrix all of it.
void check_told(const char* where, ModelKind kind) {
  check_two_view(where, kind);
  if (problem_info(kind).tells_distortion)
    throw Error(
        ErrorCode::usage,
        fmt::format("{}: a matrix is not all of a {}; without their distortion its points are "
                    "those of a fundamental matrix",
                    where, to_string(kind)));
}

template <ModelKind Kind>
std::vector<double> errors_of(const Fit<Kind>& fit, const Model& model, std::size_t count) {
  std::vector<double> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    look(i);
    out[i] = fit.unit() * std::sqrt(fit.squared(model, i));
  }
  return out;
}

template <ModelKind Kind>
Refined refined(const Fit<Kind>& fit, Model model, std::size_t count,
                std::span<const std::uint8_t> inliers, const RefineOptions& options) {
  if (!inliers.empty() && inliers.size() != count)
    throw Error(ErrorCode::usage,
                fmt::format("refine: {} inlier flags for {} points", inliers.size(), count));
  check_options(options);
  const double relative = options.threshold / fit.unit();
  const double limit =
      options.threshold > 0 ? relative * relative : std::numeric_limits<double>::infinity();
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < count; ++i) {
    look(i);
    if ((inliers.empty() || inliers[i]) && !std::isnan(fit.squared(model, i))) kept.push_back(i);
  }
  const int steps = fit.refine(model, kept, limit, kept.empty() ? 0 : options.max_steps);
  Refined r = fit.result(model);
  r.steps = steps;
  double sum = 0;
  for (const std::size_t i : kept) {
    look(i);
    const double e = fit.squared(model, i);
    if (!(e < limit)) continue;
    ++r.count;
    sum += e;
  }
  r.rms = r.count > 0 ? fit.unit() * std::sqrt(sum / r.count) : 0;
  return r;
}

}  // namespace

std::vector<double> residuals(ModelKind kind, const Mat3& model, std::span<const PointPair> points,
                              std::span<const Intrinsics> cameras) {
  check_told("residuals", kind);
  check_matrix("residuals", model);
  const robust::Cameras numbers = checked_cameras("residuals", kind, cameras);
  return of_kind(kind, [&](auto constant) {
    const Fit<constant.value> fit(robust::numbers_of(points), points.size(), numbers);
    return errors_of(fit, fit.scoring(model, {}), points.size());
  });
}

std::vector<double> residuals(const Pose& cam_from_world, std::span<const ScenePoint> points,
                              const Intrinsics& camera) {
  constexpr ModelKind kind = ModelKind::absolute_pose;
  check_matrix("residuals", cam_from_world.R);
  const Fit<kind> fit(robust::numbers_of(points), points.size(),
                      checked_cameras("residuals", kind, {&camera, 1}));
  return errors_of(fit, fit.scoring(cam_from_world.R, cam_from_world.t), points.size());
}

Refined refine(ModelKind kind, const Mat3& start, std::span<const PointPair> points,
               std::span<const Intrinsics> cameras, std::span<const std::uint8_t> inliers,
               const RefineOptions& options) {
  check_told("refine", kind);
  check_matrix("refine", start);
  const robust::Cameras numbers = checked_cameras("refine", kind, cameras);
  return of_kind(kind, [&](auto constant) {
    const Fit<constant.value> fit(robust::numbers_of(points), points.size(), numbers);
    return refined(fit, fit.scoring(start, {}), points.size(), inliers, options);
  });
}

Refined refine(const Pose& start, std::span<const ScenePoint> points, const Intrinsics& camera,
               std::span<const std::uint8_t> inliers, const RefineOptions& options) {
  constexpr ModelKind kind = ModelKind::absolute_pose;
  check_matrix("refine", start.R);
  const Fit<kind> fit(robust::numbers_of(points), points.size(),
                      checked_cameras("refine", kind, {&camera, 1}));
  return refined(fit, fit.scoring(start.R, start.t), points.size(), inliers, options);
}

}  // namespace bifocal
