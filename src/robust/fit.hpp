// SPDX-License-Identifier: BSD-3-Clause
// A given model with the points that it is fitted to, built on the lane functions of each problem
// for one instance in double precision.
#pragma once

#include <algorithm>
#include <bifocal/error.hpp>
#include <bifocal/robust.hpp>
#include <bifocal/geometry.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "robust/arguments.hpp"
#include "robust/ransac.hpp"
#include "robust/pair_points.hpp"
#include "robust/problem_functions.hpp"
#include "runtime/cancel.hpp"

namespace bifocal::robust {

using Model = std::array<double, 12>;
using Chart = std::array<double, 20>;

// Throws if the call was cancelled. Loops over points call it with the point index; it checks every
// 4096 points.
inline void check_cancelled_at(std::size_t i) {
  if (i % 4096 == 0) check_cancelled();
}

// A model of one problem and the points [count][columns] that it is fitted to,
// in scoring coordinates.
template <ModelKind Kind>
class Fit {
  using L = problem_functions<double, Kind>;
  static constexpr int kColumns = L::COLUMNS, kEquations = L::EQUATIONS;

 public:
  Fit(const double* points, std::size_t count, const Cameras& cameras) : count_(count) {
    set_frame(points, cameras);
    runtime::grow(columns_, count * kColumns);
    for (std::size_t i = 0; i < count; ++i) {
      check_cancelled_at(i);
      L::point_columns(points + i * kColumns, cameras.data(), &info_, &columns_[i * kColumns]);
    }
  }

  // Converts a model for px or normalised points to scoring coordinates.
  [[nodiscard]] Model scoring(const Mat3& matrix, const Vec3& t) const {
    Model m{};
    std::copy(matrix.begin(), matrix.end(), m.begin());
    const double length = info_.length;
    if constexpr (!L::TWO_VIEWS) {
      double rotated[3];
      L::mat3_apply(m.data(), centre(), rotated);
      for (std::size_t i = 0; i < 3; ++i) m[9 + i] = (t[i] + rotated[i]) / length;
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
      if constexpr (L::ENDS_IN_ONE == 1)
        L::mat3_scale(m.data(), 1 / m[8]);
      else
        L::mat3_normalise(m.data());
      if constexpr (L::UNKNOWN_FOCAL == 1) set_focal(m);
    }
    return m;
  }

  [[nodiscard]] double squared(const Model& m, std::size_t i) const {
    return L::point_error(m.data(), &columns_[i * kColumns], focal());
  }
  [[nodiscard]] double unit() const { return unit_; }
  [[nodiscard]] double length() const { return info_.length; }
  [[nodiscard]] const double* rays() const { return info_.rays; }
  // Returns the focal length of F in the unit of the scoring coordinates; may be NaN.
  [[nodiscard]] double focal_of(const Model& m) const requires(L::UNKNOWN_FOCAL == 1) {
    double square[9], scale[9];
    L::ray_scale(rays(), scale);
    for (int i = 0; i < 9; ++i) square[i] = m[size_t(i)] / scale[i];
    L::mat3_normalise(square);
    return L::focal_length_of(square);
  }

  // Converts between a model and its chart. The charts of F and E need a matrix of rank 2, so
  // opened() opens the chart a second time, at the model of the first chart. Affine maps and
  // similarities start at the nearest one of their kind.
  [[nodiscard]] Chart opened(Model m) const {
    if constexpr (L::ENDS_IN_ONE == 1) {
      m[6] = m[7] = 0;
      if constexpr (L::DOF == 4) {
        m[0] = m[4] = (m[0] + m[4]) / 2;
        m[3] = (m[3] - m[1]) / 2;
        m[1] = -m[3];
      }
    }
    Chart chart{};
    L::model_open(m.data(), rays(), chart.data());
    L::model_open(closed(chart).data(), rays(), chart.data());
    return chart;
  }
  [[nodiscard]] Model closed(const Chart& chart) const {
    Model m{};
    L::model_close(chart.data(), rays(), m.data());
    return m;
  }

