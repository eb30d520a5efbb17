// SPDX-License-Identifier: BSD-3-Clause
// Errors and least-squares fits of a given model: the lane functions of each problem, for one
// instance in double precision.
#include <fmt/format.h>

#include <algorithm>
#include <bifocal/error.hpp>
#include <bifocal/two_view.hpp>
#include <cmath>
#include <limits>

#include "robust/arguments.hpp"
#include "robust/engine.hpp"
#include "robust/pair_points.hpp"
#include "robust/problem_lanes.hpp"
#include "runtime/cancel.hpp"

namespace bifocal {
namespace {

using Model = std::array<double, 12>;

// In loops over points.
void look(std::size_t i) {
  if (i % 4096 == 0) check_cancelled();
}

// A model of one problem and the points [count][columns] it is fitted to, in scoring coordinates.
template <ModelKind Kind>
class Fit {
  using L = robust::problem_lanes<double, Kind>;
  static constexpr int kColumns = L::COLUMNS, kEquations = L::EQUATIONS;

 public:
  Fit(const double* points, std::size_t count, const robust::Cameras& cameras) : count_(count) {
    set_frame(points, cameras);
    runtime::grow(columns_, count * kColumns);
    for (std::size_t i = 0; i < count; ++i) {
      look(i);
      L::point_columns(points + i * kColumns, cameras.data(), &info_, &columns_[i * kColumns]);
    }
  }

  // The model in scoring coordinates, from what the caller has.
  [[nodiscard]] Model scoring(const Mat3& matrix, const Vec3& t) const {
    Model m{};
    std::copy(matrix.begin(), matrix.end(), m.begin());
    const double length = info_.length;
    if constexpr (!L::TWO_VIEWS) {
      double turned[3];
      L::mat3_apply(m.data(), centre(), turned);
      for (std::size_t i = 0; i < 3; ++i) m[9 + i] = (t[i] + turned[i]) / length;
    } else if constexpr (L::CAMERAS == 2) {
      L::essential_scale(rays(), m.data());
    } else {
      double after[9], second[9], product[9];
      L::frame_after(centre(), length, after);
      L::mat3_mul(matrix.data(), after, product);
      if constexpr (L::RESIDUALS == 2) {
        L::frame_before(centre() + 2, length, second);
      } else {
        L::frame_after(centre() + 2, length, after);
        for (int i = 0; i < 9; ++i) second[i] = after[3 * (i % 3) + i / 3];
      }
      L::mat3_mul(second, product, m.data());
      if constexpr (L::RESIDUALS == 2 && Kind != ModelKind::homography)
        L::mat3_scale(m.data(), 1 / m[8]);
      else
        L::mat3_normalise(m.data());
      if constexpr (Kind == ModelKind::shared_focal) set_focal(m);
    }
    return m;
  }

  [[nodiscard]] double squared(const Model& m, std::size_t i) const {
    return L::point_error(m.data(), &columns_[i * kColumns], focal());
  }
  [[nodiscard]] double unit() const { return unit_; }

  // Levenberg-Marquardt over the points of `kept`; errors of `limit` and more count as it.
  int refine(Model& model, const std::vector<std::size_t>& kept, double limit,
             int max_steps) const {
    double chart[20] = {}, moved[20], delta[8];
    L::model_open(model.data(), rays(), chart);
    Model candidate{};
    L::model_close(chart, rays(), candidate.data());
    // Charts of F and E are exact around a matrix of rank 2: the second one.
    L::model_open(candidate.data(), rays(), chart);
    L::model_close(chart, rays(), candidate.data());
    double cost = sum(candidate, kept, limit), damping = 1e-4;
    if (!std::isfinite(cost)) return 0;
    model = candidate;
    int step = 0;
    while (step < max_steps && damping <= 1e8) {
      ++step;
      double N[L::GRADIENT] = {}, g[kEquations] = {};
      equations(model, kept, limit, N, g);
      const double pivot = L::model_step(N, g, chart, rays(), damping, delta);
      std::copy(chart, chart + 20, moved);
      if (pivot > 1e-14) L::model_move(moved, delta);
      candidate = {};
      L::model_close(moved, rays(), candidate.data());
      const double next = pivot > 1e-14 ? sum(candidate, kept, limit) : cost;
      if (!(next < cost)) {
        damping *= 10;
        continue;
      }
      const bool done = cost - next <= 1e-12 * cost;
      cost = next;
      model = candidate;
      std::copy(moved, moved + 20, chart);
      damping = std::max(damping * 0.1, 1e-12);
      if (done) break;
    }
    return step;
  }

