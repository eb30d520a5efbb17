// SPDX-License-Identifier: BSD-3-Clause
// Covariances of models, from the charts and normal equations that refinement uses (fit.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <bifocal/two_view.hpp>
#include <bifocal/error.hpp>
#include <bifocal/geometry.hpp>
#include <cmath>
#include <vector>

#include "robust/cells.hpp"
#include "robust/fit.hpp"

namespace bifocal {
namespace {

using robust::cells_of, robust::Chart, robust::Fit, robust::Model;

[[noreturn]] void fail(const std::string& text) {
  throw Error(ErrorCode::usage, "covariance: " + text);
}

template <class Point>
std::vector<Point> kept(std::span<const Point> points, std::span<const std::uint8_t> inliers,
                        double noise) {
  if (!inliers.empty() && inliers.size() != points.size())
    fail(fmt::format("{} flags for {} points", inliers.size(), points.size()));
  if (!(noise >= 0) || !std::isfinite(noise))
    fail(fmt::format("noise = {}: must be at least 0", noise));
  std::vector<Point> out;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (inliers.empty() || inliers[i] != 0) out.push_back(points[i]);
  return out;
}

// Returns the pose of the model that is nearest to `to`: E, for example, has four poses.
template <ModelKind Kind>
Pose pose_near(const Fit<Kind>& fit, const Model& m, const Pose& to) {
  using L = robust::problem_functions<double, Kind>;
  if constexpr (L::SIDES == 0) return fit.result(m).pose;
  double sides[24], least = std::numeric_limits<double>::infinity();
  L::side_candidates(m.data(), fit.rays(), sides);
  Pose best;
  for (const double* side = sides; side < sides + 12 * L::SIDES; side += 12) {
    double distance = 0, along = 0;
    for (std::size_t i = 0; i < 9; ++i) distance += (side[i] - to.R[i]) * (side[i] - to.R[i]);
    if (!(distance < least)) continue;
    least = distance;
    std::copy_n(side, 9, best.R.begin());
    for (std::size_t i = 0; i < 3; ++i) along += side[9 + i] * to.t[i];
    for (std::size_t i = 0; i < 3; ++i) best.t[i] = std::copysign(1, along) * side[9 + i];
  }
  return best;
}

constexpr int kCells = 8;  // columns and rows of the grid; errors within a cell may be correlated

// Covariance of a model in the parameters of its chart, and the results derived from it.
template <ModelKind Kind>
class Spread {
  using L = robust::problem_functions<double, Kind>;
  static constexpr std::size_t d = L::DOF;

 public:
  Spread(const Fit<Kind>& fit, const Model& model, const std::vector<int>& cells, double noise)
      : fit_(fit), chart_(fit.opened(model)) {
    result.parameters = int(d);
    const Model own = fit.closed(chart_);
    std::vector<std::vector<std::size_t>> finite(kCells * kCells);  // no points behind the camera
    double squares = 0, count = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const double e = fit.squared(own, i);
      if (!std::isfinite(e)) continue;
      finite[std::size_t(cells[i])].push_back(i);
      squares += e;
      ++count;
    }
    std::erase_if(finite, [](const auto& cell) { return cell.empty(); });
    const double left = count * int(L::RESIDUALS) - double(d);
    result.noise = noise > 0 ? noise : left > 0 ? fit.unit() * std::sqrt(squares / left) : 0;
    if (left < 0 || !(noise > 0 || left > 0)) return;
    double A[d * d] = {}, part[d * d];
    std::vector<std::array<double, d>> gradients(finite.size());
    for (std::size_t c = 0; c < finite.size(); ++c) {
      fit.normal_equations(chart_, finite[c], part, gradients[c].data());
      for (std::size_t k = 0; k < d * d; ++k) A[k] += part[k];
    }
    const double s = result.noise / fit.unit();
    for (std::size_t k = 0; k < d; ++k) {
      double used[d * d], column[d] = {};
      std::copy(A, A + d * d, used);
      column[k] = s * s;
      if (!(L::ldl_solve(used, column, d) > 1e-13)) return;
      std::copy(column, column + d, C_ + d * k);
    }
    result.ok = true;
    if (left > 0 && squares > 0 && s > 0)
      set_correlation(gradients, s * s * squares / left, double(finite.size()));
  }