  // Computes J'J [DOF][DOF] and J'e [DOF] for the errors e of the points `kept`, with respect to
  // the parameters of a chart.
  void normal_equations(const Chart& chart, const std::vector<std::size_t>& kept, double* A,
                        double* gradient) const {
    constexpr int kGradient = kEquations * (kEquations + 1) / 2;
    const Selection points(*this, kept);
    double N[L::SUMS], D[kEquations * L::DOF];
    const typename L::robust_loss squares = {0, 0, 0};
    L::model_equations(closed(chart).data(), &points.view, points.view.n, &squares, nullptr, N);
    L::model_tangent(chart.data(), rays(), D);
    for (int a = 0; a < L::DOF; ++a) {
      gradient[a] = 0;
      for (int i = 0; i < kEquations; ++i) gradient[a] += D[L::DOF * i + a] * N[kGradient + i];
      for (int b = 0; b < L::DOF; ++b) {
        double& sum = A[L::DOF * a + b] = 0;
        for (int i = 0; i < kEquations; ++i)
          for (int j = 0; j < kEquations; ++j)
            sum += D[L::DOF * i + a] * D[L::DOF * j + b] *
                   N[i > j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i];
      }
    }
  }

  // Runs the loop of model_refine (ransac/refine.group.h), and checks for cancellation after every
  // 65,536 points. Returns the number of steps tried.
  int refine_round(const auto& points, const typename L::refine_options& options,
                   Model& model) const {
    constexpr int kPart = 1 << 16;
    typename L::refine_state state{};
    state.damping = 1e-4;
    L::model_open(model.data(), rays(), state.moved);
    L::model_close(state.moved, rays(), model.data());
    for (bool goes_on = true; goes_on;) {
      double sums[L::SUMS] = {}, part[L::SUMS];
      auto view = points.view;
      for (int done = 0; done < points.view.n; done += kPart) {
        check_cancelled_at(std::size_t(done));
        view.points = points.view.points + done;
        L::model_equations(model.data(), &view, std::min(kPart, points.view.n - done),
                           &options.loss, nullptr, part);
        for (int i = 0; i < L::SUMS; ++i) sums[i] += part[i];
      }
      goes_on = L::refine_accept(sums, options.tolerance, &state) &&
                L::refine_propose(&points.view, options.max_steps, &state, model.data());
    }
    L::model_close(state.chart, rays(), model.data());
    return state.step;
  }

  // Refines a model as RANSAC does, on the points `kept`; squared errors are truncated at `limit`.
  // Returns the number of steps tried.
  //
  // If the limit is infinite, a finite limit above all errors is used. The tolerance is relative to
  // the loss, so it is set again once the loss is much smaller.
  int refine(Model& model, const std::vector<std::size_t>& kept, double limit,
             int max_steps) const {
    constexpr int kRoundSteps = 10;  // steps between two updates of the limit and the tolerance
    const Selection points(*this, kept);
    const Model own = closed(opened(model));
    Loss loss = loss_of(own, kept, limit);
    if (!std::isfinite(loss.sum)) return 0;
    model = own;
    int steps = 0;
    while (steps < max_steps && loss.sum > 0) {
      const double most = std::isfinite(limit) ? limit : 4 * loss.largest,
                   share = loss.sum / (most * double(kept.size()));
      const typename L::refine_options options = {
          {1 / most, 0, 0}, std::min(kRoundSteps, max_steps - steps), 1e-12 * share};
      Model next = model;
      const int tried = refine_round(points, options, next);
      steps += tried;
      const double before = loss.sum;
      loss = loss_of(next, kept, limit);
      if (!(loss.sum <= before)) break;  // a point is behind the camera now
      model = next;
      if (tried < options.max_steps && !(loss.sum < before / 16)) break;
    }
    return steps;
  }

  [[nodiscard]] Refined result(const Model& m) const {
    Refined r;
    L::result_matrix(&info_, rays(), m.data(), r.model.data());
    if constexpr (L::UNKNOWN_FOCAL == 1 && L::TWO_VIEWS == 1)
      r.focal_length = length() * focal_of(m);
    if constexpr (!L::TWO_VIEWS) {
      double pose[12];
      L::result_pose(&info_, m.data(), m.data(), pose);
      std::copy(pose, pose + 9, r.pose.R.begin());
      std::copy(pose + 9, pose + 12, r.pose.t.begin());
    }
    return r;
  }