  [[nodiscard]] Refined result(const Model& m) const {
    Refined r;
    L::result_matrix(&info_, rays(), m.data(), r.model.data());
    if constexpr (!L::TWO_VIEWS) {
      double pose[12];
      L::result_pose(&info_, m.data(), m.data(), pose);
      std::copy(pose, pose + 9, r.pose.R.begin());
      std::copy(pose + 9, pose + 12, r.pose.t.begin());
    }
    return r;
  }

 private:
  // Gives F the length that stands for its focal length: that of F, 1 where it tells none.
  void set_focal(Model& m) const requires(L::UNKNOWN_FOCAL == 1) {
    double square[9], scale[9];
    L::ray_scale(rays(), scale);
    for (int i = 0; i < 9; ++i) square[i] = m[size_t(i)] / scale[i];
    L::mat3_normalise(square);
    const double f = L::focal_length_of(square);
    L::focal_model(L::focal_is_plausible(f) ? f : 1, m.data());
  }
  [[nodiscard]] const double* rays() const { return info_.rays; }
  [[nodiscard]] const double* focal() const { return info_.focal; }
  [[nodiscard]] const double* centre() const { return info_.centre; }

  // Origin and unit: the principal points where there are cameras, else the mean of the points, and
  // their mean distance from it.
  void set_frame(const double* points, const robust::Cameras& cameras) {
    constexpr int first = L::TWO_VIEWS ? 0 : 2, many = kColumns - first;
    double* c = info_.centre;
    double finite = 0, distance = 0;
    const auto each = [&](const auto& body) {
      for (std::size_t i = 0; i < count_; ++i) {
        look(i);
        const double* p = points + i * kColumns;
        if (std::all_of(p, p + kColumns, [](double v) { return std::isfinite(v); }))
          body(p + first);
      }
    };
    each([&](const double* p) {
      ++finite;
      for (int k = 0; k < many; ++k) c[k] += (p[k] - c[k]) / finite;
    });
    if constexpr (L::TWO_VIEWS && L::CAMERAS > 0)
      for (std::size_t k = 0; k < 4; ++k) c[k] = cameras[k < 2 ? 2 + k : 4 + k];
    each([&](const double* p) {
      for (int k = 0; k < many; ++k) distance += std::abs(p[k] - c[k]) / (many * finite);
    });
    info_.length = distance > 0 && std::isfinite(distance) ? distance : 1;
    unit_ = L::camera_info(cameras.data(), info_.length, 1, &info_);
  }

  [[nodiscard]] double sum(const Model& m, const std::vector<std::size_t>& kept,
                           double limit) const {
    double total = 0;
    for (const std::size_t i : kept) {
      look(i);
      const double e = squared(m, i);
      total += e < limit ? e : limit;  // NaN: behind the camera
    }
    return total;
  }

  void equations(const Model& m, const std::vector<std::size_t>& kept, double limit, double* N,
                 double* g) const {
    for (const std::size_t i : kept) {
      look(i);
      double terms[16];
      const double e = L::point_linearise(m.data(), &columns_[i * kColumns], focal(), terms);
      if (e < limit) L::point_accumulate(terms, 1.0, N, g);
    }
  }

  robust::pair_info info_{};
  std::size_t count_;
  double unit_ = 1;
  std::vector<double> columns_;
};

// Calls body(std::integral_constant<ModelKind, without_depths(kind)>).
template <class Body>
auto of_kind(ModelKind kind, const Body& body) {
  switch (kind) {
#define BIFOCAL_PROBLEM(name, ...) \
  case ModelKind::name:            \
    return body(std::integral_constant<ModelKind, robust::without_depths(ModelKind::name)>());
#include <bifocal/problems.def>
#undef BIFOCAL_PROBLEM
  }
  throw Error(ErrorCode::usage, "ModelKind: no such kind");
}

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
