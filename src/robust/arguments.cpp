// SPDX-License-Identifier: BSD-3-Clause
#include "robust/arguments.hpp"

#include <fmt/format.h>

#include <bifocal/error.hpp>
#include <cmath>

#include "robust/pair_points.hpp"

namespace bifocal::robust {

std::string_view points_name(ModelKind kind) {
  const ProblemInfo info = problem_info(kind);
  if (info.takes_depths) return kPointsName<DepthPair>;
  return info.is_two_view ? kPointsName<PointPair> : kPointsName<ScenePoint>;
}

void check_weights(const char* where, std::span<const double> weights, size_t first) {
  for (size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] >= 0 && std::isfinite(weights[i])) continue;
    throw Error(ErrorCode::usage, fmt::format("{}: weights[{}] = {}, must be finite and >= 0",
                                              where, first + i, weights[i]));
  }
}

void check_priors(const MatchPriors& priors, size_t matches) {
  if (matches > kMostMatches)
    throw Error(ErrorCode::usage, fmt::format("robust estimation: {} matches, must be at most {}",
                                              matches, kMostMatches));
  const auto check_size = [&](const char* name, size_t size) {
    if (size == 0 || size == matches) return;
    throw Error(ErrorCode::usage, fmt::format("robust estimation: {} {} for {} matches, must be "
                                              "none or one per match",
                                              size, name, matches));
  };
  check_size("weights", priors.weights.size());
  check_size("qualities", priors.qualities.size());
  check_weights("robust estimation", priors.weights);
}

void check_camera(const char* name, const Intrinsics& k) {
  const bool finite =
      std::isfinite(k.fx) && std::isfinite(k.fy) && std::isfinite(k.cx) && std::isfinite(k.cy);
  if (!finite || !k.valid()) {
    throw Error(
        ErrorCode::usage,
        fmt::format("robust estimation: {} = ({}, {}, {}, {}), must be finite with fx, fy > 0",
                    name, k.fx, k.fy, k.cx, k.cy));
  }
}

void check_matrix(const char* where, std::span<const double> matrix, const char* name) {
  double sum = 0;
  for (const double v : matrix) sum += v * v;
  if (sum > 0 && std::isfinite(sum)) return;
  throw Error(ErrorCode::usage, fmt::format("{}: {} is {}", where, name,
                                            sum == 0 ? "zero" : "not finite or too large"));
}

void check_two_view_matrix(const char* where, ModelKind kind) {
  const auto fail = [&](const std::string& what) {
    throw Error(ErrorCode::usage, fmt::format("{}: {}", where, what));
  };
  if (!problem_info(kind).is_two_view)
    fail(fmt::format("{} is not a model of two views", to_string(kind)));
  if (problem_info(kind).estimates_distortion)
    fail(
        fmt::format("the model of {} has a distortion besides its matrix; undistort the points and "
                    "use a fundamental matrix",
                    to_string(kind)));
}

Cameras checked_cameras(const char* where, ModelKind kind, std::span<const Intrinsics> cameras) {
  const auto wanted = static_cast<std::size_t>(problem_info(kind).cameras);
  if (cameras.size() != wanted)
    throw Error(ErrorCode::usage, fmt::format("{}: {} takes {} cameras, there are {}", where,
                                              to_string(kind), wanted, cameras.size()));
  if (cameras.empty()) return {};
  check_camera(wanted == 1 ? "camera" : "camera1", cameras.front());
  check_camera("camera2", cameras.back());
  return cameras_of(cameras.front(), cameras.back());
}

}  // namespace bifocal::robust