 private:
  // Scales F to |F| = f, its focal length, or to 1 if the focal length is not plausible.
  void set_focal(Model& m) const requires(L::UNKNOWN_FOCAL == 1) {
    const double f = focal_of(m);
    L::focal_model(L::focal_is_plausible(f) ? f : 1, m.data());
  }
  [[nodiscard]] const double* focal() const { return info_.focal; }
  [[nodiscard]] const double* centre() const { return info_.centre; }

  // Sets origin and unit of the scoring coordinates. The origin is the principal points of the
  // cameras, or the mean of the points if no cameras are given; the unit is the mean distance of
  // the points from it.
  void set_frame(const double* points, const Cameras& cameras) {
    constexpr int first = L::TWO_VIEWS ? 0 : 2, many = kColumns - first;
    double* c = info_.centre;
    double finite = 0, distance = 0;
    const auto each = [&](const auto& body) {
      for (std::size_t i = 0; i < count_; ++i) {
        check_cancelled_at(i);
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

  // The points `kept` as columns [columns][n], the layout that RANSAC reads.
  struct Selection {
    Selection(const Fit& fit, const std::vector<std::size_t>& kept)
        : columns(kept.size() * kColumns) {
      for (std::size_t k = 0; k < kept.size(); ++k)
        for (std::size_t c = 0; c < kColumns; ++c)
          columns[c * kept.size() + k] = fit.columns_[kept[k] * kColumns + c];
      const int n = static_cast<int>(kept.size());
      L::pair_open(columns.data(), n, n, &fit.info_, &view);
    }
    std::vector<double> columns;
    typename L::pair_view view;
  };

  struct Loss {
    // Sum and largest of the squared errors, each truncated at the limit.
    double sum = 0, largest = 0;
  };
  [[nodiscard]] Loss loss_of(const Model& m, const std::vector<std::size_t>& kept,
                             double limit) const {
    Loss loss;
    for (const std::size_t i : kept) {
      check_cancelled_at(i);
      const double e = squared(m, i), own = e < limit ? e : limit;  // NaN: behind the camera
      loss.sum += own;
      loss.largest = std::max(loss.largest, own);
    }
    return loss;
  }

  pair_info info_{};
  std::size_t count_;
  double unit_ = 1;
  std::vector<double> columns_;
};

template <ModelKind Kind>
inline constexpr std::integral_constant<ModelKind,
                                        ModelKind{problem_functions<double, Kind>::MODELS_OF}>
    models_of;

// Calls body(std::integral_constant<ModelKind, K>), where K is MODELS_OF of the problem: the
// problem with the same models that takes points without depths.
template <class Body>
auto of_kind(ModelKind kind, const Body& body) {
  switch (kind) {
#define BIFOCAL_PROBLEM(name, ...) \
  case ModelKind::name:            \
    return body(models_of<ModelKind::name>);
#include <bifocal/problems.def>
#undef BIFOCAL_PROBLEM
  }
  throw Error(ErrorCode::usage, "ModelKind: no such kind");
}

// Calls body(fit, model in scoring coordinates). Throws Error(usage) that begins with `where` if
// the model or the cameras are invalid.
template <class Body>
auto with_fit(const char* where, ModelKind kind, const Mat3& model,
              std::span<const PointPair> points, std::span<const Intrinsics> cameras,
              const Body& body) {
  check_two_view_matrix(where, kind);
  check_matrix(where, model);
  const Cameras numbers = checked_cameras(where, kind, cameras);
  return of_kind(kind, [&](auto constant) {
    const Fit<constant.value> fit(numbers_of(points), points.size(), numbers);
    return body(fit, fit.scoring(model, {}));
  });
}
template <class Body>
auto with_fit(const char* where, const Pose& pose, std::span<const ScenePoint> points,
              const Intrinsics& camera, const Body& body) {
  constexpr ModelKind kind = ModelKind::absolute_pose;
  const Mat3 R = checked_rotation(std::string(where) + ": R", pose.R);
  const Fit<kind> fit(numbers_of(points), points.size(),
                      checked_cameras(where, kind, {&camera, 1}));
  return body(fit, fit.scoring(R, pose.t));
}

}  // namespace bifocal::robust