  // Adds J C J' to `out`, the covariance of `numbers` of the model. J is computed by fourth-order
  // central differences, because an error of J times the largest variance of a map would hide its
  // smallest variance, which can be 1e-10 of that.
  template <std::size_t N, class Numbers>
  void map(std::array<double, N>& out, const Numbers& numbers) const {
    if (!result.ok) return;
    constexpr double kStep = 5e-5;
    constexpr std::size_t rows = N == 81 ? 9 : 6;
    double J[rows][d];
    for (std::size_t k = 0; k < d; ++k) {
      const auto at = [&](double steps) { return numbers(moved(k, steps * kStep)); };
      const auto ahead = at(1), behind = at(-1), ahead2 = at(2), behind2 = at(-2);
      for (std::size_t i = 0; i < rows; ++i)
        J[i][k] = (8 * (ahead[i] - behind[i]) - (ahead2[i] - behind2[i])) / (12 * kStep);
    }
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < rows; ++j)
        for (std::size_t a = 0; a < d; ++a)
          for (std::size_t b = 0; b < d; ++b)
            out[rows * i + j] += J[i][a] * C_[d * a + b] * J[j][b];
  }
  void add_model() {
    map(result.model, [&](const Model& m) { return fit_.result(m).model; });
  }
  // Adds the covariance of (w, t) of the model's pose nearest to `pose`, where w is the
  // rotation vector.
  void add_pose(const Pose& pose) {
    map(result.pose, [&](const Model& m) {
      const Pose p = pose_near(fit_, m, pose);
      const Mat3 rotation = times(p.R, transposed(pose.R));
      return std::array{0.5 * (rotation[7] - rotation[5]),
                        0.5 * (rotation[2] - rotation[6]),
                        0.5 * (rotation[3] - rotation[1]),
                        p.t[0],
                        p.t[1],
                        p.t[2]};
    });
  }
  // Variance of the last parameter of the chart, which is a logarithm (log f).
  [[nodiscard]] double last_variance() const { return C_[d * d - 1]; }

  ModelCovariance result;

 private:
  // unit: the variance of an error times the scale s^2 of C_. For independent errors the expected
  // value of the sum below is d times `unit`.
  void set_correlation(const std::vector<std::array<double, d>>& gradients, double unit,
                       double cells) {
    double sum = 0;
    for (const auto& g : gradients)
      for (std::size_t a = 0; a < d; ++a)
        for (std::size_t b = 0; b < d; ++b) sum += g[a] * C_[d * a + b] * g[b];
    if (cells > double(d))
      result.correlation = std::max(1.0, cells / (cells - 1) * sum / (unit * double(d)));
  }
  [[nodiscard]] Model moved(std::size_t k, double step) const {
    Chart chart = chart_;
    double delta[d] = {};
    delta[k] = step;
    L::model_move(chart.data(), delta);
    return fit_.closed(chart);
  }

  const Fit<Kind>& fit_;
  Chart chart_;
  double C_[d * d] = {};
};

// Throws if the matrix differs by more than its sign from the matrix of its chart, i.e. if it
// violates the constraints of its problem.
void check_constraints(ModelKind kind, const Mat3& E, const Mat3& of_chart) {
  double sum = 0, difference = 0;
  for (std::size_t i = 0; i < 9; ++i) {
    sum += std::abs(E[i] + of_chart[i]);
    difference += std::abs(E[i] - of_chart[i]);
  }
  if (!(std::min(sum, difference) < 1e-6))
    fail(fmt::format("model does not satisfy the constraints of {}", to_string(kind)));
}

}  // namespace

ModelCovariance covariance(ModelKind kind, const Mat3& model, std::span<const PointPair> points,
                           std::span<const Intrinsics> cameras,
                           std::span<const std::uint8_t> inliers, double noise) {
  const std::vector<PointPair> own = kept(points, inliers, noise);
  const auto spread_of = [&]<ModelKind Kind>(const Fit<Kind>& fit, const Model& m) {
    using L = robust::problem_functions<double, Kind>;
    if constexpr (L::IS_CONSTRAINED == 1)
      check_constraints(kind, fit.result(m).model, fit.result(fit.closed(fit.opened(m))).model);
    Spread spread(fit, m, cells_of(own, kCells), noise);
    if constexpr (L::UNKNOWN_FOCAL == 1 && L::TWO_VIEWS == 1) {
      const double f = fit.length() * fit.focal_of(m);
      if (!std::isfinite(f)) return ModelCovariance{};
      if (spread.result.ok) spread.result.focal_variance = f * f * spread.last_variance();
    }
    spread.add_model();
    return spread.result;
  };
  return robust::with_fit("covariance", kind, model, own, cameras, spread_of);
}

ModelCovariance covariance(const Pose& given, std::span<const PointPair> points,
                           const Intrinsics& camera1, const Intrinsics& camera2,
                           std::span<const std::uint8_t> inliers, double noise) {
  constexpr ModelKind kind = ModelKind::essential;
  const Pose pose = {checked_rotation("covariance: R", given.R), given.t};
  robust::check_matrix("covariance", pose.t, "t");
  if (std::abs(norm(pose.t) - 1) > 1e-6) fail("t of a relative pose must have length 1");
  const std::vector<PointPair> own = kept(points, inliers, noise);
  const Fit<kind> fit(robust::numbers_of(std::span(own)), own.size(),
                      robust::checked_cameras("covariance", kind, std::array{camera1, camera2}));
  Spread spread(fit, fit.scoring(times(cross_matrix(pose.t), pose.R), {}), cells_of(own, kCells),
                noise);
  spread.add_model();
  spread.add_pose(pose);
  return spread.result;
}

ModelCovariance covariance(const Pose& given, std::span<const ScenePoint> points,
                           const Intrinsics& camera, std::span<const std::uint8_t> inliers,
                           double noise) {
  const Pose pose = {checked_rotation("covariance: R", given.R), given.t};
  const std::vector<ScenePoint> own = kept(points, inliers, noise);
  return robust::with_fit("covariance", pose, own, camera, [&](const auto& fit, const Model& m) {
    Spread spread(fit, m, cells_of(own, kCells), noise);
    spread.add_pose(pose);
    return spread.result;
  });
}

}  // namespace bifocal
