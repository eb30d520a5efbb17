// SPDX-License-Identifier: BSD-3-Clause
// Residuals and least-squares fits of a given model.
#include <fmt/format.h>

#include <algorithm>
#include <bifocal/error.hpp>
#include <bifocal/two_view.hpp>
#include <cmath>
#include <limits>

#include "robust/fit.hpp"

namespace bifocal {
namespace {

using robust::Fit, robust::check_cancelled_at, robust::Model, robust::with_fit;

template <ModelKind Kind>
std::vector<double> errors_of(const Fit<Kind>& fit, const Model& model, std::size_t count) {
  std::vector<double> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    check_cancelled_at(i);
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
    check_cancelled_at(i);
    if ((inliers.empty() || inliers[i]) && !std::isnan(fit.squared(model, i))) kept.push_back(i);
  }
  const int steps = fit.refine(model, kept, limit, kept.empty() ? 0 : options.max_steps);
  Refined r = fit.result(model);
  r.steps = steps;
  double sum = 0;
  for (const std::size_t i : kept) {
    check_cancelled_at(i);
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
  return with_fit("residuals", kind, model, points, cameras, [&](const auto& fit, const Model& m) {
    return errors_of(fit, m, points.size());
  });
}

std::vector<double> residuals(const Pose& cam_from_world, std::span<const ScenePoint> points,
                              const Intrinsics& camera) {
  return with_fit(
      "residuals", cam_from_world, points, camera,
      [&](const auto& fit, const Model& m) { return errors_of(fit, m, points.size()); });
}

Refined refine(ModelKind kind, const Mat3& start, std::span<const PointPair> points,
               std::span<const Intrinsics> cameras, std::span<const std::uint8_t> inliers,
               const RefineOptions& options) {
  return with_fit("refine", kind, start, points, cameras, [&](const auto& fit, const Model& m) {
    return refined(fit, m, points.size(), inliers, options);
  });
}

Refined refine(const Pose& start, std::span<const ScenePoint> points, const Intrinsics& camera,
               std::span<const std::uint8_t> inliers, const RefineOptions& options) {
  return with_fit("refine", start, points, camera, [&](const auto& fit, const Model& m) {
    return refined(fit, m, points.size(), inliers, options);
  });
}

}  // namespace bifocal
