// SPDX-License-Identifier: BSD-3-Clause
#include "adjust/levenberg_marquardt.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>

#include "adjust/layout.hpp"
#include "runtime/cancel.hpp"

namespace bifocal::adjustment {
namespace {

// K. Madsen, H. Nielsen, O. Tingleff, Methods for non-linear least squares problems, 2004: lambda
// follows the ratio of the cost's decrease to that of the quadratic model.
constexpr double kLeastLambda = 1e-12, kMostLambda = 1e32;
constexpr double kLeastRatio = 1e-3;

bool has_positive_focal_lengths(const Views& views) {
  return std::ranges::all_of(views.cameras,
                             [](const ProjectionRecord& c) { return c.fx > 0 && c.fy > 0; });
}

class Minimiser {
 public:
  Minimiser(Terms& terms, const Unknowns& unknowns, ReducedSolver& solver,
            const AdjustOptions& options, AdjustResult& result)
      : terms_(terms),
        unknowns_(unknowns),
        solver_(solver),
        options_(options),
        result_(result),
        views_(unknowns.start()) {}

  Views run() {
    linearise();
    result_.initial_cost = linearisation_.cost;
    AdjustIteration start{.cost = cost_,
                          .trial_cost = cost_,
                          .gradient = gradient_,
                          .damping = lambda_,
                          .is_accepted = true};
    if (!report(start)) return std::move(views_);
    std::optional<AdjustReason> reason;
    if (gradient_ <= options_.gradient_tolerance) reason = AdjustReason::gradient_tolerance;
    while (!reason) {
      if (result_.iterations >= options_.max_iterations) {
        result_.reason = AdjustReason::max_iterations;
        break;
      }
      check_cancelled();
      AdjustIteration iteration{.iteration = ++result_.iterations, .damping = lambda_};
      reason = step(iteration);
      iteration.cost = cost_;
      iteration.gradient = gradient_;
      if (reason) result_.reason = *reason;
      if (!report(iteration)) break;
    }
    if (reason) result_.reason = *reason;
    result_.final_cost = cost_;
    return std::move(views_);
  }

 private:
  void linearise() {
    linearisation_ = terms_.linearise(views_);
    cost_ = linearisation_.cost;
    gradient_ = linearisation_.steepest;
    for (const double g : linearisation_.gradient) gradient_ = std::max(gradient_, std::abs(g));
  }

  // False: the caller wants to stop.
  bool report(AdjustIteration iteration) {
    using Seconds = std::chrono::duration<double>;
    iteration.seconds = Seconds(std::chrono::steady_clock::now() - begin_).count();
    result_.history.push_back(iteration);
    result_.final_cost = cost_;
    if (!options_.progress || options_.progress(iteration)) return true;
    result_.reason = AdjustReason::stopped;
    return false;
  }

  // Tries a step. Returns a reason to end.
  std::optional<AdjustReason> step(AdjustIteration& iteration) {
    terms_.damp(lambda_);
    const std::vector<double> damping = damping_of(linearisation_.diagonal, lambda_);
    const ReducedStep reduced = solver_.solve(terms_, linearisation_, lambda_, damping);
    iteration.cg_iterations = reduced.iterations;
    iteration.trial_cost = std::numeric_limits<double>::infinity();
    if (!reduced.is_solved) return reject();
    const Views moved = unknowns_.moved(views_, reduced.step);
    if (!has_positive_focal_lengths(moved)) return reject();
    const Trial trial = terms_.try_step(reduced.step, moved, lambda_);
    const double decrease = trial.decrease + views_decrease(reduced, damping);
    const double length2 = trial.point_length + unknowns_.squared_length(views_);
    double step2 = trial.step_length;
    for (const double s : reduced.step) step2 += s * s;
    iteration.step = std::sqrt(step2 / std::max(length2, 1e-300));
    if (std::isfinite(trial.cost)) iteration.trial_cost = trial.cost;
    const double gain = cost_ - trial.cost;
    if (!(gain > kLeastRatio * decrease && decrease > 0)) {
      // The remaining decrease is below the rounding of the cost.
      if (decrease <= 1e-15 * cost_) return AdjustReason::no_progress;
      if (iteration.step <= options_.parameter_tolerance) return AdjustReason::parameter_tolerance;
      return reject();
    }
    iteration.is_accepted = true;
    return accept(moved, gain, gain / decrease, iteration.step);
  }

  std::optional<AdjustReason> accept(const Views& moved, double gain, double ratio, double step) {
    const double cost_before = cost_;
    terms_.accept();
    views_ = moved;
    linearise();
    lambda_ = std::max(kLeastLambda, lambda_ * std::max(1.0 / 3, 1 - std::pow(2 * ratio - 1, 3)));
    growth_ = 2;
    if (gradient_ <= options_.gradient_tolerance) return AdjustReason::gradient_tolerance;
    if (gain <= options_.function_tolerance * cost_before) return AdjustReason::function_tolerance;
    if (step <= options_.parameter_tolerance) return AdjustReason::parameter_tolerance;
    return {};
  }

  std::optional<AdjustReason> reject() {
    lambda_ *= growth_;
    growth_ *= 2;
    if (lambda_ > kMostLambda) return AdjustReason::no_progress;
    return {};
  }

  // Decrease of the quadratic model by the step of poses and cameras: (-g's - r's + s'lambda D s) /
  // 2 of a step s that leaves the residual r.
  [[nodiscard]] double views_decrease(const ReducedStep& reduced,
                                      const std::vector<double>& damping) const {
    double sum = 0;
    for (std::size_t i = 0; i < reduced.step.size(); ++i) {
      const double s = reduced.step[i], r = reduced.residual.empty() ? 0 : reduced.residual[i];
      sum += 0.5 * s * (damping[i] * s - linearisation_.gradient[i] + r);
    }
    return sum;
  }

  Terms& terms_;
  const Unknowns& unknowns_;
  ReducedSolver& solver_;
  const AdjustOptions& options_;
  AdjustResult& result_;
  Views views_;
  Linearisation linearisation_;
  double cost_ = 0, gradient_ = 0, lambda_ = solver_.first_lambda(), growth_ = 2;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace

std::vector<double> damping_of(const std::vector<double>& diagonal, double lambda) {
  std::vector<double> damping;
  damping.reserve(diagonal.size());
  for (const double d : diagonal) damping.push_back(lambda * std::max(d, LEAST_DIAGONAL));
  return damping;
}

Views minimise(Terms& terms, const Unknowns& unknowns, ReducedSolver& solver,
               const AdjustOptions& options, AdjustResult& result) {
  return Minimiser(terms, unknowns, solver, options, result).run();
}

}  // namespace bifocal::adjustment
